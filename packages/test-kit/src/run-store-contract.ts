/** What every store of runs must do, as cases for a test suite: each opens stores on one empty place and fails with an assertion. */
import assert from 'node:assert/strict';
import type { Intake, Run, RunEventBody, RunSession, RunStore } from '@tenon/runs/api';

/** Opens the store under test; calls of one case share their place. */
export type OpenTestStore = () => Promise<RunStore>;

/** A run to store, with what a test says about it. */
export function sampleRun(id: string, more: Partial<Run> = {}): Run {
  return {
    id,
    alias: `alias-${id}`,
    request: { task: 'do it', cwd: '/' },
    worker: 'fake',
    state: 'queued',
    folder: '/',
    session: 0,
    attempt: 1,
    created: new Date().toISOString(),
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
    sandbox: '',
    ...more,
  };
}

/** A session to store. */
export function sampleSession(run: string, number: number): RunSession {
  return { run, number, attempt: 1, reason: 'start', started: new Date().toISOString() };
}

const text = (value: string): RunEventBody => ({ type: 'worker', event: { type: 'text', text: value } });

const intake = (
  run: string,
  from: number,
  to: number,
  pieces: readonly string[],
  events: readonly RunEventBody[] = [],
): Intake => ({
  run,
  session: 1,
  outputs: pieces.map((piece) => ({ stream: 'stdout', text: piece })),
  events,
  from: { stdout: from, stderr: 0 },
  offsets: { stdout: to, stderr: 0 },
});

async function withSession(open: OpenTestStore): Promise<RunStore> {
  const store = await open();
  await store.add(sampleRun('a'));
  await store.change('a', { run: { state: 'running', session: 1 }, begin: sampleSession('a', 1) });
  return store;
}

/** The cases, by what they prove. */
export const storeContract: Readonly<Record<string, (open: OpenTestStore) => Promise<void>>> = {
  'gives back what it was given, newest first, by state': async (open) => {
    const store = await open();
    const [old, young] = [sampleRun('a', { created: '2026-01-01' }), sampleRun('b', { created: '2026-01-02' })];
    assert.equal(await store.add(old), true);
    assert.equal(await store.add(young), true);
    assert.deepEqual(await store.get('a'), old);
    assert.deepEqual(await store.list(), [young, old]);
    assert.deepEqual(await store.list({ limit: 1 }), [young]);
    await store.change('b', { run: { state: 'done' } });
    assert.deepEqual(await store.list({ states: ['queued', 'running'] }), [old]);
    assert.equal(await store.get('c'), undefined);
  },

  'refuses an id or alias that is taken': async (open) => {
    const store = await open();
    await store.add(sampleRun('a'));
    assert.equal(await store.add(sampleRun('a', { alias: 'other' })), false);
    assert.equal(await store.add(sampleRun('b', { alias: 'alias-a' })), false);
    assert.equal((await store.list()).length, 1);
  },

  'changes a run only from the states that are named, and tells of it': async (open) => {
    const store = await open();
    await store.add(sampleRun('a', { result: { text: 'old' } }));
    assert.equal(await store.change('a', { run: { state: 'done' }, from: ['running'] }), undefined);
    assert.equal(await store.change('x', { run: { state: 'done' } }), undefined);
    const changed = await store.change('a', {
      run: { state: 'running', result: undefined },
      events: [{ type: 'state', state: 'running' }],
      from: ['queued'],
    });
    assert.equal(changed?.run.state, 'running');
    assert.equal('result' in (changed?.run ?? {}), false);
    assert.deepEqual(await store.get('a'), changed?.run);
    assert.deepEqual(
      (await store.events(0, 10, 'a')).map(({ what }) => what),
      [
        { type: 'state', state: 'queued' },
        { type: 'state', state: 'running' },
      ],
    );
  },

  'stores output, events and how far it was read together, in order': async (open) => {
    const store = await withSession(open);
    const [first] = await store.take([intake('a', 0, 6, ['one', 'two'], [text('one')])]);
    assert.deepEqual(
      first?.outputs.map(({ sequence }) => sequence),
      [1, 2],
    );
    const [second] = await store.take([intake('a', 6, 9, ['thr'])]);
    assert.deepEqual(
      second?.outputs.map(({ sequence }) => sequence),
      [3],
    );
    assert.deepEqual(
      (await store.sessions('a')).map(({ offsets }) => offsets),
      [{ stdout: 9, stderr: 0 }],
    );
    const outputs = await store.outputs('a', { session: 0, sequence: 0 }, 10);
    assert.equal(outputs.map((output) => output.text).join(''), 'onetwothr');
    assert.deepEqual(
      (await store.outputs('a', { session: 1, sequence: 1 }, 1)).map((output) => output.text),
      ['two'],
    );
    const news = await store.news('a', 0, 100);
    const places = news.map((entry) => (entry.type === 'output' ? entry.output.place : entry.event.place));
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
    );
    assert.equal(new Set(places).size, places.length);
    assert.deepEqual(await store.news('a', places.at(-1) ?? 0, 100), []);
  },

  'refuses output that somebody else has read meanwhile, and nothing of it stays': async (open) => {
    const [one, other] = [await withSession(open), await open()];
    assert.notEqual((await one.take([intake('a', 0, 3, ['abc'])]))[0], undefined);
    assert.deepEqual(await other.take([intake('a', 0, 3, ['abc'], [text('abc')])]), [undefined]);
    assert.equal((await one.outputs('a', { session: 0, sequence: 0 }, 10)).length, 1);
    assert.deepEqual(await other.take([intake('none', 0, 3, ['abc'])]), [undefined]);
  },

  'keeps what a run has written when the run is forgotten, unless told otherwise': async (open) => {
    const store = await withSession(open);
    await store.take([intake('a', 0, 3, ['abc'])]);
    await store.remove('a', { output: false });
    assert.equal(await store.get('a'), undefined);
    assert.equal((await store.outputs('a', { session: 0, sequence: 0 }, 10)).length, 1);
    await store.remove('a', { output: true });
    assert.deepEqual(await store.news('a', 0, 10), []);
  },

  'keeps questions until they are answered, each once': async (open) => {
    const store = await withSession(open);
    const ask = [
      { id: 'q1', text: 'Which?', options: ['a', 'b'] },
      { id: 'q2', text: 'Why?' },
    ];
    await store.change('a', { run: { state: 'waiting' }, ask });
    assert.deepEqual(
      (await store.questions('a')).map(({ id }) => id),
      ['q1', 'q2'],
    );
    assert.equal(await store.answer('a', { q1: 'a', unknown: 'x' }), 1);
    assert.equal(await store.answer('a', { q1: 'b', q2: 'so' }), 0);
    assert.deepEqual(
      (await store.questions('a')).map(({ answer }) => answer),
      ['a', 'so'],
    );
  },

  'keeps messages first in, first out, and drops those that nobody will read': async (open) => {
    const store = await withSession(open);
    for (const message of ['one', 'two', 'three']) await store.addMessage('a', message);
    await store.change('a', { run: {}, sent: 1 });
    await store.change('a', { run: { state: 'failed' }, dropMessages: true });
    assert.deepEqual(
      (await store.messages('a')).map((message) => [message.number, message.text, message.state]),
      [
        [1, 'one', 'sent'],
        [2, 'two', 'dropped'],
        [3, 'three', 'dropped'],
      ],
    );
  },

  'keeps a wish until a change fulfils it': async (open) => {
    const store = await withSession(open);
    await store.wish('a', 'cancel');
    await store.wish('a', 'cancel');
    await store.wish('a', 'hijack');
    assert.equal(await store.change('a', { run: {}, fulfils: ['cancel'], from: ['done'] }), undefined);
    assert.equal((await store.wishes()).length, 2);
    await store.change('a', { run: { state: 'cancelled' }, fulfils: ['cancel'] });
    assert.deepEqual(await store.wishes(), [{ run: 'a', wish: 'hijack' }]);
    await store.forgetWish('a', 'hijack');
    assert.deepEqual(await store.wishes(), []);
  },

  'shows that somebody has changed it, also through another connection': async (open) => {
    const [one, other] = [await open(), await open()];
    const before = one.version();
    assert.equal(one.version(), before);
    const told = new Promise<void>((resolve) => {
      const stop = one.watch(() => {
        stop();
        resolve();
      });
    });
    await other.add(sampleRun('a'));
    await told;
    const between = one.version();
    assert.ok(between > before);
    await one.add(sampleRun('b'));
    assert.ok(one.version() > between);
  },

  'wakes who watches one run for what is written to its log, and not for that of others': async (open) => {
    const [one, other] = [await open(), await open()];
    for (const id of ['a', 'b']) await other.add(sampleRun(id));
    const woken = new Set<string>();
    const wait = (id: string) =>
      new Promise<void>((resolve) => {
        const stop = one.watch(() => {
          woken.add(id);
          stop();
          resolve();
        }, id);
      });
    // What was written before may still be on its way.
    await new Promise<void>((resolve) => {
      const stop = one.watch(() => (stop(), resolve()));
      void other.add(sampleRun('c'));
    });
    void wait('a');
    const told = wait('b');
    await other.change('b', { run: { state: 'waiting' }, events: [{ type: 'state', state: 'waiting' }] });
    await told;
    assert.deepEqual([...woken], ['b']);
    const toldOfOwn = wait('b');
    await one.change('b', { run: { state: 'queued' }, events: [{ type: 'state', state: 'queued' }] });
    await toldOfOwn;
  },

  'begins a session with the change that starts it, once': async (open) => {
    const store = await withSession(open);
    await store.change('a', { run: {}, begin: { ...sampleSession('a', 1), reason: 'retry' }, session: { pid: 7 } });
    const [session, ...others] = await store.sessions('a');
    assert.deepEqual([session?.reason, session?.pid, others.length], ['start', 7, 0]);
  },
};
