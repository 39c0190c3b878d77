import { defineErrors } from '@tenon/kernel';

/** What can go wrong with the agent itself; what models and tools do wrong is part of the conversation. */
export const errors = defineErrors('agent', {
  AGENT_BUSY: {
    summary: 'The agent is working on an earlier prompt.',
    next: 'Say whether the message should steer it or follow after it, or abort first.',
  },
  AGENT_DISPOSED: {
    summary: 'This agent session has ended.',
    next: 'Open the session again.',
  },
  AGENT_TOOL_UNKNOWN: {
    summary: 'There is no tool "{tool}".{hint}',
    next: 'See the tools with `tenon tool list`.',
  },
  AGENT_NOTHING_TO_COMPACT: {
    summary: 'There is nothing to summarize: the conversation is as short as it may get.',
    next: 'Go on, or start a new session.',
  },
  AGENT_COMPACTION_FAILED: {
    summary: 'The conversation could not be summarized: {reason}',
    next: 'Nothing was changed. Try again, choose another model, or start a new session.',
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
