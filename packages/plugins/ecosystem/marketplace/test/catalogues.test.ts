import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseCatalogue } from '../src/catalogue/catalogue.ts';
import { marketplaceNameProblem, nameProblem } from '../src/catalogue/names.ts';
import { parsePluginSource } from '../src/catalogue/sources.ts';
import { below, catalogue, marketplace, quietPlugin } from './support/samples.ts';
import { codeOf, faultOf, gitIn, World } from './support/tenon.ts';

let world: World;

beforeEach(() => {
  world = new World();
});

afterEach(() => world.end());

const rules = { githubUrl: 'https://github.com', reach: 'remote' } as const;
const add = (source: string, flags: Record<string, string> = {}) =>
  world.run('marketplace add', { args: { source: world.at(source) }, flags });
const install = (id: string) => world.run('plugin install', { args: { plugins: [id] }, flags: { yes: true } });

/** A bare copy of a repository, which Tenon reads by its commits. */
function publish(name: string): string {
  gitIn(world.at(), 'clone', '-q', '--bare', world.at(name), world.at(`${name}.git`));
  return `${name}.git`;
}

describe('names of marketplaces', () => {
  const known = ['claude-plugins-official', 'claude-code-plugins', 'agent-skills', 'openai-curated', 'tenon-official'];

  it('are reserved only when they are exactly the name that people know', () => {
    for (const name of known) expect(marketplaceNameProblem(name, 'someone'), name).toContain('reserved');
    for (const name of [
      'claude-code-workflows',
      'claude-code-plugins-plus',
      'claude-flow-marketplace',
      'my-tenon-plugins',
    ])
      expect(marketplaceNameProblem(name, 'someone'), name).toBeUndefined();
    const affix = fc.stringMatching(/^[a-z0-9]{1,8}$/);
    fc.assert(
      fc.property(fc.constantFrom(...known), affix, fc.boolean(), (name, extra, isBefore) => {
        const other = isBefore ? `${extra}-${name}` : `${name}-${extra}`;
        expect(marketplaceNameProblem(other, 'someone')).toBe(nameProblem(other));
      }),
    );
  });

  it('can be given by the user, who then updates and installs by that name', async () => {
    world.put('market', marketplace({ quiet: quietPlugin() }, { name: 'agent-skills' }));
    const refused = await faultOf(add('market'));
    expect(refused).toMatchObject({ code: 'MARKETPLACE_NAME_INVALID', next: expect.stringContaining('--name') });
    expect(await codeOf(add('market', { name: 'claude-plugins-official' }))).toBe('MARKETPLACE_NAME_INVALID');
    expect((await add('market', { name: 'mine' })).out).toContain('Marketplace "mine"');
    expect((await install('quiet@mine')).out).toContain('Plugin "quiet@mine" 1.0.0 was installed');
    world.put('market/plugins/quiet', quietPlugin('1.1.0', 'Newer.'));
    expect((await world.run('marketplace update', { args: { name: 'mine' } })).code).toBe(0);
    expect((await world.run('plugin upgrade')).out).toContain('from 1.0.0 to 1.1.0');
    world.put('market', marketplace({ quiet: quietPlugin() }, { name: 'another' }));
    expect(await codeOf(world.run('marketplace update', { args: { name: 'mine' } }))).toBe('MARKETPLACE_RENAMED');
  });

  it('of somebody else are refused in the file of a project, too', async () => {
    world.put('project', marketplace({ quiet: quietPlugin() }));
    const record = { source: { kind: 'folder', path: '.' }, addedAt: '2026-01-01', updatedAt: '2026-01-01' };
    world.put('project/.tenon', {
      'marketplaces.json': JSON.stringify({ version: 1, marketplaces: { 'claude-plugins-official': record } }),
    });
    expect(await codeOf(install('quiet@claude-plugins-official'))).toBe('MARKETPLACE_NAME_INVALID');
  });
});

describe('"metadata.pluginRoot"', () => {
  const rooted = (source: string) => ({
    '.claude-plugin/marketplace.json': catalogue([{ name: 'quiet', source }], {
      metadata: { pluginRoot: './plugins' },
    }),
    ...below('plugins/quiet', quietPlugin()),
  });

  it.each([
    ['a path that has it already', './plugins/quiet'],
    ['a plain name', 'quiet'],
    ['a "./" path that leaves it out', './quiet'],
  ])('fits %s, in a folder and in a repository', async (_, source) => {
    world.commit('market', rooted(source));
    await add('market', { name: 'from-folder' });
    await add(publish('market'), { name: 'from-git' });
    expect((await install('quiet@from-folder')).code).toBe(0);
    expect((await install('quiet@from-git')).code).toBe(0);
    expect(world.lock().plugins['quiet@from-git']).toMatchObject({ pin: { path: 'plugins/quiet' } });
    expect((await world.run('plugin outdated')).code).toBe(0);
  });

  it('is never put before a "./" path, and leads nowhere out', () => {
    const part = fc.stringMatching(/^[a-z]{1,6}$/);
    const path = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
    fc.assert(
      fc.property(path, path, (root, rest) => {
        expect(parsePluginSource(`./${rest}`, root, rules)).toMatchObject({ kind: 'path', path: rest });
        expect(parsePluginSource(rest, root, rules)).toEqual({ kind: 'path', path: `${root}/${rest}` });
        for (const escape of [`./../${rest}`, `../${rest}`, `${rest}/../../..`, `/${rest}`])
          expect(() => parsePluginSource(escape, root, rules)).toThrow();
      }),
    );
  });
});

describe('a catalogue of Codex', () => {
  const codexPlugin = {
    '.codex-plugin/plugin.json': JSON.stringify({ name: 'quiet', version: '3.0.0', skills: './skills/' }),
    'skills/think/SKILL.md': '---\nname: think\ndescription: Thinks.\n---\nThink.\n',
  };
  const policy = { installation: 'AVAILABLE', authentication: 'ON_INSTALL' };
  const local = (name: string, fields: object = {}) => ({
    name,
    source: { source: 'local', path: `./plugins/${name}` },
    policy,
    category: 'Productivity',
    ...fields,
  });
  const codexMarket = (fields: object = { interface: { displayName: 'Acme for Codex' } }) => ({
    '.agents/plugins/marketplace.json': JSON.stringify({
      name: 'acme-codex',
      plugins: [local('quiet'), local('hidden', { policy: { installation: 'NOT_AVAILABLE' } })],
      ...fields,
    }),
    ...below('plugins/quiet', codexPlugin),
  });

  it('is read from a repository, a folder and the file itself, without an owner', async () => {
    world.commit('market', codexMarket());
    const added = await add(publish('market'));
    expect(added.out).toContain('Marketplace "acme-codex" of Acme for Codex was added: 1 plugin');
    expect(added.out).toContain('left out: plugin "hidden": its catalogue says that it cannot be installed');
    expect((await install('quiet@acme-codex')).out).toContain('3.0.0 was installed');
    await add('market', { name: 'folder' });
    await add('market/.agents/plugins/marketplace.json', { name: 'from-file' });
    expect((await install('quiet@from-file')).code).toBe(0);
    expect((await world.run('marketplace update')).code).toBe(0);
  });

  it('may have no name to show', async () => {
    world.put('market', codexMarket({}));
    expect((await add('market')).out).toContain('Marketplace "acme-codex" of acme-codex');
  });

  it('comes after that of Claude Code where both are', async () => {
    world.put('market', { ...codexMarket(), ...marketplace({ quiet: quietPlugin() }) });
    expect((await add('market')).out).toContain('Marketplace "acme" of Acme');
  });

  it('leads out of its folder as little as any other', () => {
    for (const path of ['../x', '/etc', './a/../../x', 'C:\\x']) {
      const text = JSON.stringify({
        name: 'evil',
        plugins: [{ name: 'x', source: { source: 'local', path }, policy }],
      });
      const { plugins, problems } = parseCatalogue(text, 'it', rules);
      expect(plugins, path).toEqual([]);
      expect(problems).toHaveLength(1);
    }
  });
});

describe('a repository with a submodule', () => {
  const withSubmodule = (at: string, source: string) => {
    world.commit('market', {
      '.claude-plugin/marketplace.json': catalogue([{ name: 'quiet', source }]),
      ...quietPlugin(),
      ...below('plugins/quiet', quietPlugin()),
    });
    gitIn(world.at('market'), 'update-index', '--add', '--cacheinfo', '160000', 'a'.repeat(40), at);
    gitIn(world.at('market'), 'commit', '-q', '-m', 'with a submodule');
    return publish('market');
  };

  it.each([
    ['beside the plugin', 'vendor/other', './plugins/quiet'],
    ['in a repository that is the plugin', 'vendor/other', './'],
  ])('%s is installed without it', async (_, at, source) => {
    await add(withSubmodule(at, source));
    const { code, out } = await install('quiet');
    expect(code).toBe(0);
    if (source === './') expect(out).toContain(`the submodule "${at}" is left out`);
    expect(world.lock().plugins).toHaveProperty('quiet@acme');
    expect((await world.run('plugin verify')).code).toBe(0);
  });

  it.each([
    ['is the source', 'modules/quiet', './modules/quiet'],
    ['holds the source', 'modules', './modules/deep/quiet'],
  ])('that %s of the plugin is refused', async (_, at, source) => {
    await add(withSubmodule(at, source));
    const fault = await faultOf(install('quiet'));
    expect(fault.code).toBe('MARKETPLACE_HOSTILE');
    expect(fault.message).toContain(`the submodule "${at}"`);
  });
});

describe('upgrading to the same files', () => {
  const unversioned = (text: string) => ({
    '.claude-plugin/plugin.json': JSON.stringify({ name: 'quiet' }),
    'skills/think/SKILL.md': `---\nname: think\ndescription: Thinks.\n---\n${text}\n`,
  });
  const push = (files: Record<string, string>) => {
    world.commit('market', files);
    gitIn(world.at('market'), 'push', '-q', world.at('market.git'), 'main');
  };
  const upgrade = () => world.run('plugin upgrade', { flags: { yes: true } });
  const skillText = () => readFileSync(`${world.folderOf('quiet@acme')}/skills/think/SKILL.md`, 'utf8');

  it('keeps the version to go back to, whatever else the repository or the catalogue changes', async () => {
    world.commit('market', marketplace({ quiet: unversioned('First.') }));
    await add(publish('market'));
    await install('quiet');
    push(below('plugins/quiet', unversioned('Second.')));
    expect((await upgrade()).out).toContain('was upgraded');
    // A commit that touches only other files.
    push({ 'README.md': 'news' });
    expect((await upgrade()).out).toContain('is up to date');
    // A new number, and then a new description, for the same files.
    const entry = { name: 'quiet', source: './plugins/quiet', description: 'The quiet' };
    for (const change of [{ version: '9.0.0' }, { version: '9.0.0', description: 'Quieter' }]) {
      push({ '.claude-plugin/marketplace.json': catalogue([{ ...entry, ...change }]) });
      expect((await upgrade()).code).toBe(0);
    }
    expect(skillText()).toContain('Second.');
    await world.run('plugin rollback', { args: { plugin: 'quiet@acme' } });
    expect(skillText()).toContain('First.');
  });
});
