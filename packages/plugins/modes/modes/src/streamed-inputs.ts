/** `--input-format stream-json`: user messages on standard input, each a line of JSON in the shape of Claude Code. */
import { createInterface } from 'node:readline';
import { messageOf } from '@tenon/kernel';
import type { FileMentionMessage } from '@tenon/sessions/api';
import type { ModeInput } from './api.ts';
import { errors } from './errors.ts';

type Files = FileMentionMessage['files'];

/** The messages, each as soon as it is there. */
export async function* streamedInputs(stdin: NodeJS.ReadStream, signal: AbortSignal): AsyncGenerator<ModeInput> {
  const lines = createInterface({ input: stdin, terminal: false });
  const stop = () => lines.close();
  signal.addEventListener('abort', stop, { once: true });
  let line = 0;
  try {
    for await (const text of lines) {
      line++;
      if (text.trim() !== '') yield inputIn(text, line);
    }
  } finally {
    signal.removeEventListener('abort', stop);
    lines.close();
  }
}

function inputIn(text: string, line: number): ModeInput {
  const fail = (reason: string, fault?: unknown) => errors.create('MODES_STREAM_INPUT', { line, reason }, fault);
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (fault) {
    throw fail(messageOf(fault), fault);
  }
  const { type, message } = fieldsOf(given);
  if (type !== 'user') throw fail(`its type is ${JSON.stringify(type)}, and only "user" is known`);
  const { content } = fieldsOf(message);
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  if (!Array.isArray(blocks)) throw fail('"message.content" is neither a text nor a list');
  const texts: string[] = [];
  const files: Files[number][] = [];
  for (const block of blocks.map(fieldsOf)) {
    const { media_type: mimeType, data } = fieldsOf(block['source']);
    if (block['type'] === 'text' && typeof block['text'] === 'string') texts.push(block['text']);
    else if (block['type'] === 'image' && typeof mimeType === 'string' && typeof data === 'string')
      files.push({ path: `image ${files.length + 1}`, content: '', image: { type: 'image', data, mimeType } });
    else throw fail(`a part of it is neither a text nor an image in base64: ${JSON.stringify(block['type'])}`);
  }
  const prompt = texts.join('\n\n');
  if (prompt.trim() === '') throw fail('it has no text');
  return { prompt, ...(files.length > 0 && { mentions: { role: 'fileMention', files, timestamp: Date.now() } }) };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
