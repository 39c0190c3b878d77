/** The keeper with real processes: it starts, follows, ends. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from '@tenon/test-kit/processes';
import { putFiles } from '@tenon/test-kit/temporary';
import { until } from '@tenon/test-kit/waiting';
import { describe, expect, test } from 'vitest';
import { processesOf, processTable } from '../src/keeper/process-table.ts';
import { runFolder, scratchFolder, sessionFolder } from '../src/keeper/places.ts';
import type { Run } from '../src/run.ts';
import { fakeWorker } from './fake-worker.ts';
import { hijack } from '../src/commands/hijack.ts';
import { makeWorld, registryOf, SETTINGS, type World } from './world.ts';

const pidIn = (file: string) => Number(readFileSync(file, 'utf8'));

/** Kills a process, unless the keeper was faster. */
function kill(pid: number): void {
  if (isAlive(pid)) process.kill(pid, 'SIGKILL');
}

/** Whether anything that the run has started is left. */
async function leftovers({ id }: Run, session = 1) {
  return processesOf({ run: `${id}:${session}` }, await processTable());
}

const notices = async (world: World, run: Run) =>
  (await world.news(run)).flatMap((entry) =>
    entry.type === 'event' && entry.event.what.type === 'notice' ? [entry.event.what.message] : [],
  );

describe('a run', () => {
  test('is recorded, started, followed and done', async () => {
    const world = await makeWorld();
    const run = await world.start('say session abc; say text hello; say done');
    expect(run).toMatchObject({ state: 'queued', worker: 'fake', session: 0 });
    expect(run.alias).toMatch(/^[a-z]+-[a-z]+$/);
    const done = await world.reaches(run, 'done');
    expect(done).toMatchObject({
      cliSession: 'abc',
      result: { text: 'hello' },
      session: 1,
      usage: { input: 10, output: 1 },
    });
    expect(await world.output(run)).toBe('session abc\ntext hello\ndone\n');
    const states = world.told.events.flatMap(({ what }) => (what.type === 'state' ? [what.state] : []));
    expect(states).toEqual(['starting', 'running', 'done']);
    const [session] = await world.store.sessions(run.id);
    expect(session).toMatchObject({ number: 1, reason: 'start', exitCode: 0, pid: expect.any(Number) });
    expect(existsSync(scratchFolder(world.parts.folders.state, run.id, 1))).toBe(false);
  });

  test('tells output and events only after they are stored, each once', async () => {
    const world = await makeWorld();
    const run = await world.start('for i in 1 2 3 4 5; do say text $i; sleep 0.05; done; say done');
    await world.reaches(run, 'done');
    const stored = await world.store.outputs(run.id, { session: 0, sequence: 0 }, 1_000);
    expect(world.told.outputs).toEqual(stored);
    const events = await world.store.events(0, 1_000, run.id);
    // The first says that it was recorded, which nobody but the store has done.
    expect(world.told.events.map(({ place }) => place)).toEqual(events.slice(1).map(({ place }) => place));
  });

  test('is followed from its beginning to its end, output and events in order', async () => {
    const world = await makeWorld();
    const run = await world.start('say text one; sleep 0.3; say text two; say done');
    const seen: string[] = [];
    for await (const news of world.service.follow(run, { signal: AbortSignal.timeout(60_000) }))
      seen.push(
        news.type === 'output'
          ? news.output.text
          : news.event.what.type === 'state'
            ? `<${news.event.what.state}>`
            : '',
      );
    expect(seen.join('')).toBe('<queued><starting><running>text one\ntext two\ndone\n<done>');
  });

  test('has no input, its own mark, the folder of the request and no secret of others', async () => {
    const env = { PATH: process.env['PATH'], HOME: '/nowhere', FAKE_KEY: 'mine', OTHER_API_KEY: 'theirs', LANG: 'C' };
    const world = await makeWorld({ env });
    const run = await world.start('cat; pwd; env; say done', { env: { EXTRA: 'yes' } });
    await world.reaches(run, 'done');
    const output = await world.output(run);
    expect(output.split('\n')[0]).toBe(world.work);
    expect(output).toContain(`TENON_RUN=${run.id}:1\n`);
    for (const line of ['FAKE_KEY=mine', 'EXTRA=yes', 'HOME=/nowhere']) expect(output).toContain(`${line}\n`);
    expect(output).not.toContain('theirs');
    expect(readFileSync(join(runFolder(world.parts.folders.state, run.id), 'environment.json'), 'utf8')).not.toMatch(
      /mine|theirs/,
    );
  });

  test('waits in the queue while all slots are taken, oldest first', async () => {
    const world = await makeWorld({ settings: { ...SETTINGS, slots: 1 } });
    const order = join(world.base, 'order');
    const runs: Run[] = [];
    for (const name of ['a', 'b', 'c']) {
      runs.push(await world.start(`echo +${name} >>${order}; sleep 0.2; echo -${name} >>${order}; say done`));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    for (const run of runs) await world.reaches(run, 'done');
    expect(readFileSync(order, 'utf8').trim().split('\n')).toEqual(['+a', '-a', '+b', '-b', '+c', '-c']);
  });

  test('of a CLI that is not installed fails and says how to install it', async () => {
    const missing = { ...fakeWorker, spec: { ...fakeWorker.spec, program: 'missing', install: 'npm i -g fake' } };
    const world = await makeWorld({ registry: async () => registryOf(missing) });
    const failed = await world.reaches(await world.start(''), 'failed');
    expect(failed.error).toMatchObject({ fault: 'not-installed', message: expect.stringContaining('npm i -g fake') });
  });

  test('in a folder that is gone fails', async () => {
    const world = await makeWorld();
    const failed = await world.reaches(await world.start('say done', { cwd: join(world.base, 'gone') }), 'failed');
    expect(failed.error?.message).toContain('not there any more');
  });

  test('whose output is no text and cut inside of characters is stored whole', async () => {
    const world = await makeWorld();
    const run = await world.start(
      `printf 'a\\303'; sleep 0.2; printf '\\244 \\360\\237'; sleep 0.2; printf '\\230\\200 \\377 \\303'; sleep 0.2; say; say done`,
    );
    await world.reaches(run, 'done');
    expect(await world.output(run)).toBe('aä 😀 � �\ndone\n');
  });
});

describe('ending', () => {
  test('a cancelled run leaves no process behind, also none that has left its tree', async () => {
    const world = await makeWorld();
    const [child, orphan, stubborn] = ['child', 'orphan', 'stubborn'].map((name) => join(world.base, name));
    const run = await world.start(`
      sleep 1000 & echo $! >${child}
      (setsid sh -c 'echo $$ >${orphan}; exec sleep 1000' &) 
      sh -c 'trap "" TERM; echo $$ >${stubborn}; while :; do sleep 1; done' &
      say text ready; wait`);
    await until(async () => (await world.output(run)).includes('ready'));
    await until(() =>
      [child, orphan, stubborn].every((file) => existsSync(file ?? '') && readFileSync(file ?? '', 'utf8') !== ''),
    );
    const pids = [child, orphan, stubborn].map((file) => pidIn(file ?? ''));
    expect(pids.map(isAlive)).toEqual([true, true, true]);
    await world.service.cancel(run);
    const cancelled = await world.reaches(run, 'cancelled');
    expect(pids.map(isAlive)).toEqual([false, false, false]);
    expect(await leftovers(run)).toEqual([]);
    expect(cancelled.ended).toBeDefined();
    expect(await world.store.wishes()).toEqual([]);
    expect((await world.store.sessions(run.id))[0]).toMatchObject({ stoppedFor: 'cancel' });
  });

  test('what a worker leaves running when it is done is ended too', async () => {
    const world = await makeWorld();
    const file = join(world.base, 'pid');
    const run = await world.start(`sleep 1000 >/dev/null 2>&1 & echo $! >${file}; say done`);
    await world.reaches(run, 'done');
    expect(isAlive(pidIn(file))).toBe(false);
  });

  test('a run that is queued or waits is cancelled at once', async () => {
    const world = await makeWorld({ settings: { ...SETTINGS, slots: 1 } });
    const first = await world.start('sleep 1000');
    await world.reaches(first, 'running');
    const second = await world.start('say done');
    expect((await world.service.cancel(second)).state).toBe('cancelled');
    await world.service.cancel(first);
    await world.reaches(first, 'cancelled');
    expect((await world.store.sessions(second.id)).length).toBe(0);
  });

  test.each([
    ['timeout', { timeoutMs: 300 }, 'say text begin; sleep 1000'],
    ['idle-timeout', { idleTimeoutMs: 500 }, 'for i in 1 2 3; do say text $i; sleep 0.2; done; sleep 1000'],
    [
      'output-limit',
      { maxOutputBytes: 1000 },
      'while :; do say text aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; sleep 0.01; done',
    ],
    // It has ended by itself before anybody could end it.
    ['output-limit', { maxOutputBytes: 1000 }, 'say text begin; printf "%05000d\\n" 0; say done'],
  ] as const)('a worker that passes its limit (%s) is ended and the run has failed', async (fault, request, script) => {
    const world = await makeWorld();
    const run = await world.start(script, request);
    const failed = await world.reaches(run, 'failed');
    expect(failed.error?.fault).toBe(fault);
    expect(await leftovers(run)).toEqual([]);
    expect((await world.output(run)).length).toBeLessThanOrEqual(1000);
    expect(await world.output(run)).toContain('text');
  });

  test('a worker that somebody else kills is a failed run, and can be retried', async () => {
    const world = await makeWorld();
    const run = await world.start('say session s1; say text ready; sleep 1000', {
      resume: 'say text "$CLI_SESSION"; say done',
    });
    const { id } = await world.reaches(run, 'running');
    await until(async () => (await world.output(run)).includes('ready'));
    const [session] = await world.store.sessions(run.id);
    // The launcher first, so that nobody writes down how the worker ended.
    for (const pid of [session?.pid ?? 0, ...(await leftovers(run)).map((row) => row.pid)]) kill(pid);
    expect((await world.reaches(run, 'failed')).error?.fault).toBe('killed');
    const again = await world.service.retry(run);
    expect(again).toMatchObject({ attempt: 2, state: 'queued' });
    const done = await world.reaches(run, 'done');
    expect(done).toMatchObject({ id, attempt: 2, session: 2, result: { text: 's1' } });
    expect(done.error).toBeUndefined();
  });
});

describe('a keeper', () => {
  test('goes on with what another left: a worker that ran on, one that ended meanwhile, one that was never started', async () => {
    const world = await makeWorld({ ensureKeeper: async () => undefined });
    const { state } = world.parts.folders;
    const { keep } = await import('../src/keeper/keep.ts');
    const first = new AbortController();
    const runs = [
      await world.start(`say text a; while [ ! -e ${world.base}/go ]; do sleep 0.05; done; say text b; say done`),
      await world.start('say text a; sleep 0.5; say text b; say done'),
    ] as const;
    const keeping = keep(world.parts, first.signal);
    for (const run of runs) await until(async () => (await world.output(run)).includes('text a'));
    first.abort();
    await keeping;
    const third = await world.start('say text late; say done');
    await until(() => existsSync(join(sessionFolder(state, runs[1].id, 1), 'exit')));
    writeFileSync(join(world.base, 'go'), '');
    const second = keep(world.parts, AbortSignal.timeout(60_000));
    for (const run of runs) {
      await world.reaches(run, 'done');
      expect(await world.output(run)).toBe('text a\ntext b\ndone\n');
      const events = await world.store.events(0, 100, run.id);
      const texts = events.flatMap(({ what }) =>
        what.type === 'worker' && what.event.type === 'text' ? [what.event.text] : [],
      );
      expect(texts).toEqual(['a', 'b']);
    }
    await world.reaches(third, 'done');
    // It ends by itself when nothing is active.
    await second;
    expect(existsSync(join(state, 'runs', 'keeper.json'))).toBe(false);
  });

  test('that finds a session claimed by nobody alive says that it was killed', async () => {
    const world = await makeWorld({ ensureKeeper: async () => undefined });
    const run = await world.start('say done');
    const folder = sessionFolder(world.parts.folders.state, run.id, 1);
    await world.store.change(run.id, {
      run: { state: 'running', session: 1 },
      begin: { run: run.id, number: 1, attempt: 1, reason: 'start', started: new Date().toISOString() },
    });
    mkdirSync(join(folder, 'claim'), { recursive: true });
    writeFileSync(join(folder, 'pid'), '999999999 1\n');
    const { keep } = await import('../src/keeper/keep.ts');
    await keep(world.parts, AbortSignal.timeout(60_000));
    expect(await world.store.get(run.id)).toMatchObject({ state: 'failed', error: { fault: 'killed' } });
  });

  test('does not take a launcher for dead that is only slow to say who it is', async () => {
    const world = await makeWorld();
    // On a machine this busy it takes a minute to move a file.
    const slow = `case "$*" in */pid) touch -d '1 minute ago' "\${3%/pid}/claim"; sleep 2.5;; esac\nexec /bin/mv "$@"\n`;
    putFiles(world.base, { 'bin/mv': `#!/bin/sh\n${slow}` });
    chmodSync(join(world.base, 'bin/mv'), 0o755);
    const PATH = `${join(world.base, 'bin')}:${process.env['PATH']}`;
    const run = await world.start('say text one; say done', { env: { PATH } });
    await world.reaches(run, 'done');
    expect((await world.store.sessions(run.id)).length).toBe(1);
    expect(await world.output(run)).toBe('text one\ndone\n');
  });

  test('leaves the work to the one that is there', async () => {
    const world = await makeWorld();
    const run = await world.start('sleep 0.5; say done');
    await world.reaches(run, 'running');
    const { hasKeeper } = await import('../src/keeper/keep.ts');
    expect(await hasKeeper(world.parts.folders.state)).toBe(true);
    await world.reaches(run, 'done');
  });
});

describe('one broken part', () => {
  test('an adapter that cannot read its output breaks its own run alone, and its worker is ended', async () => {
    const broken = {
      ...fakeWorker,
      spec: { ...fakeWorker.spec, id: 'broken' },
      parser: () => ({
        push: () => {
          throw new Error('cannot read this');
        },
        end: () => {
          throw new Error('never');
        },
      }),
    };
    const world = await makeWorld({ registry: async () => registryOf(fakeWorker, broken) });
    const good = await world.start('sleep 1; say done');
    const bad = await world.start('say text x; sleep 1000', { worker: 'broken' });
    expect((await world.reaches(bad, 'failed')).error?.message).toBe('cannot read this');
    expect(await leftovers(bad)).toEqual([]);
    await world.reaches(good, 'done');
  });

  test('a run that is cancelled while its start hangs is cancelled', async () => {
    const hanging = {
      ...fakeWorker,
      prepare: () => new Promise<never>((_, reject) => setTimeout(() => reject(new Error('late')), 700)),
    };
    const world = await makeWorld({ registry: async () => registryOf(hanging) });
    const run = await world.start('say done');
    await world.reaches(run, 'starting');
    await world.service.cancel(run);
    await world.reaches(run, 'cancelled');
    expect(await world.store.wishes()).toEqual([]);
  });

  test('a keeper whose store fails for a moment begins anew and loses nothing', async () => {
    const world = await makeWorld();
    const take = world.store.take.bind(world.store);
    let failures = 2;
    Object.assign(world.store, {
      take: (...args: Parameters<typeof take>) =>
        failures-- > 0 ? Promise.reject(new Error('disk full')) : take(...args),
    });
    const run = await world.start('say text one; sleep 0.3; say text two; say done');
    await world.reaches(run, 'done');
    expect(await world.output(run)).toBe('text one\ntext two\ndone\n');
    expect(failures).toBeLessThan(0);
  });
});

describe('going on', () => {
  test('questions make a run wait; answers let it go on in the next session', async () => {
    const world = await makeWorld();
    const run = await world.start(
      `say session s1; signal '{"session":1,"status":"questions","questions":[{"id":"q1","text":"Which?"},{"id":"q2","text":"Why?"}]}'; say done`,
      { resume: `say text "$CLI_SESSION: $1"; signal '{"session":2,"status":"done","result":"chosen"}'` },
    );
    await world.reaches(run, 'waiting');
    expect((await world.service.details(run)).questions.map(({ id }) => id)).toEqual(['q1', 'q2']);
    expect((await world.service.answer(run, { q1: 'the blue one' })).state).toBe('waiting');
    await expect(world.service.answer(run, { q9: 'x' })).rejects.toMatchObject({ code: 'RUNS_NO_QUESTION' });
    await world.service.answer(run, { q2: 'because' });
    const done = await world.reaches(run, 'done');
    expect(done).toMatchObject({ session: 2, attempt: 1, result: { text: 'chosen' } });
    const output = await world.output(run);
    for (const part of ['s1: ', 'the blue one', 'because']) expect(output).toContain(part);
  });

  test('a worker that ends without a word is asked once more, and then has failed', async () => {
    const world = await makeWorld();
    const run = await world.start('say session s1; say text hm', { resume: 'say text again' });
    const failed = await world.reaches(run, 'failed');
    const sessions = await world.store.sessions(run.id);
    expect(sessions.map(({ reason }) => reason)).toEqual(['start', 'missing-signal']);
    expect(failed.error?.message).toContain('without saying');
  });

  test('a signal of an earlier session is not believed', async () => {
    const world = await makeWorld({ settings: { ...SETTINGS, missingSignalRetries: 0 } });
    const run = await world.start(`signal '{"session":7,"status":"done","result":"old"}'`);
    await world.reaches(run, 'failed');
    expect((await notices(world, run)).join()).toMatch(/session|stale/i);
  });

  test('messages are sent first in, first out, one session each, also those that come while it works', async () => {
    const world = await makeWorld();
    const run = await world.start('say session s1; sleep 0.3; say done', {
      resume: 'say text "<$1>"; sleep 0.1; say done',
    });
    for (const text of ['first', 'second', 'third']) await world.service.send(run, text);
    await until(async () => (await world.store.messages(run.id)).every(({ state }) => state === 'sent'));
    await world.reaches(run, 'done');
    const order = [...(await world.output(run)).matchAll(/first|second|third/g)].map(([word]) => word);
    expect([...new Set(order)]).toEqual(['first', 'second', 'third']);
    expect((await world.store.sessions(run.id)).map(({ reason }) => reason)).toEqual([
      'start',
      'message',
      'message',
      'message',
    ]);
  });

  test('an error drops the messages that wait, with one notice', async () => {
    const world = await makeWorld();
    const run = await world.start('say session s1; sleep 0.5; say error other it broke; exit 1');
    for (const text of ['first', 'second']) await world.service.send(run, text);
    await world.reaches(run, 'failed');
    expect((await world.store.messages(run.id)).map(({ state }) => state)).toEqual(['dropped', 'dropped']);
    expect((await notices(world, run)).filter((text) => text.includes('2 messages'))).toHaveLength(1);
  });

  test('an interactive run stays open for messages until it is cancelled', async () => {
    const world = await makeWorld();
    const run = await world.start('say session s1; say done', { resume: 'say text "$1"; say done', interactive: true });
    await world.reaches(run, 'waiting');
    await world.service.send(run, 'more');
    await until(async () => (await world.store.get(run.id))?.session === 2);
    await world.reaches(run, 'waiting');
    expect((await world.service.cancel(run)).state).toBe('cancelled');
  });

  test('hijack waits for the end of a tool call, stops the worker, and the run goes on afterwards', async () => {
    const world = await makeWorld();
    const release = join(world.base, 'release');
    const run = await world.start(
      `say session s1; say tool-start t1 bash; while [ ! -e ${release} ]; do sleep 0.05; done; say tool-end t1; sleep 1000`,
      { resume: 'say text back; say done' },
    );
    await until(async () => (await world.output(run)).includes('tool-start'));
    await world.store.wish(run.id, 'hijack');
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect((await world.store.get(run.id))?.state).toBe('running');
    writeFileSync(release, '');
    const hijacked = await world.reaches(run, 'hijacked');
    expect(hijacked.cliSession).toBe('s1');
    expect(await leftovers(run)).toEqual([]);
    expect((await world.service.release(run, 1)).state).toBe('hijacked');
    await world.service.release(run, 0);
    const done = await world.reaches(run, 'done');
    expect(done.result?.text).toBe('back');
  });

  test.each([
    'say done',
    'say error other x; exit 1',
    'signal \'{"session":1,"status":"questions","questions":[{"id":"a","text":"?"}]}\'',
  ])('a run that rests is as before when somebody has looked at its session: %s', async (script) => {
    const world = await makeWorld();
    const run = await world.start(`say session s1; ${script}`);
    const before = await world.reaches(run, 'done', 'failed', 'waiting');
    const target = await world.service.hijack(run, { signal: new AbortController().signal });
    expect(target).toMatchObject({ session: 's1', cwd: world.work });
    const said: string[] = [];
    const io = { err: async (text: string) => void said.push(text), out: async () => undefined };
    const call = { args: { run: run.alias }, flags: {}, io, signal: new AbortController().signal };
    expect(await hijack(world.service, call as never)).toBe(0);
    expect(said.join('')).toContain(`${run.alias} is ${before.state}, as before.`);
    expect(await world.store.get(run.id)).toEqual(before);
  });

  test('a session that was named beforehand is known also when the worker never told it', async () => {
    const { capabilities } = fakeWorker.spec;
    const naming = {
      ...fakeWorker,
      spec: { ...fakeWorker.spec, capabilities: { ...capabilities, presetSession: true } },
    };
    const world = await makeWorld({ registry: async () => registryOf(naming) });
    const run = await world.start('say text "$CLI_SESSION"; sleep 1000', {
      resume: 'say text "$CLI_SESSION"; say done',
    });
    await until(async () => (await world.output(run)).includes('text'));
    await world.service.cancel(run);
    const { cliSession } = await world.reaches(run, 'cancelled');
    expect(cliSession).toMatch(/^[0-9a-f-]{36}$/);
    expect(await world.output(run)).toContain(`text ${cliSession}\n`);
    await world.service.retry(run);
    expect((await world.reaches(run, 'done')).result?.text).toBe(cliSession);
  });

  test('a retry is warned of side effects by name and attempt', async () => {
    const world = await makeWorld();
    const run = await world.start(
      'say session s1; say tool-start t push; say tool-end t; say tool-start u zebra; say tool-end u; say error network no; exit 1',
      {
        resume: 'say text "$1" | tr "\\n" " "; say; say tool-start v send_mail; say error network no; exit 1',
      },
    );
    await world.reaches(run, 'failed');
    await world.service.retry(run);
    await until(async () => (await world.store.get(run.id))?.session === 2);
    await world.reaches(run, 'failed');
    await world.service.retry(run);
    await until(async () => (await world.store.get(run.id))?.session === 3);
    await world.reaches(run, 'failed');
    const [, second = '', third = ''] = await Promise.all(
      [1, 2, 3].map(async (session) =>
        (await world.store.outputs(run.id, { session: session - 1, sequence: 1e9 }, 1_000))
          .filter((output) => output.session === session)
          .map(({ text }) => text)
          .join(''),
      ),
    );
    expect(second).toContain('push');
    expect(second).not.toMatch(/zebra/);
    expect(third).toContain('push');
    expect(third).toContain('send_mail');
    expect(third).toMatch(/send_mail\W+.*2/s);
  });

  test('a failed run has what the probe found, corrected by what it ran into', async () => {
    const world = await makeWorld();
    const run = await world.start('say error rate-limit 429 too many requests; exit 1');
    const failed = await world.reaches(run, 'failed');
    expect(failed.diagnostics?.checks).toMatchObject([{ id: 'rate-limit', status: 'fail' }]);
  });
});
