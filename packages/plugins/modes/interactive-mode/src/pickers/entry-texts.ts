/** What entries of a session say, in a few words. */
import type { AgentMessage, SessionEntry } from '@tenon/sessions/api';
import { withoutAnchors } from '../cards/anchors.ts';
import { firstWords } from './wordings.ts';

/** What an entry is, for filters and colours. */
export type EntryKind = 'user' | 'assistant' | 'tool' | 'shell' | 'summary' | 'note' | 'state';

/** An entry as a row shows it. */
export interface EntryText {
  readonly kind: EntryKind;
  readonly text: string;
}

type Content = string | readonly { readonly type: string; readonly text?: string }[];

/** The text of a message's content. */
export function contentText(content: Content): string {
  if (typeof content === 'string') return content;
  return content
    .flatMap(({ type, text }) => (type === 'text' ? [text ?? ''] : type === 'image' ? ['[image]'] : []))
    .join('\n');
}

/** What the user said at an entry; nothing when it is something else. */
export function userText(entry: SessionEntry | undefined): string | undefined {
  if (entry?.type !== 'message' || entry.message.role !== 'user') return undefined;
  return contentText(entry.message.content);
}

/** A message in a few words. */
export function messageText(message: AgentMessage): EntryText {
  switch (message.role) {
    case 'user':
      return { kind: 'user', text: firstWords(contentText(message.content)) };
    case 'assistant': {
      const said = firstWords(contentText(message.content));
      if (said !== '') return { kind: 'assistant', text: said };
      const calls = message.content.flatMap((part) => (part.type === 'toolCall' ? [part.name] : []));
      if (calls.length > 0) return { kind: 'tool', text: `calls ${firstWords(calls.join(', '))}` };
      return { kind: 'assistant', text: firstWords(message.errorMessage ?? '(no answer)') };
    }
    case 'toolResult': {
      const mark = message.isError ? 'failed: ' : '';
      return {
        kind: 'tool',
        text: firstWords(`${message.toolName}: ${mark}${withoutAnchors(contentText(message.content))}`),
      };
    }
    case 'bashExecution':
      return { kind: 'shell', text: firstWords(`! ${message.command}`) };
    case 'fileMention':
      return { kind: 'note', text: firstWords(`files: ${message.files.map(({ path }) => path).join(', ')}`) };
    case 'custom':
      return { kind: 'note', text: firstWords(`${message.customType}: ${contentText(message.content)}`) };
    default:
      return { kind: 'summary', text: firstWords(message.summary) };
  }
}

/** An entry in a few words. */
export function entryText(entry: SessionEntry): EntryText {
  switch (entry.type) {
    case 'message':
      return messageText(entry.message);
    case 'custom_message':
      return { kind: 'note', text: firstWords(`${entry.customType}: ${contentText(entry.content)}`) };
    case 'compaction':
      return {
        kind: 'summary',
        text: firstWords(`summary of what was before: ${entry.shortSummary ?? entry.summary}`),
      };
    case 'branch_summary':
      return { kind: 'summary', text: firstWords(`summary of another branch: ${entry.summary}`) };
    case 'model_change':
      return { kind: 'state', text: firstWords(`model: ${entry.model}`) };
    case 'thinking_level_change':
      return { kind: 'state', text: `thinking: ${firstWords(entry.thinkingLevel)}` };
    case 'label':
      return { kind: 'state', text: firstWords(`label: ${entry.label ?? '(removed)'}`) };
    default:
      return { kind: 'state', text: firstWords(entry.type.replaceAll('_', ' ')) };
  }
}

/** How many entries are read before keys get their turn. */
const AT_ONCE = 200;

/** Goes through a long session without holding the screen up. */
export async function* patiently<T>(items: Iterable<T>): AsyncGenerator<T> {
  let count = 0;
  for (const item of items) {
    yield item;
    if (++count % AT_ONCE === 0) await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
