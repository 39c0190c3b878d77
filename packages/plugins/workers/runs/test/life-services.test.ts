/** Runs with accounts, worktrees and validation around them. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Account, type Accounts, errors } from '@tenon/accounts/api';
import { type Folders } from '@tenon/host';
import { gitIn, gitRepository } from '@tenon/test-kit/git-repository';
import { separateFolders, startKernel, endKernel } from '@tenon/test-kit/kernel';
import { later, temporaryFolder } from '@tenon/test-kit/temporary';
import { until } from '@tenon/test-kit/waiting';
import type { Validation } from '@tenon/validation/api';
import { worktrees, type Worktrees } from '@tenon/worktrees/api';
import { cliCommands } from '@tenon/command-line/api';
import { describe, expect, test } from 'vitest';
import { fakeWorker } from './fake-worker.ts';
import { makeWorld, registryOf, type World } from './world.ts';

/** Accounts as the service gives them: the one used longest ago first. */
function accountsOf(...ids: readonly string[]) {
  const exhausted = new Map<string, { until: Date; reason: string }>();
  const recorded: unknown[] = [];
  let used: string[] = [];
  let released = 0;
  const account = (id: string): Account => ({
    id,
    vendor: 'fake',
    label: id,
    kind: 'api-key',
    added: '',
    usage: { runs: 0, input: 0, output: 0, cost: 0 },
    limits: [],
    isEnabled: true,
  });
  const unused = () => Promise.reject(new Error('not part of this test'));
  const service: Accounts = {
    add: unused,
    remove: unused,
    enable: unused,
    list: async () => ids.map(account),
    async next(_, { except = [] } = {}) {
      const free = ids
        .filter((id) => !except.includes(id) && !exhausted.has(id))
        .toSorted((a, b) => used.indexOf(a) - used.indexOf(b));
      const [id] = free;
      if (id === undefined) throw errors.create('ACCOUNTS_EXHAUSTED', { vendor: 'fake', until: 'noon' });
      return account(id);
    },
    async inject({ id }) {
      used = [...used.filter((name) => name !== id), id];
      return { env: { FAKE_KEY: `key-of-${id}` }, folders: [], secrets: [], release: async () => void released++ };
    },
    secrets: async () => [],
    async markExhausted(id, until_, reason) {
      exhausted.set(id, { until: until_, reason });
    },
    async record(id, seen) {
      recorded.push([id, seen]);
    },
  };
  return { service, exhausted, recorded, releases: () => released };
}

describe('accounts', () => {
  test('a limit lets the run go on with the next account, and the first one rests until the vendor says', async () => {
    const { service, exhausted, recorded, releases } = accountsOf('one', 'two');
    const world = await makeWorld({
      accounts: async () => service,
      env: { PATH: process.env['PATH'], FAKE_KEY: 'the-users-own' },
    });
    const script = `say session s1; say "text $FAKE_KEY"; say limit 0.02; [ "$FAKE_KEY" = key-of-two ] || { say error rate-limit 429; exit 1; }; say done`;
    const run = await world.start(script, { resume: script });
    const done = await world.reaches(run, 'done');
    expect(done).toMatchObject({
      account: 'two',
      failedAccounts: ['one'],
      result: { text: 'key-of-two' },
      attempt: 1,
      session: 2,
    });
    expect([...exhausted.keys()]).toEqual(['one']);
    expect(await world.output(run)).not.toContain('the-users-own');
    const switched = (await world.store.events(0, 100, run.id)).flatMap(({ what }) =>
      what.type === 'account-switched' ? [what] : [],
    );
    expect(switched).toEqual([{ type: 'account-switched', from: 'one', to: 'two', reason: '429' }]);
    expect((await world.store.sessions(run.id)).map(({ account, reason }) => [account, reason])).toEqual([
      ['one', 'start'],
      ['two', 'account'],
    ]);
    expect(recorded).toMatchObject([
      ['one', { usage: { input: 10 }, limits: [{ window: '5h', left: 0.02 }] }],
      ['two', {}],
    ]);
    expect(releases()).toBe(2);
  });

  test('what headers say to the probe is kept with the account, so that the next run takes another one in time', async () => {
    const { service, recorded } = accountsOf('one');
    const windows = [
      { window: 'tokens', remaining: 10, limit: 1000, resetsAt: '2026-01-01T00:00:00.000Z' },
      { window: 'requests', remaining: 0 },
      { window: 'unknown', remaining: 5 },
    ];
    const registry = registryOf(fakeWorker);
    const diagnose = async () => ({
      worker: 'fake',
      at: '',
      checks: [{ id: 'rate-limit' as const, status: 'pass' as const, message: '', detail: { windows } }],
    });
    const world = await makeWorld({ accounts: async () => service, registry: async () => ({ ...registry, diagnose }) });
    await world.reaches(await world.start('say done'), 'done');
    const limits = [
      { window: 'tokens', left: 0.01, resetsAt: '2026-01-01T00:00:00.000Z' },
      { window: 'requests', left: 0 },
    ];
    await until(() => JSON.stringify(recorded).includes(JSON.stringify(['one', { limits }])), 'the limits');
  });

  test('a CLI that waits out a limit is ended when another account is free, and left alone when none is or it gets somewhere', async () => {
    const { service, exhausted } = accountsOf('one', 'two');
    const world = await makeWorld({ accounts: async () => service });
    const waits = 'say retry rate-limit 429; say retry rate-limit 429; sleep 1000';
    const script = `say session s1; [ "$FAKE_KEY" = key-of-two ] || { ${waits}; }; say text ok; say done`;
    const done = await world.reaches(await world.start(script, { resume: script }), 'done');
    expect(done).toMatchObject({ account: 'two', failedAccounts: ['one'], session: 2 });
    expect((await world.store.sessions(done.id))[0]).toMatchObject({ stoppedFor: 'account-limit' });
    expect([...exhausted.keys()]).toEqual(['one']);
    const again = 'say retry rate-limit 429; say text on; say retry rate-limit 429; sleep 3; say text ok; say done';
    const alone = await world.start(again, { account: 'two' });
    expect(await world.reaches(alone, 'done')).toMatchObject({ session: 1, result: { text: 'ok' } });
    const patient = `${waits.replace('1000', '3')}; say text late; say done`;
    expect(await world.reaches(await world.start(patient, { account: 'two' }), 'done')).toMatchObject({ session: 1 });
  });

  test('when all accounts are used up the run has failed, with both reasons', async () => {
    const { service } = accountsOf('one', 'two');
    const world = await makeWorld({ accounts: async () => service });
    const script = 'say error quota no credit; exit 1';
    const failed = await world.reaches(await world.start(script, { resume: script }), 'failed');
    expect(failed.error).toMatchObject({ fault: 'quota', message: expect.stringMatching(/no credit.*used up/s) });
    expect(failed.session).toBe(2);
  });

  test('a run that names its account does not switch', async () => {
    const { service } = accountsOf('one', 'two');
    const world = await makeWorld({ accounts: async () => service });
    const failed = await world.reaches(await world.start('say error auth 401; exit 1', { account: 'one' }), 'failed');
    expect(failed).toMatchObject({ account: 'one', session: 1 });
  });
});

async function realWorktrees(base: string): Promise<Worktrees> {
  const places: Folders = separateFolders(base);
  const kernel = await startKernel({ folders: places, plugins: ['worktrees', 'settings'], defines: [cliCommands] });
  later(() => endKernel(kernel));
  return kernel.find(worktrees);
}

describe('worktrees', () => {
  test('a run in a worktree changes nothing in the checkout; one that did nothing leaves none', async () => {
    const base = temporaryFolder('runs');
    const service = await realWorktrees(base);
    const world = await makeWorld({ worktrees: async () => service }, base);
    const repository = join(base, 'shop');
    gitRepository(repository, { 'a.txt': 'one\n', 'src/b.txt': 'two\n' });
    const run = await world.start('pwd; echo new >c.txt; say session s; say done', {
      cwd: join(repository, 'src'),
      worktree: true,
      resume: 'ls; say done',
    });
    const done = await world.reaches(run, 'done');
    expect(done.worktree).toMatchObject({ name: run.alias });
    expect(done.folder).toBe(join(done.worktree?.folder ?? '', 'src'));
    expect(await world.output(run)).toContain(`${done.folder}\n`);
    expect(gitIn(repository, 'status', '--porcelain')).toBe('');
    // It goes on in the same worktree.
    await world.service.send(run, 'more');
    await until(async () => (await world.store.get(run.id))?.session === 2);
    await world.reaches(run, 'done');
    expect(await world.output(run)).toContain('c.txt');
    const idle = await world.start('say done', { cwd: repository, worktree: true });
    await world.reaches(idle, 'done');
    expect((await service.list(repository)).map(({ name }) => name)).toEqual([run.alias]);
    expect(await world.service.remove(run)).toEqual({ kept: [done.worktree?.folder] });
    expect(existsSync(join(done.folder, 'c.txt'))).toBe(true);
  });

  test.each([
    ['without validation', false],
    ['with validation', true],
  ])('whoever hears that a run is done that changed nothing hears of no worktree, %s', async (_name, validate) => {
    const base = temporaryFolder('runs');
    const service = await realWorktrees(base);
    const heard: unknown[] = [];
    const world: World = await makeWorld(
      {
        worktrees: async () => service,
        validation: async () => ({}) as Validation,
        async tell({ events }) {
          for (const { run, what } of events)
            if (what.type === 'state' && what.state === 'done') heard.push(await world.store.get(run));
        },
      },
      base,
    );
    const repository = join(base, 'shop');
    gitRepository(repository, { 'a.txt': 'one\n' });
    const run = await world.start('say done', { cwd: repository, worktree: true, validate });
    await world.reaches(run, 'done');
    await until(() => heard.length === 1, 'the news that it is done');
    expect(heard).toEqual([expect.objectContaining({ id: run.id, folder: repository })]);
    expect(heard[0]).not.toHaveProperty('worktree');
    expect(await service.list(repository)).toEqual([]);
  });

  test('a second run in the same folder gets a worktree by itself; outside of a repository it goes without', async () => {
    const base = temporaryFolder('runs');
    const service = await realWorktrees(base);
    const world = await makeWorld({ worktrees: async () => service }, base);
    const repository = join(base, 'shop');
    gitRepository(repository, { 'a.txt': 'one\n' });
    const first = await world.start('sleep 1000', { cwd: repository, worktree: 'auto' });
    await world.reaches(first, 'running');
    const second = await world.start('echo x >x; say done', { cwd: repository, worktree: 'auto' });
    expect((await world.reaches(second, 'done')).worktree?.name).toBe(second.alias);
    await world.service.cancel(first);
    expect((await world.reaches(first, 'cancelled')).worktree).toBeUndefined();
    const plain = await world.start('say done', { worktree: 'auto', task: 'Review this branch' });
    expect((await world.reaches(plain, 'done')).worktree).toBeUndefined();
  });
});

describe('validation', () => {
  const step = (cwd: string, ...argv: string[]) => ({ title: argv.join(' '), argv, cwd });

  function validationOf(
    code: number,
    during: (signal: AbortSignal) => Promise<void> = async () => undefined,
  ): Validation {
    return {
      plan: async ({ cwd }) => ({ by: 'simple', root: cwd, reason: 'a test', steps: [step(cwd, 'make')] }),
      async run(plan, { signal, output }) {
        output?.('building\n');
        await during(signal);
        const state = signal.aborted ? 'cancelled' : code === 0 ? 'passed' : 'failed';
        return { state, plan, steps: plan.steps.map((entry) => ({ ...entry, code, durationMs: 1, tail: '' })) };
      },
    };
  }

  test.each([
    [0, 'passed'],
    [1, 'failed'],
  ] as const)('its result (%i) is part of a run that is done, and its output of the log', async (code, state) => {
    const world = await makeWorld({ validation: async () => validationOf(code) });
    const run = await world.start('say text did it; say done');
    const done = await world.reaches(run, 'done');
    expect(done).toMatchObject({ result: { text: 'did it' }, validation: { state } });
    const outputs = await world.store.outputs(run.id, { session: 0, sequence: 0 }, 100);
    expect(outputs.at(-1)).toMatchObject({ stream: 'validation', text: 'building\n' });
    const events = (await world.store.events(0, 100, run.id)).flatMap(({ what }) =>
      what.type === 'state' ? [what.state] : what.type === 'validation' ? [what.state] : [],
    );
    expect(events.slice(-3)).toEqual(['validating', state, 'done']);
  });

  test('is left out when the request says so, and can be cancelled', async () => {
    const waiting = (signal: AbortSignal) =>
      new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    const world = await makeWorld({ validation: async () => validationOf(0, waiting) });
    const plain = await world.start('say done', { validate: false });
    expect((await world.reaches(plain, 'done')).validation).toBeUndefined();
    const run = await world.start('say done');
    await until(async () => (await world.output(run)).includes('building'));
    await world.service.cancel(run);
    expect((await world.reaches(run, 'cancelled')).validation?.state).toBe('cancelled');
  });

  test('that breaks does not undo what the worker did', async () => {
    const broken: Validation = { ...validationOf(0), plan: () => Promise.reject(new Error('no plan')) };
    const world = await makeWorld({ validation: async () => broken });
    const run = await world.start('say done');
    await world.reaches(run, 'done');
    const news = await world.news(run);
    expect(JSON.stringify(news)).toContain('no plan');
  });
});
