import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EventLog } from '../src/server/event-log.ts';
import { eventStream } from '../src/server/sse.ts';

/** Reads until it has `count` events, or is told to load anew. */
async function read(log: EventLog, after: string, count: number): Promise<(string | undefined)[]> {
  const seen: (string | undefined)[] = [];
  const leaving = new AbortController();
  for await (const event of log.follow(after, leaving.signal)) {
    seen.push(event?.json);
    if (event === undefined || seen.length >= count) leaving.abort();
  }
  return seen;
}

test('a reader that comes back at any place gets exactly what it has missed', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.jsonValue(), { minLength: 1, maxLength: 40 }),
      fc.nat(),
      fc.nat(),
      async (events, a, b) => {
        const log = new EventLog();
        const cut = a % (events.length + 1);
        const early = b % (events.length + 1);
        events.slice(0, early).forEach((event) => log.add('event', event));
        const start = log.idOf(Math.min(cut, early));
        const reading = read(log, start, events.length - Math.min(cut, early));
        events.slice(early).forEach((event) => log.add('event', event));
        if (Math.min(cut, early) < events.length)
          expect(await reading).toEqual(events.slice(Math.min(cut, early)).map((event) => JSON.stringify(event)));
        else log.close();
      },
    ),
  );
});

test('what the log has forgotten, and what another log has told, must be loaded anew', async () => {
  const log = new EventLog(100);
  for (let count = 0; count < 50; count += 1) log.add('event', 'x'.repeat(20));
  expect(log.after(log.idOf(1))).toBeUndefined();
  expect(log.after(log.idOf(log.place))).toEqual([]);
  expect(log.after(log.idOf(log.place + 1))).toBeUndefined();
  for (const strange of ['', 'x', '.', 'other.1', `${new EventLog().idOf(1)}`, log.idOf(Number.NaN), log.idOf(-5)])
    expect(await read(log, strange, 1)).toEqual([undefined]);
});

test('a log that was closed ends its readers', async () => {
  const log = new EventLog();
  const reading = read(log, log.idOf(0), 5);
  log.add('event', 1);
  log.close();
  expect(await reading).toEqual(['1']);
});

test('a stream whose source fails breaks off, and nothing is written to it any more', async () => {
  const failing = { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('the source is gone')) }) };
  const faults: unknown[] = [];
  const note = (fault: unknown) => void faults.push(fault);
  process.on('uncaughtException', note);
  const reader = eventStream(() => failing, new AbortController().signal, 5).body?.getReader();
  await reader?.read();
  await expect(reader?.read()).rejects.toThrow('the source is gone');
  await new Promise((resolve) => setTimeout(resolve, 50));
  process.off('uncaughtException', note);
  expect(faults).toEqual([]);
});

test('a client that does not read is written no more than a little ahead, however large events are', async () => {
  const log = new EventLog();
  const start = log.idOf(log.place);
  for (let count = 0; count < 40; count += 1) log.add('big', 'x'.repeat(200_000));
  let taken = 0;
  const counted = async function* (signal: AbortSignal) {
    for await (const event of log.follow(start, signal)) {
      taken += 1;
      yield event;
    }
  };
  const gone = new AbortController();
  const { body } = eventStream(counted, gone.signal);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(taken).toBeLessThanOrEqual(2);
  await body?.cancel();
});
