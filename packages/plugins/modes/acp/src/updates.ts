/** What the agent tells, as an editor hears it. */
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { AgentEvent } from '@tenon/agent/api';
import type { AgentMessage } from '@tenon/sessions/api';
import type { ToolContent } from '@tenon/tools/api';
import { codeBlock, contentOf, kindOf, locationsOf, titleOf } from './tool-calls.ts';

/** Where events come from, and what the editor understands. */
export interface UpdateScope {
  readonly cwd: string;
  /** Whether the editor shows notices by themselves. */
  readonly hasNotices: boolean;
}

const said = (text: string): SessionUpdate => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text },
});
const thought = (text: string): SessionUpdate => ({
  sessionUpdate: 'agent_thought_chunk',
  content: { type: 'text', text },
});

/** What a slash command answers, laid out for a terminal: as Markdown, its lines would run into each other. Documents are Markdown. */
function laidOut(text: string): string {
  return text.includes('\n') && !/^#{1,6} /m.test(text) ? codeBlock(text) : text;
}

/** A notice for the user: where the editor knows none, a warning stands between the answers. */
export function noticeUpdate(
  level: 'info' | 'warning' | 'error',
  text: string,
  { hasNotices }: Pick<UpdateScope, 'hasNotices'>,
): SessionUpdate {
  if (hasNotices) return { sessionUpdate: 'notice', severity: level, title: text };
  return level === 'info' ? thought(`${text}\n\n`) : said(`${level === 'error' ? 'Error' : 'Warning'}: ${text}\n\n`);
}

/** A call that begins. */
export function callUpdate(id: string, tool: string, args: unknown, cwd: string): SessionUpdate {
  return {
    sessionUpdate: 'tool_call',
    toolCallId: id,
    title: titleOf(tool, args),
    name: tool,
    kind: kindOf(tool),
    status: 'in_progress',
    locations: locationsOf(tool, args, cwd),
    rawInput: args,
  };
}

/** The updates that an event comes to. */
export function updatesOf(event: AgentEvent, scope: UpdateScope): SessionUpdate[] {
  switch (event.type) {
    case 'message_update': {
      const { assistantMessageEvent: part } = event;
      if (part.type === 'text_delta') return [said(part.delta)];
      return part.type === 'thinking_delta' ? [thought(part.delta)] : [];
    }
    case 'tool_execution_start':
      return [callUpdate(event.toolCallId, event.toolName, event.args, scope.cwd)];
    case 'tool_execution_update':
      return [
        {
          sessionUpdate: 'tool_call_update',
          toolCallId: event.toolCallId,
          status: 'in_progress',
          content: contentOf(event.partialResult),
        },
      ];
    case 'tool_execution_end':
      return [
        {
          sessionUpdate: 'tool_call_update',
          toolCallId: event.toolCallId,
          status: event.isError ? 'failed' : 'completed',
          content: contentOf(event.result),
        },
      ];
    case 'auto_retry_start': {
      const { attempt, maxAttempts, reason, fallback } = event;
      const next = fallback === undefined ? `attempt ${attempt} of ${maxAttempts}` : `${fallback} takes over`;
      return [noticeUpdate('info', `${reason}: ${next}`, scope)];
    }
    case 'auto_compaction_start':
      return [noticeUpdate('info', 'The conversation is being summarized.', scope)];
    case 'loop_suspected':
      return [noticeUpdate('warning', `The same call of ${event.toolName} came ${event.repeats} times.`, scope)];
    case 'notice':
      return [event.isAnswer ? said(laidOut(event.text)) : noticeUpdate(event.level, event.text, scope)];
    default:
      return [];
  }
}

/** A session's messages as the editor would have heard them. */
export function replayOf(messages: readonly AgentMessage[], cwd: string): SessionUpdate[] {
  return messages.flatMap((message): SessionUpdate[] => {
    if (message.role === 'user') return blocksOf(message.content).map(asUser);
    if (message.role === 'custom') return message.display ? blocksOf(message.content).map(asUser) : [];
    if (message.role === 'bashExecution') return [asUser({ type: 'text', text: `!${message.command}` })];
    if (message.role === 'assistant') {
      return message.content.flatMap((part) => {
        if (part.type === 'text') return part.text === '' ? [] : [said(part.text)];
        if (part.type === 'thinking') return part.thinking === '' ? [] : [thought(part.thinking)];
        return [callUpdate(part.id, part.name, part.arguments, cwd)];
      });
    }
    if (message.role !== 'toolResult') return [];
    const { toolCallId, isError } = message;
    const status = isError ? 'failed' : 'completed';
    return [{ sessionUpdate: 'tool_call_update', toolCallId, status, content: contentOf(message) }];
  });
}

function blocksOf(content: string | readonly ToolContent[]): readonly ToolContent[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function asUser(part: ToolContent): SessionUpdate {
  const content =
    part.type === 'text'
      ? { type: 'text' as const, text: part.text }
      : { type: 'image' as const, data: part.data, mimeType: part.mimeType };
  return { sessionUpdate: 'user_message_chunk', content };
}
