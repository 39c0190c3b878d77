/** Turns what a session holds into what providers understand. */
import type { AssistantMessage, ModelMessage, TextContent, ToolResultMessage, UserMessage } from '@tenon/models/api';
import type { AgentMessage } from '@tenon/sessions/api';
import { fencedText, tagValue } from '@tenon/wording';
import { render } from './prompts/index.ts';

/** The messages for a model call, in an order that every provider accepts. */
export function toModelMessages(messages: readonly AgentMessage[]): ModelMessage[] {
  return answered(messages.flatMap(convert));
}

function convert(message: AgentMessage): ModelMessage[] {
  switch (message.role) {
    case 'user':
    case 'toolResult':
      return [message];
    case 'assistant':
      return usable(message);
    case 'custom':
      return [{ role: 'user', content: message.content, timestamp: message.timestamp }];
    case 'bashExecution':
      return message.excludeFromContext ? [] : [asUser(render('bash-execution', { ...message }), message.timestamp)];
    case 'fileMention':
      return [mentioned(message)];
    case 'branchSummary':
      return [asUser(render('branch-summary-context', { summary: message.summary }), message.timestamp)];
    case 'compactionSummary':
      // Where not even a summary fits, nothing stands for what was left out.
      return message.summary === ''
        ? []
        : [asUser(render('compaction-summary-context', { summary: message.summary }), message.timestamp)];
  }
}

function asUser(text: string, timestamp: number): UserMessage {
  return { role: 'user', content: [{ type: 'text', text }], timestamp };
}

function mentioned({ files, timestamp }: Extract<AgentMessage, { role: 'fileMention' }>): UserMessage {
  const content = files.flatMap(({ path, content: text, image }) => [
    { type: 'text' as const, text: render('file-mention', { path: tagValue(path), content: fencedText(text) }) },
    ...(image ? [image] : []),
  ]);
  return { role: 'user', content, timestamp };
}

/** An answer that was cut off may hold a call whose arguments never came to an end: such a call cannot go back. */
function usable(message: AssistantMessage): AssistantMessage[] {
  if (message.stopReason !== 'error' && message.stopReason !== 'aborted') return [message];
  const content = message.content.filter(
    (block): block is TextContent => block.type === 'text' && block.text.trim() !== '',
  );
  return content.length > 0 ? [{ ...message, content }] : [];
}

/** Every call needs a result right after it, and every result a call before it; providers refuse anything else. */
function answered(messages: readonly ModelMessage[]): ModelMessage[] {
  const results = new Map<string, ToolResultMessage>();
  for (const message of messages) if (message.role === 'toolResult') results.set(message.toolCallId, message);
  return messages.flatMap((message): ModelMessage[] => {
    if (message.role === 'toolResult') return [];
    if (message.role !== 'assistant') return [message];
    const calls = message.content.filter((block) => block.type === 'toolCall');
    return [
      message,
      ...calls.map((call) => results.get(call.id) ?? missingResult(call.id, call.name, message.timestamp)),
    ];
  });
}

function missingResult(toolCallId: string, toolName: string, timestamp: number): ToolResultMessage {
  const text = 'This call was not carried out: the run was interrupted before it.';
  return { role: 'toolResult', toolCallId, toolName, content: [{ type: 'text', text }], isError: true, timestamp };
}

/** The text of a message, without pictures and calls. */
export function messageText(message: AgentMessage): string {
  if (!('content' in message)) return '';
  if (typeof message.content === 'string') return message.content;
  return message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}
