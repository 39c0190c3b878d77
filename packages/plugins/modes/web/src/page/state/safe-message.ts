/** Messages as the page can show them. A session is a file, and a file may hold anything: what has another shape is left out. */
import type { Message, Part } from './conversation.ts';

type Unknown = Readonly<Record<string, unknown>>;

const PICTURES = /^image\/(?:png|jpeg|gif|webp)$/;

/** The message that a value is, as far as it is one. */
export function safeMessage(value: unknown): Message {
  const message = recordOf(value);
  const content = contentOf(message['content']);
  const cost = recordOf(recordOf(message['usage'])['cost'])['total'];
  return {
    role: textIn(message, 'role') ?? 'other',
    ...(content !== undefined && { content }),
    ...texts(message, ['toolCallId', 'toolName', 'stopReason', 'errorMessage']),
    ...(message['isError'] === true && { isError: true }),
    ...(message['display'] === false && { display: false }),
    ...(message['details'] !== undefined && { details: message['details'] }),
    ...(typeof cost === 'number' && Number.isFinite(cost) && { usage: { cost: { total: cost } } }),
  };
}

/** The part of a message that a value is; undefined when it is none. */
export function safePart(value: unknown): Part | undefined {
  const part = recordOf(value);
  const type = textIn(part, 'type');
  if (type === undefined) return undefined;
  if (type === 'image' && !PICTURES.test(textIn(part, 'mimeType') ?? '')) return undefined;
  return {
    type,
    ...texts(part, ['text', 'thinking', 'id', 'name', 'data', 'mimeType']),
    ...(part['arguments'] !== undefined && { arguments: part['arguments'] }),
  };
}

function contentOf(value: unknown): Message['content'] {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return undefined;
  return value.flatMap((part) => safePart(part) ?? []);
}

function recordOf(value: unknown): Unknown {
  return typeof value === 'object' && value !== null ? (value as Unknown) : {};
}

function textIn(record: Unknown, name: string): string | undefined {
  const value = Object.hasOwn(record, name) ? record[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}

function texts<N extends string>(record: Unknown, names: readonly N[]): Partial<Record<N, string>> {
  const found: Partial<Record<N, string>> = {};
  for (const name of names) {
    const value = textIn(record, name);
    if (value !== undefined) found[name] = value;
  }
  return found;
}
