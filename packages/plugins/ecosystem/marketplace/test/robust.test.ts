import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { skills } from '@tenon/discovery/api';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildProgram } from '@tenon/test-kit/built-program';
import { marketplace, quietPlugin } from './support/samples.ts';
import { codeOf, PLUGINS, World } from './support/tenon.ts';

// Processes are started here; a busy machine takes its time.
let world: World;
let program: string;

beforeAll(async () => {
  // The built program reads the manifests of plugins where the sources do.
  const source = new URL('./support/install-process.ts', import.meta.url);
  program = await buildProgram(fileURLToPath(source), {
    plugins: PLUGINS,
    define: { 'import.meta.url': JSON.stringify(source.href) },
    banner: { js: "import { createRequire as __r } from 'node:module'; const require = __r(process.argv[1]);" },
  });
});

beforeEach(() => {
  world = new World();
});

afterEach(() => world.end());

function install(plugin: string, crashAt?: string): ChildProcess {
  const args = [program, world.base, plugin, ...(crashAt === undefined ? [] : [crashAt])];
  return spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'pipe'] });
}

function ended(child: ChildProcess): Promise<{ code: number | null; signal: string | null; err: string }> {
  let err = '';
  child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()));
  return new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal, err })));
}

async function textOfSkill(): Promise<string> {
  const { items } = await (await world.discovery()).load(skills, world.folders.cwd);
  return items.map(({ file }) => readFileSync(file, 'utf8').trim().split('\n').at(-1)).join();
}

describe('a crash in the middle of an installation', () => {
  it.each(['fetched', 'reviewed', 'stored', 'granted'])(
    'at the step "%s" leaves the old version in use',
    async (step) => {
      world.put('market', marketplace({ quiet: quietPlugin('1.0.0', 'old') }));
      await world.run('marketplace add', { args: { source: world.at('market') } });
      await world.run('plugin install', { args: { plugins: ['quiet'] }, flags: { yes: true } });
      world.put('market', marketplace({ quiet: quietPlugin('2.0.0', 'new') }));

      expect(await ended(install('quiet@acme', step))).toMatchObject({ signal: 'SIGKILL' });
      expect(await textOfSkill()).toBe('old');
      expect((await world.run('plugin verify')).code).toBe(0);

      // The lock of the process that died is taken over, and what it left is cleared away.
      const upgraded = await world.run('plugin upgrade');
      expect(upgraded.out).toContain('from 1.0.0 to 2.0.0');
      expect(await textOfSkill()).toBe('new');
      expect(readdirSync(world.at('data/plugins/staging'))).toEqual([]);
    },
  );

  it('after the switch has the new version', async () => {
    world.put('market', marketplace({ quiet: quietPlugin('1.0.0', 'first') }));
    await world.run('marketplace add', { args: { source: world.at('market') } });
    await ended(install('quiet@acme', 'switched'));
    expect(await textOfSkill()).toBe('first');
  });
});

describe('several processes at once', () => {
  it('install one after the other, and nothing is lost', async () => {
    const names = ['one', 'two', 'three'];
    const plugins = names.map((name) => [name, quietPlugin('1.0.0', name)] as const);
    world.put('market', marketplace(Object.fromEntries(plugins)));
    await world.run('marketplace add', { args: { source: world.at('market') } });
    const results = await Promise.all(names.map((name) => ended(install(`${name}@acme`))));
    expect(results.map(({ code, err }) => `${code} ${err}`)).toEqual(['0 ', '0 ', '0 ']);
    expect(Object.keys(world.lock().plugins).sort()).toEqual(['one@acme', 'three@acme', 'two@acme']);
    expect((await world.run('plugin verify')).code).toBe(0);
  });

  it('do not overwrite each other: who was second starts again', async () => {
    world.put('market', marketplace({ quiet: quietPlugin() }));
    await world.run('marketplace add', { args: { source: world.at('market') } });
    const asked = world.run('plugin install', {
      args: { plugins: ['quiet'] },
      answer: 'y',
    });
    const other = world.run('plugin install', { args: { plugins: ['quiet'] }, flags: { yes: true } });
    expect([await codeOf(asked), await codeOf(other)].sort()).toEqual(['MARKETPLACE_CHANGED_MEANWHILE', 'no error']);
    expect(existsSync(world.folderOf('quiet@acme'))).toBe(true);
  });

  it('stops when it is told to, and leaves nothing behind', async () => {
    world.put('market', marketplace({ quiet: quietPlugin() }));
    await world.run('marketplace add', { args: { source: world.at('market') } });
    const stop = new AbortController();
    const work = world.run('plugin install', {
      args: { plugins: ['quiet'] },
      flags: { yes: true },
      signal: stop.signal,
    });
    stop.abort(new Error('stopped'));
    expect(await codeOf(work)).toBe('stopped');
    expect(existsSync(world.at('data/plugins/lock.json'))).toBe(false);
  });
});
