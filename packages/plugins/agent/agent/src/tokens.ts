/** How many tokens messages take, about. */
import type { AgentMessage } from '@tenon/sessions/api';

/** Characters per token, on the safe side for code. */
const CHARS_PER_TOKEN = 3.6;
const IMAGE_TOKENS = 1_200;
const MESSAGE_OVERHEAD = 4;

/** An estimate for one text. */
export function estimateText(text: string): number {
  return Math.ceil(text.length / CHARS_PER_TOKEN);
}

/** A text of no more than so many tokens: its beginning and, more of it, its end. */
export function shortenedTo(text: string, tokens: number): string {
  if (estimateText(text) <= tokens) return text;
  const chars = Math.max(0, Math.floor(tokens * CHARS_PER_TOKEN));
  const head = Math.floor(chars / 4);
  const left = text.length - chars;
  return `${text.slice(0, head)}\n[… ${left} characters left out …]\n${text.slice(text.length - (chars - head))}`;
}

/** A conversation is measured again with every turn; messages are never changed in place. */
const knownSizes = new WeakMap<AgentMessage, number>();

/** An estimate for one message. */
export function estimateMessage(message: AgentMessage): number {
  const size = knownSizes.get(message) ?? measured(message);
  knownSizes.set(message, size);
  return size;
}

function measured(message: AgentMessage): number {
  return (
    MESSAGE_OVERHEAD +
    partsOf(message).reduce((sum, part) => sum + (part === 'image' ? IMAGE_TOKENS : estimateText(part.text)), 0)
  );
}

function partsOf(message: AgentMessage): ('image' | { text: string })[] {
  switch (message.role) {
    case 'bashExecution':
      return message.excludeFromContext ? [] : [{ text: message.command }, { text: message.output }];
    case 'fileMention':
      return message.files.map(({ content }) => ({ text: content }));
    case 'branchSummary':
    case 'compactionSummary':
      return [{ text: message.summary }];
    default:
      return typeof message.content === 'string' ? [{ text: message.content }] : message.content.map(partOf);
  }
}

function partOf(
  block: ({ readonly type: string } & Readonly<Record<string, unknown>>) | object,
): 'image' | { text: string } {
  const { type, text, thinking, name, arguments: args } = block as Record<string, unknown>;
  if (type === 'image') return 'image';
  if (type === 'thinking') return { text: String(thinking) };
  if (type === 'toolCall') return { text: `${String(name)}${JSON.stringify(args)}` };
  return { text: String(text) };
}
