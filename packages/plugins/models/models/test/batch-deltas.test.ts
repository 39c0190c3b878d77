import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { AnswerBuilder, NO_USAGE, type StreamEvent } from '../src/api.ts';
import { batchDeltas } from '../src/call/batch-deltas.ts';

const model = { api: 'x', provider: 'p', id: 'm' };

async function* answer(
  deltas: readonly string[],
  paceMs = 0,
  onSend = (_count: number) => {},
): AsyncGenerator<StreamEvent> {
  const builder = new AnswerBuilder(model);
  yield builder.start();
  yield builder.beginText('t');
  let count = 0;
  for (const delta of deltas) {
    if (paceMs) await sleep(paceMs);
    onSend(++count);
    yield* builder.delta('t', delta);
  }
  yield* builder.finish('stop', NO_USAGE);
}

async function collect(source: AsyncIterable<StreamEvent>): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of source) events.push(event);
  return events;
}

const deltasOf = (events: readonly StreamEvent[]) => events.flatMap((event) => ('delta' in event ? [event.delta] : []));

describe('joining deltas', () => {
  it('loses and reorders nothing, and keeps the last snapshot of what it joined', async () => {
    const deltas = Array.from({ length: 500 }, (_, i) => `<${i}>`);
    const events = await collect(batchDeltas(answer(deltas), { intervalMs: 50 }));
    expect(deltasOf(events).join('')).toBe(deltas.join(''));
    expect(deltasOf(events).length).toBeLessThan(100);
    expect(events.map(({ type }) => type).filter((type) => type !== 'text_delta')).toEqual([
      'start',
      'text_start',
      'text_end',
      'done',
    ]);
    let text = '';
    for (const event of events) {
      if (!('delta' in event)) continue;
      text += event.delta;
      const block = event.partial.content[0];
      expect(block?.type === 'text' && block.text).toBe(text);
    }
  });

  it('passes the first delta on at once and the others in steps', async () => {
    const started = Date.now();
    const at: number[] = [];
    for await (const event of batchDeltas(
      answer(
        Array.from({ length: 40 }, () => 'x'),
        5,
      ),
      { intervalMs: 60 },
    ))
      if ('delta' in event) at.push(Date.now() - started);
    expect(at.length).toBeLessThan(12);
    expect(at.length).toBeGreaterThan(1);
  });

  it('does not join deltas of different blocks', async () => {
    async function* two(): AsyncGenerator<StreamEvent> {
      const builder = new AnswerBuilder(model);
      yield builder.beginText('a');
      yield builder.beginThinking('b');
      for (let i = 0; i < 3; i++) {
        yield* builder.delta('a', 'A');
        yield* builder.delta('b', 'B');
      }
      yield* builder.finish('stop', NO_USAGE);
    }
    const deltas = deltasOf(await collect(batchDeltas(two(), { intervalMs: 50 })));
    expect(deltas.every((delta) => /^(A+|B+)$/.test(delta))).toBe(true);
    expect(deltas.join('')).toBe('ABABAB');
  });

  it('makes the source wait for a consumer that is slow', async () => {
    let sent = 0;
    const chunk = 'x'.repeat(1024);
    const source = answer(
      Array.from({ length: 10_000 }, () => chunk),
      0,
      (count) => (sent = count),
    );
    const iterator = batchDeltas(source, { intervalMs: 10, maxHeld: 16 * 1024 })[Symbol.asyncIterator]();
    for (let i = 0; i < 3; i++) await iterator.next();
    await sleep(50);
    expect(sent).toBeLessThan(60);
    let length = 0;
    for (let step = await iterator.next(); !step.done; step = await iterator.next())
      if ('delta' in step.value) length += step.value.delta.length;
    expect(sent).toBe(10_000);
    expect(length).toBeGreaterThan(9_900 * 1024);
  });

  it('passes on what the source throws, after what came before it', async () => {
    async function* broken(): AsyncGenerator<StreamEvent> {
      yield* new AnswerBuilder(model).fail({ kind: 'unknown', message: 'x' });
      throw new Error('broken source');
    }
    const seen: string[] = [];
    await expect(
      (async () => {
        for await (const { type } of batchDeltas(broken(), { intervalMs: 50 })) seen.push(type);
      })(),
    ).rejects.toThrow('broken source');
    expect(seen).toEqual(['error']);
  });
});
