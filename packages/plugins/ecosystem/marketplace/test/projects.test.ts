import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { bundles, externalHooks, skills } from '@tenon/discovery/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setFoldersWritable } from '../src/tree/write-tree.ts';
import { below, catalogue, fullPlugin, marketplace, quietPlugin } from './support/samples.ts';
import { codeOf, faultOf, gitIn, World } from './support/tenon.ts';

let world: World;

beforeEach(() => {
  world = new World();
});

afterEach(() => world.end());

/** Another person who has the project: nothing in their own folders. */
async function becomeAnother(): Promise<void> {
  for (const name of ['data', 'cache', 'config', 'state']) {
    if (!existsSync(world.at(name))) continue;
    await setFoldersWritable(world.at(name), true);
    rmSync(world.at(name), { recursive: true });
  }
}

const loaded = async <V>(kind: Parameters<Awaited<ReturnType<World['discovery']>>['load']>[0]) =>
  (await (await world.discovery()).load(kind, world.folders.cwd)) as unknown as {
    items: { key: string; level: string; value: V }[];
    problems: { code: string; next: string }[];
  };

describe('plugins of a project', () => {
  beforeEach(async () => {
    world.put('project/tools', marketplace({ helper: fullPlugin(), quiet: quietPlugin() }));
    await world.run('marketplace add', { args: { source: './tools' }, flags: { scope: 'project' } });
  });

  it('are recorded in .tenon, without paths of this machine, and are of the level of the project', async () => {
    await world.run('plugin install', { args: { plugins: ['quiet'] }, flags: { scope: 'project', yes: true } });
    const marketplaces = readFileSync(world.at('project/.tenon/marketplaces.json'), 'utf8');
    expect(JSON.parse(marketplaces)).toMatchObject({
      marketplaces: { acme: { source: { kind: 'folder', path: './tools' } } },
    });
    expect(marketplaces).not.toContain(world.base);
    expect(world.lock('project').plugins).toHaveProperty('quiet@acme');
    expect(await loaded(bundles)).toMatchObject({
      items: [{ key: 'quiet@acme', level: 'project', value: { level: 'project' } }],
    });
    expect(existsSync(world.at('data/plugins/lock.json'))).toBe(true);
    expect(world.lock('user').plugins).toEqual({});
  });

  it('come in the place of those of the user', async () => {
    await world.run('plugin install', { args: { plugins: ['quiet'] }, flags: { yes: true } });
    world.put('project/tools/plugins/quiet', quietPlugin('2.0.0', 'of the project'));
    await world.run('plugin install', { args: { plugins: ['quiet'] }, flags: { scope: 'project', yes: true } });
    expect(await loaded(bundles)).toMatchObject({
      items: [{ key: 'quiet@acme', level: 'project', value: { manifest: { version: '2.0.0' } } }],
    });
    await world.run('plugin uninstall', { args: { plugin: 'quiet' } });
    expect(await loaded(bundles)).toMatchObject({
      items: [{ level: 'user', value: { manifest: { version: '1.0.0' } } }],
    });
  });

  it('are not used by another person before they have looked at them and agreed', async () => {
    world.commit('origin', marketplace({ helper: fullPlugin() }, { name: 'origin' }));
    gitIn(world.at(), 'clone', '-q', '--bare', world.at('origin'), world.at('origin.git'));
    await world.run('marketplace add', { args: { source: world.at('origin.git') } });
    await world.run('plugin install', {
      args: { plugins: ['helper@origin'] },
      flags: { scope: 'project', 'accept-permissions': true },
    });
    await becomeAnother();

    const before = await loaded(bundles);
    expect(before.items).toEqual([]);
    expect(before.problems).toMatchObject([
      { code: 'MARKETPLACE_NOT_HERE', next: expect.stringContaining('--restore') },
    ]);
    const restore = (options: object) => world.run('plugin install', { flags: { restore: true }, ...options });
    expect(await codeOf(restore({}))).toBe('MARKETPLACE_CONFIRM');
    const asked = await restore({ answer: 'y' });
    expect(asked.out).toContain('on PreToolUse (Bash) runs:');
    expect((await loaded(externalHooks)).items).toHaveLength(1);
    expect((await restore({})).out).toContain('Everything is here');
  });

  it('cannot be changed by changing the lock file', async () => {
    await world.run('plugin install', { args: { plugins: ['quiet'] }, flags: { scope: 'project', yes: true } });
    const file = world.at('project/.tenon/plugins.lock.json');
    const lock = JSON.parse(readFileSync(file, 'utf8')) as {
      plugins: Record<string, { definition: { manifest: object } }>;
    };
    const entry = lock.plugins['quiet@acme'];
    if (!entry) throw new Error('it is not there');
    // A hook that nobody agreed to, beside the fingerprint that somebody agreed to.
    entry.definition.manifest = {
      hooks: { SessionStart: [{ hooks: [{ type: 'command', command: 'touch /tmp/pwned' }] }] },
    };
    writeFileSync(file, JSON.stringify(lock));
    expect((await loaded(skills)).items).toHaveLength(1);
    expect((await loaded(externalHooks)).items).toEqual([]);
    await becomeAnother();
    expect(await codeOf(world.run('plugin install', { flags: { restore: true }, answer: 'y' }))).toBe(
      'MARKETPLACE_INTEGRITY',
    );
  });

  it.each([
    ['no JSON', 'nonsense'],
    ['another version', JSON.stringify({ version: 9, plugins: {} })],
    ['a name that climbs', JSON.stringify({ version: 1, plugins: { '../../x@y': {} } })],
    [
      'a fingerprint that climbs',
      JSON.stringify({
        version: 1,
        plugins: { 'x@y': { version: '1', content: 'sha256-../../x', installedAt: '', pin: {} } },
      }),
    ],
  ])('of a lock file with %s are not used, which is said and does not touch those of the user', async (_, text) => {
    await world.run('plugin install', { args: { plugins: ['quiet'] }, flags: { yes: true } });
    writeFileSync(world.at('project/.tenon/plugins.lock.json'), text);
    const { items, problems } = await loaded(bundles);
    expect(items).toMatchObject([{ key: 'quiet@acme', level: 'user' }]);
    expect(problems).toMatchObject([{ code: 'MARKETPLACE_LOCK_INVALID' }]);
  });

  it('cannot put a marketplace in the place of one of the user, nor lead out of the project', async () => {
    world.put('mine', marketplace({ quiet: quietPlugin('7.0.0') }, { name: 'mine' }));
    await world.run('marketplace add', { args: { source: world.at('mine') } });
    const file = world.at('project/.tenon/marketplaces.json');
    const evil = { source: { kind: 'folder', path: './tools' }, addedAt: '', updatedAt: '' };
    writeFileSync(file, JSON.stringify({ version: 1, marketplaces: { mine: evil } }));
    await world.run('plugin install', { args: { plugins: ['quiet@mine'] }, flags: { yes: true } });
    expect(world.lock().plugins['quiet@mine']).toMatchObject({ version: '7.0.0' });
    for (const source of [
      { kind: 'folder', path: '../mine' },
      { kind: 'git', url: 'file:///etc' },
      { kind: 'git', url: 'ext::sh' },
    ]) {
      writeFileSync(file, JSON.stringify({ version: 1, marketplaces: { other: { ...evil, source } } }));
      expect(await codeOf(world.run('marketplace list'))).toBe('MARKETPLACE_LOCK_INVALID');
    }
  });

  it('cannot come from folders that others do not have', async () => {
    world.put('mine', marketplace({ quiet: quietPlugin() }, { name: 'mine' }));
    const fault = await faultOf(
      world.run('marketplace add', { args: { source: world.at('mine') }, flags: { scope: 'project' } }),
    );
    expect(fault).toMatchObject({
      code: 'MARKETPLACE_SOURCE_INVALID',
      message: expect.stringContaining('--scope user'),
    });
  });
});

describe('the catalogue decides with the plugin what is inside', () => {
  const hook = (command: string) => ({ SessionStart: [{ hooks: [{ type: 'command', command }] }] });

  async function install(entry: object, files: Record<string, string>) {
    world.put('market', {
      '.claude-plugin/marketplace.json': catalogue([{ name: 'p', source: './p', ...entry }]),
      ...below('p', files),
    });
    await world.run('marketplace add', { args: { source: world.at('market') } });
    return world.run('plugin install', { args: { plugins: ['p'] }, flags: { 'accept-permissions': true } });
  }

  const commandsOfHooks = async () =>
    (await loaded<{ command: string }>(externalHooks)).items.map(({ value }) => value.command).sort();

  it('both in strict mode, and what the entry adds is shown and pinned too', async () => {
    const manifest = JSON.stringify({ name: 'p', version: '1.0.0', hooks: hook('of the plugin') });
    const { out } = await install({ hooks: hook('of the catalogue') }, { '.claude-plugin/plugin.json': manifest });
    expect(out).toContain('runs: of the catalogue');
    expect(await commandsOfHooks()).toEqual(['of the catalogue', 'of the plugin']);
  });

  it('the entry alone otherwise, for plugins without a manifest', async () => {
    await install({ strict: false, version: '3.1.0', hooks: hook('of the catalogue') }, { 'README.md': 'x' });
    expect(await commandsOfHooks()).toEqual(['of the catalogue']);
    expect(world.lock().plugins['p@acme']).toMatchObject({ version: '3.1.0' });
  });

  it('and contradicting each other is an error', async () => {
    const manifest = JSON.stringify({ name: 'p', hooks: hook('of the plugin') });
    const work = install(
      { strict: false, hooks: hook('of the catalogue') },
      { '.claude-plugin/plugin.json': manifest },
    );
    expect(await codeOf(work)).toBe('MARKETPLACE_PLUGIN_INVALID');
  });

  it('a new hook in the catalogue alone is an upgrade that asks', async () => {
    await install({ strict: false }, { 'skills/a/SKILL.md': '---\nname: a\ndescription: b\n---\nc\n' });
    world.put('market', {
      '.claude-plugin/marketplace.json': catalogue([{ name: 'p', source: './p', strict: false, hooks: hook('new') }]),
    });
    expect((await world.run('plugin outdated')).code).toBe(1);
    expect(await codeOf(world.run('plugin upgrade', { args: { plugins: ['p'] }, flags: { yes: true } }))).toBe(
      'MARKETPLACE_CONFIRM',
    );
  });
});
