/** Several logs as one stream. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EventLog, type LoggedEvent } from '../src/server/event-log.ts';
import { joined, type Source } from '../src/server/joined.ts';

const sourceOf = (log: EventLog): Source => ({
  follow: (after, signal) => log.follow(after ?? log.idOf(log.place), signal),
  newest: () => log.idOf(log.place),
});
const told = (fault: unknown) => ({ message: String(fault) });

/** Reads until it has `count` events; those that only say where one stands do not count. */
async function read(
  sources: ReadonlyMap<string, Source>,
  after: string | undefined,
  count: number,
): Promise<LoggedEvent[]> {
  const seen: LoggedEvent[] = [];
  const leaving = new AbortController();
  for await (const event of joined(sources, after, leaving.signal, told)) {
    if (!event.type.endsWith(':at')) seen.push(event);
    if (seen.length >= count) leaving.abort();
  }
  return seen;
}

test('whoever loses the stream anywhere gets of each source what it has missed, once and in order', async () => {
  const steps = fc.array(fc.boolean(), { minLength: 2, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(
      steps,
      fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 30, maxLength: 30 }),
      async (all, cuts) => {
        const logs = { lists: new EventLog(), run: new EventLog() };
        const sources = new Map(Object.entries(logs).map(([name, log]) => [name, sourceOf(log)]));
        const after = `lists=${logs.lists.idOf(0)},run=${logs.run.idOf(0)}`;
        for (const [index, isRun] of all.entries()) (isRun ? logs.run : logs.lists).add('news', index);
        const seen: LoggedEvent[] = [];
        for (const cut of cuts) {
          if (seen.length === all.length) break;
          seen.push(...(await read(sources, seen.at(-1)?.id ?? after, Math.min(cut, all.length - seen.length))));
        }
        for (const [name, isRun] of [
          ['run', true],
          ['lists', false],
        ] as const)
          expect(seen.filter(({ type }) => type === `${name}:news`).map(({ json }) => Number(json))).toEqual(
            [...all.keys()].filter((index) => all[index] === isRun),
          );
      },
    ),
  );
});

test('a source that has lost its past, is over or fails says so, and the others go on', async () => {
  const lists = new EventLog();
  const session = new EventLog();
  const sources = new Map<string, Source>([
    ['lists', sourceOf(lists)],
    ['session', { follow: (after, signal) => session.follow(after ?? '', signal) }],
    ['run', { follow: () => Promise.reject(new Error('there is none')) }],
  ]);
  session.add('said', 1);
  session.close();
  const leaving = new AbortController();
  const stream = joined(sources, `lists=other.7,session=${session.idOf(0)},gone=x.1`, leaving.signal, told);
  const first: LoggedEvent[] = [];
  for (let count = 0; count < 4; count += 1) first.push((await stream.next()).value as LoggedEvent);
  const types = first.map(({ type }) => type);
  expect(types.toSorted()).toEqual(['lists:reset', 'run:refused', 'session:over', 'session:said']);
  expect(types.indexOf('session:said')).toBeLessThan(types.indexOf('session:over'));
  expect(first.find(({ type }) => type === 'run:refused')?.json).toContain('there is none');
  // What comes after the reset is told, and its id leads on from there.
  lists.add('news', 'later');
  const { value } = (await stream.next()) as { value: LoggedEvent };
  expect([value.type, value.json]).toEqual(['lists:news', '"later"']);
  expect(value.id).toBe(`lists=${lists.idOf(1)},session=${session.idOf(1)}`);
  leaving.abort();
  expect((await stream.next()).done).toBe(true);
});

test('who comes without a place is told where it stands, so that nothing is missed after that', async () => {
  const lists = new EventLog();
  lists.add('news', 'before');
  const sources = new Map([['lists', sourceOf(lists)]]);
  const leaving = new AbortController();
  const stream = joined(sources, undefined, leaving.signal, told);
  const { value } = (await stream.next()) as { value: LoggedEvent };
  expect([value.type, value.id]).toEqual(['lists:at', `lists=${lists.idOf(1)}`]);
  leaving.abort();
  await stream.next();
  lists.add('news', 'missed');
  expect((await read(sources, value.id, 1)).map(({ json }) => json)).toEqual(['"missed"']);
});
