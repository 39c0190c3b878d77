/** Hosts as processes: killed, frozen, drained, cut off from their database. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Kernel } from '@tenon/kernel';
import { ENDED_STATES, type Run, type RunRequest, runs, type Runs } from '@tenon/runs/api';
import { buildProgram } from '@tenon/test-kit/built-program';
import { runCommand } from '@tenon/test-kit/command-run';
import { endKernel } from '@tenon/test-kit/kernel';
import { later, temporaryFolder } from '@tenon/test-kit/temporary';
import { patientLimit, until } from '@tenon/test-kit/waiting';
import { beforeAll, describe, expect, test } from 'vitest';
import { fleet, type FleetStatus } from '../src/api.ts';
import { Database } from '../src/database/database.ts';
import { startPlace } from './place.ts';
import { POSTGRES, type Server, startPostgres } from './postgres.ts';

const LIMIT = patientLimit(240_000);
const HOUR = 3_600_000;

/** One that has ended and waits for its parent does not count. */
function isRunning(pid: string): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false; // It is gone.
  }
}

describe.skipIf(POSTGRES === undefined)('hosts of a fleet', () => {
  let program: string;
  let server: Server;
  let kernel: Kernel;
  let service: Runs;
  let base: string;
  let work: string;

  beforeAll(async () => {
    base = temporaryFolder('fleet');
    [server, program] = await Promise.all([
      startPostgres(base),
      buildProgram(join(import.meta.dirname, 'host-program.ts'), {
        plugins: ['command-line', 'settings', 'tools', 'workers', 'runs', 'fleet'],
      }),
    ]);
    later(() => server.stop());
    const place = await startPlace(join(base, 'desk'));
    ({ kernel } = place);
    later(() => endKernel(kernel));
    work = place.folders.cwd;
    service = await kernel.find(runs);
    const url = server.url.replace('tenon@', 'tenon:a-password@');
    const { out, err } = await runCommand(kernel, 'fleet init', { flags: { postgres: url } });
    expect(out + err).not.toContain('a-password');
    const file = join(place.folders.data, 'fleet-credentials.json');
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain('a-password');
  }, LIMIT);

  const status = async (): Promise<FleetStatus> => (await kernel.find(fleet)).status();
  const hostNamed = async (name: string) => (await status()).hosts.find((host) => host.name === name);

  /** A host in a process of its own, ready to take runs. */
  async function startHost(name: string, slots = 4, labels = '', mode = '', skewMs = 0): Promise<ChildProcess> {
    const folder = join(base, name);
    const data = join(folder, 'data');
    mkdirSync(data, { recursive: true });
    writeFileSync(
      join(data, 'fleet-credentials.json'),
      readFileSync(join(base, 'desk', 'data', 'fleet-credentials.json')),
    );
    const clock = skewMs === 0 ? [] : ['--require', join(import.meta.dirname, 'skewed-clock.cjs')];
    const child = spawn(process.execPath, [...clock, program, folder, name, String(slots), labels, mode], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, SKEW_MS: String(skewMs) },
    });
    later(async () => {
      child.kill('SIGCONT');
      await killed(child);
    });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
    await until(() => said.includes('takes runs') || child.exitCode !== null, `${name} being ready`);
    expect(child.exitCode).toBeNull();
    return child;
  }

  async function killed(child: ChildProcess): Promise<void> {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await ended;
  }

  const start = (script: string, more: Partial<RunRequest> & { readonly resume?: string } = {}) => {
    const { resume, ...request } = more;
    const options = { script, ...(resume !== undefined && { resume }) };
    return service.start({
      task: 'do it',
      cwd: work,
      worker: 'fake',
      queue: 'fleet',
      validate: false,
      options,
      ...request,
    });
  };

  async function reaches(run: Run, ...states: readonly Run['state'][]): Promise<Run> {
    let now = run;
    await until(
      async () => {
        now = (await service.details(run)).run;
        if (now.state === 'failed' && !states.includes('failed')) throw new Error(`failed: ${now.error?.message}`);
        return states.includes(now.state);
      },
      `the run becoming ${states.join(' or ')}`,
      60_000,
    );
    return now;
  }

  const output = async (run: Run): Promise<string> => {
    let text = '';
    for await (const news of service.follow(run, { signal: AbortSignal.timeout(LIMIT), live: false }))
      if (news.type === 'output') text += news.output.text;
    return text;
  };

  const lines = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []);

  test(
    'a run goes to a host with its files, and its changes come back when they are taken over',
    async () => {
      const git = (...args: string[]) => execFileSync('git', ['-C', work, ...args], { encoding: 'utf8' });
      git('init', '-q', '-b', 'main');
      writeFileSync(join(work, 'kept.txt'), 'one\n');
      git('add', '.');
      git('-c', 'user.name=a', '-c', 'user.email=a@localhost', 'commit', '-q', '-m', 'first');
      writeFileSync(join(work, 'open.txt'), 'not committed\n');
      mkdirSync(join(work, 'below'));
      writeFileSync(join(work, 'below', 'x'), 'x\n');
      let host = await startHost('alpha');
      const run = await start('pwd; cat ../open.txt; echo two >>../kept.txt; echo new >made.txt; say done', {
        cwd: join(work, 'below'),
      });
      const done = await reaches(run, 'done');
      expect(done.host).toBe('alpha');
      const said = await output(run);
      expect(said).toContain(join(base, 'alpha'));
      expect(said).toContain('not committed');
      expect((await service.list({ cwd: work })).map(({ id }) => id)).toContain(run.id);
      expect(await service.find(run.alias)).toMatchObject({ id: run.id, state: 'done' });
      expect(readFileSync(join(work, 'kept.txt'), 'utf8')).toBe('one\n');
      const { files } = await service.apply(done);
      expect(files.toSorted()).toEqual(['below/made.txt', 'kept.txt']);
      expect(readFileSync(join(work, 'kept.txt'), 'utf8')).toBe('one\ntwo\n');
      expect(readFileSync(join(work, 'below', 'made.txt'), 'utf8')).toBe('new\n');
      expect((await service.diff(done))?.text).toContain('+two');
      // Nothing of it stays on the host.
      await until(() => !existsSync(join(base, 'alpha', 'state', 'fleet', 'alpha', 'work', run.id)));
      await expect(service.candidate(done)).rejects.toMatchObject({ code: 'RUNS_ELSEWHERE' });

      // Killed and begun anew at once, it finds the worker, which ran on, and reads the rest.
      const lasting = await start('say one; sleep 3; say two; say done');
      await until(async () => (await output(lasting)).includes('one'));
      await killed(host);
      host = await startHost('alpha');
      await reaches(lasting, 'done');
      expect((await service.details(lasting)).sessions).toHaveLength(1);
      expect(await output(lasting)).toBe('one\ntwo\ndone\n');

      // Drained by name, it finishes what it has and leaves; what comes later waits for another.
      const slow = await start('sleep 1; say done');
      await until(async () => (await hostNamed('alpha'))?.runs === 1);
      await runCommand(kernel, 'fleet drain', { args: { host: 'alpha' } });
      const later_ = await start('say done');
      await until(() => host.exitCode !== null, 'the host leaving');
      expect(host.exitCode).toBe(0);
      expect((await service.details(slow)).run.state).toBe('done');
      expect((await service.details(later_)).run.state).toBe('queued');
      expect((await status()).hosts).toEqual([]);
      await service.cancel(later_);
    },
    LIMIT,
  );

  test(
    'questions hold no slot; labels and limits decide where and when; cancelling ends grandchildren',
    async () => {
      await startHost('beta', 2, 'gpu');
      const ask = `say session s1; signal '{"status":"questions","questions":[{"id":"q","text":"Which?"}]}'; say done`;
      const waiting = await Promise.all(
        Array.from({ length: 5 }, () => start(ask, { resume: 'say resumed; say done' })),
      );
      for (const run of waiting) await reaches(run, 'waiting');
      const other = await start('say done');
      await reaches(other, 'done');
      const [first] = waiting;
      if (first) {
        await service.answer(first, { q: 'this' });
        await reaches(first, 'done');
        expect(await output(first)).toContain('resumed');
      }
      await runCommand(kernel, 'fleet limit', { args: { key: 'account:one', number: '1' } });
      const log = join(base, 'limited');
      const limited = `echo + >>${log}; sleep 0.3; echo - >>${log}; say done`;
      const many = await Promise.all(Array.from({ length: 4 }, () => start(limited, { account: 'one' })));
      const elsewhere = await start('say done', { labels: ['arm'] });
      // The account does not exist on the host: each begins alone, and fails alone.
      for (const run of many) await reaches(run, 'failed', 'done');
      expect((await service.details(elsewhere)).run.state).toBe('queued');
      expect((await status()).waiting).toBe(1);
      await startHost('gamma', 1, 'arm', 'strict');
      expect((await reaches(elsewhere, 'done')).host).toBe('gamma');
      // What would reach beyond the sandbox of the host is refused there, whatever the desk says.
      for (const more of [{ sandbox: 'off' as const }, { env: { LD_PRELOAD: '/tmp/x.so' } }]) {
        const refused = await reaches(await start('say done', { labels: ['arm'], ...more }), 'failed');
        expect(refused.error?.message).toContain('without a sandbox');
      }
      // Nor does it hand out its own files to who can write to the database.
      await runCommand(kernel, 'fleet limit', { args: { key: 'label:arm', number: '0' } });
      const forged = await start('cat "$TENON_EXCHANGE"/context/*; say done', { labels: ['arm'] });
      const database = new Database({ url: server.url, patienceMs: 10_000, connections: 1 });
      await database.rows(
        `UPDATE tenon_fleet.run SET body = jsonb_set(body::jsonb, '{request,context}', '["/etc/passwd"]')::text WHERE id = $1`,
        [forged.id],
      );
      await database.close();
      await runCommand(kernel, 'fleet limit', { args: { key: 'label:arm', number: 'none' } });
      expect((await reaches(forged, 'failed')).error?.message).toContain('names files of the host gamma');

      const pids = join(base, 'pids');
      const tree = await start(
        `trap '' TERM; say session s2; (setsid sh -c 'trap "" TERM; echo $$ >>${pids}; while :; do sleep 0.1; done' & ) ; echo $$ >>${pids}; while :; do sleep 0.1; done`,
      );
      await until(() => lines(pids).length === 2);
      await service.cancel(tree);
      await reaches(tree, 'cancelled');
      expect(lines(pids).filter(isRunning)).toEqual([]);
    },
    LIMIT,
  );

  test(
    'killed, frozen and without its database, hosts lose no run and end none twice',
    async () => {
      const [one, two] = [await startHost('one', 3), await startHost('two', 3)];
      const log = join(base, 'ends');
      const began = join(base, 'began');
      const script = `echo $TENON_RUN >>${began}; say a; sleep 2; echo $TENON_RUN >>${log}; say done`;
      const all = await Promise.all(Array.from({ length: 12 }, () => start(script)));
      let onOne: readonly Run[] = [];
      await until(async () => {
        onOne = (await service.list({ states: ['running'] })).filter(({ host }) => host === 'one');
        return onOne.length > 0;
      }, 'the first host being at work');
      await killed(one);
      // The other one is frozen for as long as it takes to be missed, while a third takes over.
      await startHost('three', 3);
      await until(async () => (await hostNamed('one'))?.state === 'lost', 'the killed host being missed', 60_000);
      await until(async () => (await hostNamed('two'))?.runs === 3, 'the second host being full');
      two.kill('SIGSTOP');
      await until(async () => (await hostNamed('two'))?.state === 'lost', 'the frozen host being missed', 60_000);
      await server.crash();
      two.kill('SIGCONT');
      for (const run of all) await reaches(run, 'done');
      await until(async () => (await hostNamed('two'))?.state === 'live', 'the frozen host coming back');
      for (const run of all) {
        const { sessions, run: now } = await service.details(run);
        expect(now.state).toBe('done');
        // Every session that was begun is over, and only the last one has come to its end by itself.
        expect(sessions.every(({ ended }) => ended !== undefined)).toBe(true);
        expect(sessions.slice(0, -1).every(({ exitSignal }) => exitSignal === 'LOST')).toBe(true);
        const ends: string[] = [];
        for await (const news of service.follow(run, { signal: AbortSignal.timeout(LIMIT), live: false }))
          if (news.type === 'event' && news.event.what.type === 'state' && ENDED_STATES.includes(news.event.what.state))
            ends.push(news.event.what.state);
        expect(ends).toEqual(['done']);
        // A session whose end was stored never began again.
        for (const { number, exitSignal } of sessions)
          if (exitSignal !== 'LOST')
            expect(lines(began).filter((line) => line === `${run.id}:${number}`)).toHaveLength(1);
      }
      for (const { id } of onOne) expect((await service.find(id)).host).not.toBe('one');
      expect((await status()).waiting).toBe(0);
    },
    LIMIT,
  );

  test(
    'hosts whose clocks are hours wrong do their runs, are not missed while they live, and are when they die',
    async () => {
      const labels = 'skewed';
      const ahead = await startHost('ahead', 2, labels, '', 5 * HOUR);
      await startHost('behind', 2, labels, '', -5 * HOUR);
      const began = join(base, 'skewed');
      const script = (seconds: number) => `echo $TENON_RUN >>${began}; say a; sleep ${seconds}; say done`;
      // Longer than it takes to be missed; a limit of time that is counted by one clock is not passed.
      const all = await Promise.all(
        Array.from({ length: 4 }, () => start(script(9), { labels: [labels], timeoutMs: HOUR, idleTimeoutMs: HOUR })),
      );
      for (const run of all) await reaches(run, 'done');
      const hosts = await Promise.all(all.map(async (run) => (await service.details(run)).run.host));
      expect(new Set(hosts)).toEqual(new Set(['ahead', 'behind']));
      // Nobody was taken for dead: each began once.
      expect(lines(began)).toHaveLength(all.length);
      for (const run of all) expect((await service.details(run)).sessions).toHaveLength(1);

      const next = await Promise.all(Array.from({ length: 4 }, () => start(script(3), { labels: [labels] })));
      await until(async () => (await hostNamed('ahead'))?.runs === 2, 'the first host being full');
      await killed(ahead);
      for (const run of next) expect((await reaches(run, 'done')).host).toBe('behind');
      expect((await hostNamed('ahead'))?.state).toBe('lost');
    },
    LIMIT,
  );
});
