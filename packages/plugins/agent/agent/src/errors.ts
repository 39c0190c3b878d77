import { defineErrors } from '@tenon/kernel';

/** What can go wrong with the agent itself; what models and tools do wrong is part of the conversation. */
export const errors = defineErrors('agent', {
  AGENT_BUSY: {
    summary: 'The agent is working on an earlier prompt.',
    next: 'Say whether the message should steer it or follow after it, or abort first.',
  },
  AGENT_PROMPT_BLOCKED: {
    summary: 'The prompt was not sent: {reason}',
    next: 'Change the prompt, or the hook or plugin that blocks it.',
  },
  AGENT_COMMAND_REFUSED: {
    summary: '{reason}',
    next: '{remedy}',
  },
  AGENT_NOT_A_USER_MESSAGE: {
    summary: 'The entry "{entry}" is not one of your messages in this session.',
    next: 'See the entries with `tenon session tree`.',
  },
  AGENT_ENTRY_UNKNOWN: {
    summary: 'This session has no entry "{entry}".',
    next: 'See the entries with `tenon session tree`.',
  },
  AGENT_NOTHING_TO_HAND_OFF: {
    summary: 'There is nothing to hand over: hardly anything was said yet.',
    next: 'Go on here, or start a new session.',
  },
  AGENT_DISPOSED: {
    summary: 'This agent session has ended.',
    next: 'Open the session again.',
  },
  AGENT_TOOL_UNKNOWN: {
    exit: 'usage',
    summary: 'There is no tool "{tool}".{hint}',
    next: 'See the tools with `tenon tool list`.',
  },
  AGENT_MODEL_GONE: {
    summary:
      'The model "{model}" that this session used is not available, and what was said goes to no other provider by itself.',
    next: 'Choose a model with `--model`: the conversation then goes to its provider. `tenon models list` shows what there is.',
  },
  AGENT_NOTHING_TO_COMPACT: {
    summary: 'There is nothing to summarize: the conversation cannot get any shorter.',
    next: 'Go on, or start a new session.',
  },
  AGENT_COMPACTION_FAILED: {
    summary: 'The conversation could not be summarized: {reason}',
    next: 'Nothing was changed. Try again, choose another model, or start a new session.',
  },
  AGENT_ASIDE_FAILED: {
    summary: 'The model gave no answer to a question beside the conversation: {reason}',
    next: 'The conversation was not changed. Ask again, or choose another model.',
  },
  AGENT_COMPACTION_USELESS: {
    summary: 'The summary is not shorter than what it replaces ({before} tokens before, {after} after).',
    next: 'Nothing was changed. What is left is mostly recent: lower agent.compaction.keepRecentTokens or start a new session.',
  },
  AGENT_COMPACTION_CANCELLED: {
    summary: 'The summary was called off by plugin "{plugin}".',
    next: 'Nothing was changed.',
  },
});
