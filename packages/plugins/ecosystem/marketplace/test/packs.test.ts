import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundles } from '@tenon/discovery/api';
import { tools } from '@tenon/tools/api';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useBuiltHost } from '@tenon/test-kit/built-program';
import { marketplace } from './support/samples.ts';
import { codeOf, faultOf, World } from './support/tenon.ts';

// Processes are started here; a busy machine takes its time.
let world: World;

beforeAll(() => useBuiltHost('pack-host'));

beforeEach(() => {
  world = new World();
});

afterEach(() => world.end());

function pack(version: string, answer: string, permissions: object = {}, id = 'counter'): Record<string, string> {
  const tenon = {
    id,
    kernel: '^1',
    entry: 'plugin.ts',
    contributes: { tools: { count: { summary: 'Counts' } } },
    permissions,
  };
  return {
    'package.json': JSON.stringify({ name: 'counter', version, type: 'module', tenon }),
    'plugin.ts': `import { definePlugin } from '@tenon/kernel';
      import { tools } from '@tenon/tools/api';
      export default definePlugin({ id: '${id}', activate(ctx) {
        ctx.contribute(tools, 'count', { description: 'x', parameters: {}, execute: async () => ({ content: [], details: { answer: '${answer}', pid: process.pid } }) });
      } });`,
  };
}

async function publish(files: Record<string, string>): Promise<void> {
  world.put('market', marketplace({ counter: files }));
}

const install = (flags: Record<string, string | boolean> = { 'accept-permissions': true }) =>
  world.run('plugin install', { args: { plugins: ['counter@acme'] }, flags });

async function count(): Promise<unknown> {
  const kernel = await world.start();
  const call = { id: '1', signal: new AbortController().signal, update: async () => undefined };
  const { details } = await (await kernel.read(tools).resolve('count')).execute({}, call);
  return details;
}

describe('a plugin that is a pack', () => {
  beforeEach(async () => {
    await publish(pack('1.0.0', 'one'));
    await world.run('marketplace add', { args: { source: world.at('market') } });
  });

  it('goes the way of packs: isolated, listed, not a bundle, and gone when uninstalled', async () => {
    const { out } = await install();
    expect(out).toContain('pack "counter": code that runs isolated');
    expect(out).toContain('It is the pack "counter" and runs isolated.');
    const answer = (await count()) as { answer: string; pid: number };
    expect(answer.answer).toBe('one');
    expect(answer.pid).not.toBe(process.pid);
    const list = await world.json<{ id: string; level: string; trust: string }[]>('plugin list');
    expect(list).toMatchObject([{ id: 'counter', level: 'installed', trust: 'isolated', version: '1.0.0' }]);
    expect((await (await world.discovery()).load(bundles, world.folders.cwd)).items).toEqual([]);
    expect(await codeOf(world.run('plugin unlink', { args: { id: 'counter' } }))).toBe('PACKS_INSTALLED');
    await world.run('plugin uninstall', { args: { plugin: 'counter' } });
    expect(await world.json('plugin list')).toEqual([]);
  });

  it('asks again when a new version wants more, and is granted exactly that', async () => {
    await install();
    await publish(pack('1.1.0', 'two', { net: ['example.com'] }));
    expect(await codeOf(world.run('plugin upgrade', { args: { plugins: ['counter'] }, flags: { yes: true } }))).toBe(
      'MARKETPLACE_CONFIRM',
    );
    expect(await count()).toMatchObject({ answer: 'one' });
    const upgraded = await world.run('plugin upgrade', { answer: 'y' });
    expect(upgraded.out).toContain('+ may send requests to example.com');
    expect(await count()).toMatchObject({ answer: 'two' });
    expect(await world.json('plugin list')).toMatchObject([
      { version: '1.1.0', permissions: ['send requests to example.com'] },
    ]);
    await world.run('plugin rollback', { args: { plugin: 'counter' } });
    expect(await count()).toMatchObject({ answer: 'one' });
  });

  it('does not start when a file of it was changed, and says which', async () => {
    await install();
    const folder = world.folderOf('counter@acme');
    chmodSync(join(folder, 'plugin.ts'), 0o644);
    writeFileSync(join(folder, 'plugin.ts'), pack('1.0.0', 'evil')['plugin.ts'] ?? '');
    chmodSync(join(folder, 'plugin.ts'), 0o444);
    const fault = await faultOf(count());
    expect(JSON.stringify([fault.message, (fault as unknown as { cause?: Error }).cause?.message])).toContain(
      'plugin.ts was changed',
    );
  });

  it('loses full trust with a new version, which is other code', async () => {
    await install();
    await world.run('plugin trust', { args: { id: 'counter' }, flags: { full: true, yes: true } });
    expect(((await count()) as { pid: number }).pid).toBe(process.pid);
    await publish(pack('1.1.0', 'two'));
    await world.run('plugin upgrade', { flags: { yes: true } });
    expect(((await count()) as { pid: number }).pid).not.toBe(process.pid);
  });

  it('cannot take the id of another plugin', async () => {
    await publish(pack('1.0.0', 'x', {}, 'discovery'));
    expect(await faultOf(install())).toMatchObject({
      code: 'MARKETPLACE_PLUGIN_INVALID',
      message: expect.stringContaining('a built-in plugin has that id already'),
    });
  });

  it('can be switched off and on again', async () => {
    await install();
    await world.run('plugin disable', { args: { id: 'counter@acme' } });
    expect(await world.json('plugin list')).toEqual([]);
    expect((await world.run('plugin installed')).out).toContain('DISABLED: it was disabled');
    await world.run('plugin enable', { args: { id: 'counter@acme' } });
    expect(await count()).toMatchObject({ answer: 'one' });
  });
});
