/** A session file of a wanted size, as a long piece of work leaves it: many turns, summarized now and then. */
import { closeSync, openSync, writeSync } from 'node:fs';

const RESULT_CHARS = 12_000;
const TURNS_PER_COMPACTION = 60;
/** Turns after the last summary: what the next request is built from. */
const KEPT_TURNS = 6;

/** @param {string} file @param {number} bytes @param {string} cwd @returns {{ entries: number }} */
export function writeLongSession(file, bytes, cwd) {
  const handle = openSync(file, 'w', 0o600);
  let written = 0;
  let count = 0;
  let parentId = null;
  const timestamp = '2026-01-01T00:00:00.000Z';
  const write = (value) => {
    const line = `${JSON.stringify(value)}\n`;
    writeSync(handle, line);
    written += line.length;
  };
  const entry = (type, body) => {
    const id = (count++).toString(16).padStart(8, '0');
    write({ type, id, parentId, timestamp, ...body });
    parentId = id;
    return id;
  };
  const say = (message) => entry('message', { message: { ...message, timestamp: 1 } });
  write({ type: 'session', version: 3, id: 'long-session', timestamp, cwd });
  const text = (value) => [{ type: 'text', text: value }];
  const turn = (number) => {
    const id = `call_${number}`;
    const first = say({ role: 'user', content: text(`Step ${number}`) });
    const call = { type: 'toolCall', id, name: 'read', arguments: { path: `file-${number}.txt` } };
    say(assistant([call], 'toolUse'));
    const content = text(`${number} ${'some text of a file '.repeat(RESULT_CHARS / 20)}`);
    say({ role: 'toolResult', toolCallId: id, toolName: 'read', content, isError: false });
    say(assistant(text(`Step ${number} is done.`), 'stop'));
    return first;
  };
  const summarize = (firstKeptEntryId) =>
    entry('compaction', { summary: 'The steps so far were done.', firstKeptEntryId, tokensBefore: 150_000 });
  for (let number = 1, size = 0; size < bytes; number++, size = written) {
    const first = turn(number);
    if (number % TURNS_PER_COMPACTION === 0) summarize(first);
  }
  summarize(turn(1_000_000));
  for (let number = 1; number <= KEPT_TURNS; number++) turn(1_000_000 + number);
  closeSync(handle);
  return { entries: count };
}

function assistant(content, stopReason) {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const usage = { input: 1_000, output: 10, cacheRead: 0, cacheWrite: 0, totalTokens: 1_010, cost };
  return { role: 'assistant', content, api: 'openai-completions', provider: 'fake', model: 'm', usage, stopReason };
}
