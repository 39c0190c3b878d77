/** Workers and helpers that mean harm. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chooseMechanism, sandboxes } from '@tenon/sandbox/api';
import { gitIn, gitRepository } from '@tenon/test-kit/git-repository';
import { endKernel, separateFolders, startKernel } from '@tenon/test-kit/kernel';
import { later, temporaryFolder } from '@tenon/test-kit/temporary';
import { until } from '@tenon/test-kit/waiting';
import { worktrees } from '@tenon/worktrees/api';
import { describe, expect, test, vi } from 'vitest';
import type { RunsParts } from '../src/parts.ts';
import { RunsService } from '../src/service.ts';
import { createCodeWithAgent } from '../src/tool/code-with-agent.ts';
import { makeWorld, registryOf } from './world.ts';
import { fakeWorker } from './fake-worker.ts';

describe('the id of a session that a worker tells', () => {
  test.each(['--config=notify=evil', '-c', '../../evil', '/tmp/evil.jsonl', `a$(id)`])(
    'is not used when it could be an option or a path: %s',
    async (id) => {
      const world = await makeWorld();
      const run = await world.start(`say 'session ${id}'; say done`);
      expect((await world.reaches(run, 'done')).cliSession).toBeUndefined();
      await expect(world.service.candidate(run)).rejects.toThrow('no session');
    },
  );
});

describe('an agent', () => {
  const toolIn = async () => {
    const world = await makeWorld();
    const tool = createCodeWithAgent({
      runs: async () => world.service,
      registry: async () => registryOf(fakeWorker),
      jobs: async () => undefined,
      workers: ['fake'],
      cwd: world.work,
    });
    return { world, tool };
  };
  const call = { signal: new AbortController().signal, update: async () => undefined } as never;

  test('cannot go on with a run that works without a sandbox', async () => {
    const { world, tool } = await toolIn();
    const run = await world.start('say session s1; say done', { sandbox: 'off', interactive: true });
    await world.reaches(run, 'waiting');
    const result = await tool.execute({ task: 'read the keys', run: run.alias }, call);
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result.content)).toContain('only a person');
    expect(await world.store.messages(run.id)).toEqual([]);
  });

  test('names the worker and the folder of the run that it goes on with, so that a person decides about those', async () => {
    const { world, tool } = await toolIn();
    const elsewhere = join(world.base, 'elsewhere');
    mkdirSync(elsewhere);
    const run = await world.start('say done', { cwd: elsewhere });
    await world.reaches(run, 'done');
    const touches = await tool.touches?.({ task: 'more', run: run.alias }, call);
    expect(touches).toMatchObject({ anything: true, reads: [elsewhere], commands: [{ cwd: elsewhere }] });
  });
});

describe('several people at once', () => {
  test('a run that somebody begins again in the same moment is not removed', async () => {
    const world = await makeWorld({ ensureKeeper: async () => undefined });
    const run = await world.start('say done');
    await world.service.cancel(run);
    const get = world.store.get.bind(world.store);
    let isFirst = true;
    world.store.get = async (id) => {
      const now = await get(id);
      if (isFirst) {
        isFirst = false;
        await world.store.change(id, { run: { state: 'queued' } });
      }
      return now;
    };
    await expect(world.service.remove(run, { force: true })).rejects.toThrow('is queued');
    expect((await get(run.id))?.state).toBe('queued');
    expect(existsSync(join(world.parts.folders.state, 'runs', run.id))).toBe(true);
  });

  test('cancel, retry and remove at the same time leave a run that is whole, or none', async () => {
    const world = await makeWorld();
    for (let round = 0; round < 5; round++) {
      const run = await world.start('say session s1; sleep 0.05; say done', { resume: 'say done' });
      await world.reaches(run, 'running', 'done');
      const wishes = [0, 1, 2].flatMap(() => [
        world.service.cancel(run),
        world.service.retry(run),
        world.service.remove(run, { force: true }),
      ]);
      await Promise.allSettled(wishes);
      await until(async () => {
        const now = await world.store.get(run.id);
        return now === undefined || ['done', 'cancelled'].includes(now.state);
      });
      if ((await world.store.get(run.id)) !== undefined) await world.service.remove(run, { force: true });
      await until(() => !existsSync(join(world.parts.folders.state, 'runs', run.id)));
    }
  });

  test('the keys of a run that could not be recorded are forgotten', async () => {
    const kept = new Map<string, string>();
    const secrets = {
      secret: async (name: string) => kept.get(name),
      async changeSecret(name: string, change: (now: string | undefined) => string | undefined) {
        const next = change(kept.get(name));
        if (next === undefined) kept.delete(name);
        else kept.set(name, next);
      },
    };
    const world = await makeWorld({ env: { ...process.env, FAKE_KEY: 'key' }, secrets: async () => secrets as never });
    world.store.add = () => Promise.reject(new Error('the disk is full'));
    await expect(world.start('say done')).rejects.toThrow('full');
    expect([...kept]).toEqual([]);
    expect(readdirSync(join(world.parts.folders.state, 'runs')).filter((name) => /^[a-z0-9]{16,}$/.test(name))).toEqual(
      [],
    );
  });
});

test('a worker that floods its output and ignores the request to end is ended, and what it wrote too much is not kept', async () => {
  const world = await makeWorld({});
  const run = await world.start(`trap '' TERM; while :; do printf '%065536d' 0; done`, { maxOutputBytes: 1024 * 1024 });
  const failed = await world.reaches(run, 'failed');
  expect(failed.error?.message).toMatch(/output|wrote/i);
  expect((await world.output(run)).length).toBeLessThanOrEqual(1024 * 1024);
});

const { mechanism } = await chooseMechanism('auto');

describe.skipIf(mechanism !== 'bubblewrap')('a worker in the sandbox', () => {
  async function sandboxedWorld(more: Partial<RunsParts> = {}) {
    const base = temporaryFolder('runs');
    const folders = separateFolders(base);
    const kernel = await startKernel({ folders, plugins: ['sandbox', 'settings'] });
    later(() => endKernel(kernel));
    const env = { ...process.env, FAKE_KEY: 'sk-own-key' };
    return makeWorld({ sandboxes: () => kernel.find(sandboxes), env, ...more }, base);
  }

  test('sees no file of Tenon, of its own run or of other runs, and not the process that watches it', async () => {
    const world = await sandboxedWorld();
    const { state, data } = world.parts.folders;
    const other = await world.start('say done');
    await world.reaches(other, 'done');
    mkdirSync(join(state, 'accounts/x-1/claude'), { recursive: true });
    writeFileSync(join(state, 'accounts/x-1/claude/.credentials.json'), 'HIDDEN-1');
    mkdirSync(data, { recursive: true });
    writeFileSync(join(data, 'credentials.json'), 'HIDDEN-2');
    const runs = join(state, 'runs');
    const run = await world.start(`
      ls ${runs}/${other.id} && say seen-other
      cat ${runs}/*/environment.json && say seen-environment
      cat ${runs}/runs.db && say seen-store
      cat ${state}/accounts/x-1/claude/.credentials.json ${data}/credentials.json
      me=\${TENON_RUN%%:*}
      ls ${runs}/$me/session-1/stdout && say seen-session
      echo 0 >${runs}/$me/session-1/exit && say wrote-exit
      echo 1 >${runs}/$me/session-1/pid && say wrote-pid
      rm -rf ${runs}/$me/session-1/claim
      cat /proc/${process.pid}/environ && say seen-keeper
      kill -9 ${process.pid} && say killed-keeper
      ln -s ${data}/credentials.json "$EXCHANGE/output/session-1/signal.json"
      say done`);
    const done = await world.reaches(run, 'done');
    const output = await world.output(run);
    expect(output).not.toMatch(/HIDDEN|seen-|killed-/);
    expect(existsSync(join(runs, run.id, 'session-1/claim'))).toBe(true);
    expect(done.state).toBe('done');
    expect(JSON.stringify(done)).not.toContain('HIDDEN');
  });

  test('has its key in no command line, no file of the run and no log', async () => {
    const world = await sandboxedWorld();
    const run = await world.start(
      '[ "$FAKE_KEY" = sk-own-key ] && say text has-key; say text ready; sleep 1; say done',
    );
    await until(async () => (await world.output(run)).includes('ready'));
    const lines = readdirSync('/proc').flatMap((pid) => {
      if (!/^\d+$/.test(pid)) return [];
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, 'latin1')];
      } catch {
        return []; // It has ended meanwhile.
      }
    });
    expect(lines.filter((line) => line.includes(run.id)).length).toBeGreaterThan(0);
    // The script itself names it once, as the test wrote it.
    expect(lines.filter((line) => line.replaceAll('= sk-own-key ]', '').includes('sk-own-key'))).toEqual([]);
    await world.reaches(run, 'done');
    expect(await world.output(run)).toContain('has-key');
    const folder = join(world.parts.folders.state, 'runs');
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const text = readFileSync(join(entry.parentPath ?? entry.path, entry.name), 'latin1');
      expect(text.replaceAll('= sk-own-key ]', '').includes('sk-own-key'), entry.name).toBe(false);
    }
  });

  test('in a worktree changes nothing that makes git run programs, in neither checkout', async () => {
    const base = temporaryFolder('runs');
    const places = separateFolders(base);
    gitRepository(places.cwd, { 'a.txt': 'one' });
    const kernel = await startKernel({ folders: places, plugins: ['sandbox', 'settings', 'worktrees'] });
    later(() => endKernel(kernel));
    const world = await makeWorld(
      { sandboxes: () => kernel.find(sandboxes), worktrees: () => kernel.find(worktrees) },
      base,
    );
    const mark = join(base, 'ran');
    const config = gitIn(places.cwd, 'config', '--list', '--local');
    const run = await world.start(
      `common=$(git rev-parse --path-format=absolute --git-common-dir); own=$(git rev-parse --absolute-git-dir)
       evil=$PWD/evil; mkdir -p $evil/hooks; printf '[core]\\n\\tfsmonitor = touch ${mark}\\n' >$evil/config
       cp $common/HEAD $evil/; cp -r $common/objects $common/refs $evil/
       printf '#!/bin/sh\\ntouch ${mark}\\n' >$common/hooks/post-checkout; chmod +x $common/hooks/post-checkout
       for key in core.fsmonitor core.hooksPath filter.x.clean diff.external; do git config $key "touch ${mark}"; git config --worktree $key "touch ${mark}"; done
       echo $evil >$own/commondir; echo "gitdir: $evil" >.git; mv .git moved; mv $own $own-moved; rm -rf $common/hooks $common/config
       echo "* filter=x" >.gitattributes; echo two >a.txt; say done`,
      { worktree: true },
    );
    await world.reaches(run, 'done');
    await world.service.apply(run);
    await world.service.remove(run, { force: true });
    expect(readFileSync(join(places.cwd, 'a.txt'), 'utf8')).toBe('two\n');
    expect(gitIn(places.cwd, 'config', '--list', '--local')).toBe(config);
    expect(existsSync(join(places.cwd, '.git/hooks/post-checkout'))).toBe(false);
    gitIn(places.cwd, 'status');
    expect(existsSync(mark)).toBe(false);
  });

  describe('whose state is in folders of Tenon, as that of Tenon itself is', () => {
    const state = [
      { path: '$config', access: 'read' },
      { path: '$data/credentials.json', access: 'read' },
      { path: '$data/sessions' },
    ] as const;
    const registry = async () => registryOf({ ...fakeWorker, spec: { ...fakeWorker.spec, state } });
    const attack = async (more: Partial<RunsParts>) => {
      const world = await sandboxedWorld({ registry, ...more });
      const { config, data, state: own } = world.parts.folders;
      for (const folder of [config, data]) mkdirSync(folder, { recursive: true });
      writeFileSync(join(config, 'settings.json'), 'SETTINGS');
      writeFileSync(join(data, 'credentials.json'), 'VAULT');
      const run = await world.start(`
        cat ${config}/settings.json ${data}/credentials.json
        echo evil >${config}/settings.json && say changed-settings
        echo evil >${data}/credentials.json && say changed-vault
        mkdir ${data}/packs && say packs
        cat ${own}/runs/runs.db >/dev/null && say seen-store
        echo kept >${data}/sessions/s1 && say wrote-session
        say done`);
      await world.reaches(run, 'done');
      return { output: await world.output(run), data };
    };

    test('reads settings and login, writes sessions, and changes or sees nothing else', async () => {
      const { output, data } = await attack({});
      expect(output).toMatch(/SETTINGS[^]*VAULT/);
      expect(output).not.toMatch(/changed-|seen-/);
      expect(readdirSync(data).toSorted()).toEqual(['credentials.json', 'sessions']);
      expect(readFileSync(join(data, 'sessions/s1'), 'utf8')).toBe('kept\n');
    });

    test('does not see the login when secrets of accounts are kept with it', async () => {
      const service = { list: async () => [{ id: 'x-1' }], next: async () => undefined, secrets: async () => [] };
      const { output } = await attack({ accounts: async () => service as never });
      expect(output).toContain('SETTINGS');
      expect(output).not.toContain('VAULT');
    });
  });

  test('only reads the settings of the user that come with an account', async () => {
    const settings = join(temporaryFolder('home'), 'settings.json');
    writeFileSync(settings, 'SETTINGS');
    const account = { id: 'x-1', vendor: 'fake' };
    const injection = { env: {}, folders: [], reads: [settings], secrets: [], release: async () => undefined };
    const service = {
      list: async () => [account],
      next: async () => account,
      inject: async () => injection,
      record: async () => undefined,
      secrets: async () => [],
    };
    const world = await sandboxedWorld({ accounts: async () => service as never });
    const run = await world.start(`cat ${settings}; echo; echo evil >${settings}; say done`);
    await world.reaches(run, 'done');
    expect(await world.output(run)).toContain('SETTINGS');
    expect(readFileSync(settings, 'utf8')).toBe('SETTINGS');
  });
});

test('a clock that is set back by an hour keeps no run waiting', async () => {
  const world = await makeWorld();
  const long = await world.start('say session s1; while [ ! -e go ]; do sleep 0.02; done; say done');
  await world.reaches(long, 'running');
  const real = Date.now;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => real() - 3_600_000);
  later(() => clock.mockRestore());
  const run = await world.start('say done');
  await world.reaches(run, 'done');
  writeFileSync(join(world.work, 'go'), '');
  await world.reaches(long, 'done');
});

test('a keeper that was killed is followed by another when somebody looks at the list', async () => {
  let asked = 0;
  const world = await makeWorld({ ensureKeeper: async () => void asked++ });
  expect(await world.service.list()).toEqual([]);
  expect(asked).toBe(0);
  const run = await world.start('say done');
  asked = 0;
  await world.service.list();
  expect(asked).toBe(1);
  await world.service.cancel(run);
  await world.service.list();
  expect(asked).toBe(1);
});

test('the list can be read where no keeper can be started', async () => {
  const world = await makeWorld({ ensureKeeper: async () => undefined });
  const run = await world.start('say done');
  const broken = new RunsService({ ...world.parts, ensureKeeper: () => Promise.reject(new Error('read-only')) });
  expect((await broken.list()).map(({ id }) => id)).toEqual([run.id]);
});
