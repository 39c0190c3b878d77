import { describe, expect, it } from 'vitest';
import { EventWriter, type Frame } from '../src/api.ts';

const delta = (text: string, contentIndex = 0, type = 'text_delta') =>
  ({
    type: 'message_update',
    message: { role: 'assistant', content: [] },
    assistantMessageEvent: { type, contentIndex, delta: text },
  }) as Frame;
const update = (toolCallId: string, text: string) => ({ type: 'tool_execution_update', toolCallId, text }) as Frame;

/** A reader that takes a line only when it is told to. */
function slowReader() {
  const lines: string[] = [];
  const waiting: (() => void)[] = [];
  const write = (text: string) =>
    new Promise<void>((resolve) => {
      lines.push(...text.trimEnd().split('\n'));
      waiting.push(resolve);
    });
  const read = async () => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    waiting.splice(0).forEach((resolve) => resolve());
    await new Promise((resolve) => setTimeout(resolve, 1));
  };
  return { lines, write, read };
}

describe('the event writer', () => {
  it('writes every frame as one line, in order', async () => {
    let text = '';
    const writer = new EventWriter((part) => Promise.resolve(void (text += part)));
    for (let n = 0; n < 1_000; n++) writer.send({ type: `event-${n}` });
    await writer.finish();
    const lines = text.trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as Frame).type)).toEqual(
      Array.from({ length: 1_000 }, (_, n) => `event-${n}`),
    );
  });

  it('takes secrets out of every frame before it waits or is written', async () => {
    let text = '';
    const mask = (frame: Frame) => JSON.parse(JSON.stringify(frame).replaceAll('sw0rdfish', '#AAAA#')) as Frame;
    const writer = new EventWriter((part) => Promise.resolve(void (text += part)), { mask });
    writer.send({ type: 'tool_execution_update', partialResult: { content: 'sw0rdfish' } } as Frame);
    await writer.finish();
    expect(text).toContain('#AAAA#');
    expect(text).not.toContain('sw0rdfish');
  });

  it('joins neighbouring deltas of one block while the reader is busy, and loses no letter', async () => {
    const { lines, write, read } = slowReader();
    const writer = new EventWriter(write);
    writer.send({ type: 'first' });
    await new Promise((resolve) => setTimeout(resolve, 1));
    for (const letter of 'hello') writer.send(delta(letter));
    writer.send(delta('!', 1));
    writer.send(delta('hm', 1, 'thinking_delta'));
    for (const text of ['a', 'ab']) writer.send(update('one', text));
    writer.send(update('two', 'x'));
    expect(writer.size).toBe(5);
    await read();
    await read();
    await writer.finish();
    expect(lines.slice(1).map((line) => JSON.parse(line) as unknown)).toEqual([
      delta('hello'),
      delta('!', 1),
      delta('hm', 1, 'thinking_delta'),
      update('one', 'ab'),
      update('two', 'x'),
    ]);
  });

  it('writes of each update what is new, so that the output is as long as the answer and not as its square', async () => {
    let text = '';
    const writer = new EventWriter((part) => Promise.resolve(void (text += part)));
    const pieces = 200;
    const piece = 'x'.repeat(1_000);
    for (let n = 1; n <= pieces; n++) {
      const message = { role: 'assistant', content: [{ type: 'text', text: piece.repeat(n) }], usage: {} };
      const assistantMessageEvent = { type: 'text_delta', contentIndex: 0, delta: piece, partial: message };
      writer.send({ type: 'message_update', message, assistantMessageEvent } as Frame);
      await writer.finish();
    }
    expect(text.split('\n')).toHaveLength(pieces + 1);
    expect(JSON.parse(text.slice(0, text.indexOf('\n')))).toEqual(delta(piece));
    expect(text.length).toBeLessThan(1.5 * pieces * piece.length);
  });

  it('tells when the reader is far behind, and when it has caught up', async () => {
    const { write, read } = slowReader();
    const writer = new EventWriter(write, { highWater: 10 });
    for (let n = 0; n < 100; n++) writer.send({ type: String(n) });
    let isUp = false;
    const up = writer.caughtUp().then(() => (isUp = true));
    await read();
    expect(isUp).toBe(false);
    await read();
    await up;
    await read();
    await writer.finish();
  });

  it('never makes one text of many long frames', async () => {
    const writes: number[] = [];
    const writer = new EventWriter((text) => Promise.resolve(void writes.push(text.length)));
    const long = { type: 'long', text: 'x'.repeat(200_000) };
    for (let n = 0; n < 20; n++) writer.send(long);
    for (let n = 0; n < 20; n++) writer.send({ type: 'short' });
    await writer.finish();
    expect(Math.max(...writes)).toBeLessThan(500_000);
    expect(writes.length).toBeLessThan(20);
    expect(writes.reduce((sum, size) => sum + size, 0)).toBe(20 * (JSON.stringify(long).length + 1) + 20 * 17);
  });

  it('gives up on a reader that is gone, and says so once', async () => {
    const writer = new EventWriter(() => Promise.reject(new Error('EPIPE')), { highWater: 1 });
    for (let n = 0; n < 10; n++) writer.send({ type: String(n) });
    await writer.caughtUp();
    await expect(writer.finish()).rejects.toThrow('EPIPE');
    writer.send({ type: 'more' });
    expect(writer.size).toBe(0);
  });
});
