import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { skills } from '@tenon/discovery/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { npmPackage } from './support/archive.ts';
import { below, catalogue, marketplace, quietPlugin } from './support/samples.ts';
import { type Published, type Running, serveFiles, serveGit, serveRegistry } from './support/servers.ts';
import { codeOf, faultOf, gitIn, World } from './support/tenon.ts';

let world: World;
let servers: Running[] = [];

beforeEach(() => {
  world = new World();
});

afterEach(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  servers = [];
  await world.end();
});

async function running(server: Promise<Running>): Promise<Running> {
  servers.push(await server);
  return server;
}

/** Puts repositories where the git server finds them. */
function publish(name: string): void {
  gitIn(world.at(), 'clone', '-q', '--bare', world.at(name), world.at('served', `${name}.git`));
}

const install = (id: string, flags: Record<string, string | boolean> = {}) =>
  world.run('plugin install', { args: { plugins: [id] }, flags: { 'accept-permissions': true, ...flags } });

const skillNames = async () =>
  (await (await world.discovery()).load(skills, world.folders.cwd)).items.map(({ key }) => key);

describe('every kind of source', () => {
  it('OWNER/REPO, git addresses, commits and folders of repositories are fetched over HTTP', async () => {
    const server = await running(serveGit(world.at('served')));
    world.settings['githubUrl'] = server.url;
    const oldCommit = world.commit('single', quietPlugin('1.0.0'));
    world.commit('single', quietPlugin('2.0.0', 'Newer.'));
    const monoCommit = world.commit('mono', below('deep/er/one', quietPlugin('3.0.0')));
    gitIn(world.at('mono'), 'tag', '-a', 'v3', '-m', 'three');
    world.commit('mono', below('deep/er/one', quietPlugin('9.0.0')));
    gitIn(world.at('single'), 'branch', 'stable', oldCommit);
    const plugins = [
      { name: 'here', source: './plugins/here' },
      { name: 'hub', source: { source: 'github', repo: 'owner/single', ref: 'stable' } },
      { name: 'address', source: { source: 'url', url: `${server.url}/owner/single.git` } },
      { name: 'pinned', source: { source: 'url', url: `${server.url}/owner/single.git`, sha: oldCommit } },
      { name: 'subdir', source: { source: 'git-subdir', url: 'owner/mono', path: './deep/er/one', ref: 'v3' } },
    ];
    world.commit('market', {
      '.claude-plugin/marketplace.json': catalogue(plugins),
      ...below('plugins/here', quietPlugin('0.1.0')),
    });
    for (const name of ['single', 'mono', 'market']) {
      gitIn(world.at(), 'clone', '-q', '--bare', world.at(name), world.at('served', 'owner', `${name}.git`));
    }
    expect((await world.json('marketplace add', { args: { source: 'owner/market' } })) as unknown).toMatchObject({
      name: 'acme',
      plugins: 5,
    });
    for (const { name } of plugins) expect((await install(`${name}@acme`)).code, name).toBe(0);
    const versions = Object.fromEntries(Object.entries(world.lock().plugins).map(([id, { version }]) => [id, version]));
    expect(versions).toEqual({
      'here@acme': '0.1.0',
      'hub@acme': '1.0.0',
      'address@acme': '2.0.0',
      'pinned@acme': '1.0.0',
      'subdir@acme': '3.0.0',
    });
    expect(world.lock().plugins['subdir@acme']).toMatchObject({
      pin: { commit: monoCommit, path: 'deep/er/one', ref: 'v3' },
    });
    expect(server.requests.every((request) => /git-upload-pack/.test(request))).toBe(true);

    // Without the server: what is installed works, what was fetched can be installed again, what is new cannot.
    await server.stop();
    expect(await skillNames()).toContain('think');
    expect((await world.run('plugin verify')).code).toBe(0);
    await world.run('plugin uninstall', { args: { plugin: 'pinned@acme' } });
    expect((await install('pinned@acme')).code).toBe(0);
    expect((await install('address@acme', { force: true, offline: true })).code).toBe(0);
    expect(await codeOf(install('address@acme', { force: true }))).toBe('MARKETPLACE_GIT_FAILED');
    const late = await world.run('plugin upgrade', { args: { plugins: ['here@acme'] } });
    expect(late.err).toMatch(/The catalogue of "acme" from \d{4}-\d\d-\d\d is used/);
    expect(late.out).toContain('here@acme 0.1.0 is up to date');
  });

  it('a catalogue that is a JSON file on a server', async () => {
    publishPlain();
    const git = await running(serveGit(world.at('served')));
    const files = new Map<string, string>();
    const web = await running(serveFiles(files));
    const source = { source: 'url', url: `${git.url}/plain.git` };
    files.set(
      '/catalogue.json',
      catalogue([
        { name: 'quiet', source },
        { name: 'near', source: './near' },
      ]),
    );
    await world.run('marketplace add', { args: { source: `${web.url}/catalogue.json` } });
    expect((await install('quiet')).code).toBe(0);
    const fault = await faultOf(install('near'));
    expect(fault).toMatchObject({
      code: 'MARKETPLACE_PLUGIN_INVALID',
      message: expect.stringContaining('the catalogue is a single file'),
    });

    files.set('/catalogue.json', catalogue([{ name: 'other', source }]));
    const discovered = async (query?: string) => {
      const args = query === undefined ? {} : { query };
      return (await world.json<{ plugins: unknown[] }>('plugin discover', { args })).plugins;
    };
    expect(await discovered()).toHaveLength(2);
    // The name of a marketplace stands for all that it has.
    expect(await discovered('acme')).toHaveLength(2);
    expect(await discovered('quiet')).toHaveLength(1);
    expect((await world.run('marketplace update')).out).toContain('acme was updated: 1 plugin,');
    expect((await world.run('marketplace update')).out).toContain('acme has nothing new');
    files.set('/catalogue.json', catalogue([], { name: 'other-name' }));
    expect(await codeOf(world.run('marketplace update', { args: { name: 'acme' } }))).toBe('MARKETPLACE_RENAMED');
  });

  function publishPlain() {
    world.commit('plain', quietPlugin());
    publish('plain');
  }

  it('a folder, whose plugins are copied as they are now', async () => {
    world.put('market', marketplace({ quiet: quietPlugin() }));
    await world.run('marketplace add', { args: { source: world.at('market') } });
    await install('quiet');
    world.put('market/plugins/quiet', quietPlugin('1.0.1', 'Changed.'));
    expect((await world.run('plugin outdated')).out).toContain('quiet@acme 1.0.0 -> ');
    expect((await world.run('plugin upgrade')).out).toContain('from 1.0.0 to 1.0.1');
    expect((await world.run('plugin outdated')).code).toBe(0);
  });
});

describe('packages of npm', () => {
  let packages: Map<string, Published[]>;

  async function registry(options: Parameters<typeof serveRegistry>[1] = {}): Promise<Running> {
    packages = new Map();
    const server = await running(serveRegistry(packages, options));
    writeFileSync(
      world.at('home', '.npmrc'),
      `registry=${server.url}/\n${options.token === undefined ? '' : `//${new URL(server.url).host}/:_authToken=${options.token}\n`}`,
    );
    return server;
  }

  async function market(version: string | undefined): Promise<void> {
    const source = { source: 'npm', package: '@acme/quiet', ...(version !== undefined && { version }) };
    world.put('market', { '.claude-plugin/marketplace.json': catalogue([{ name: 'quiet', source }]) });
    await world.run('marketplace add', { args: { source: world.at('market') } });
  }

  const packed = (version: string, extra: Record<string, string> = {}) =>
    npmPackage({
      ...quietPlugin(version),
      'package.json': JSON.stringify({
        name: '@acme/quiet',
        version,
        dependencies: { 'left-pad': '1' },
        scripts: { postinstall: 'touch /tmp/pwned' },
      }),
      ...extra,
    });

  it('are chosen by range, pinned by hash, never run, and upgraded', async () => {
    await registry({ token: 'secret-token' });
    packages.set(
      '@acme/quiet',
      ['1.0.0', '1.2.0', '2.0.0'].map((version) => ({ version, packed: packed(version) })),
    );
    await market('^1.0.0');
    const installed = await install('quiet');
    expect(installed.out).toContain('its postinstall script is not run');
    expect(installed.out).toContain('its npm dependencies are not installed (left-pad)');
    expect(world.lock().plugins['quiet@acme']).toMatchObject({
      version: '1.2.0',
      pin: { kind: 'npm', package: '@acme/quiet', version: '1.2.0', integrity: expect.stringMatching(/^sha512-/) },
    });
    packages.get('@acme/quiet')?.push({ version: '1.3.0', packed: packed('1.3.0') });
    expect((await world.run('plugin outdated')).out).toContain('quiet@acme 1.2.0 -> 1.3.0');
    expect((await world.run('plugin upgrade')).out).toContain('from 1.2.0 to 1.3.0');
    expect(await skillNames()).toEqual(['think']);
  });

  it('are refused when they are not what the registry announced', async () => {
    await registry();
    const other = `sha512-${Buffer.alloc(64).toString('base64')}`;
    packages.set('@acme/quiet', [{ version: '1.0.0', packed: packed('1.0.0'), dist: { integrity: other } }]);
    await market(undefined);
    expect(await codeOf(install('quiet'))).toBe('MARKETPLACE_INTEGRITY');
  });

  it('are restored only with the bytes that were pinned', async () => {
    await registry();
    packages.set('@acme/quiet', [{ version: '1.0.0', packed: packed('1.0.0') }]);
    await market(undefined);
    await install('quiet');
    rmSync(world.at('cache'), { recursive: true });
    writeOver(world.folderOf('quiet@acme'), 'skills/think/SKILL.md', 'changed');
    packages.set('@acme/quiet', [{ version: '1.0.0', packed: packed('1.0.0', { 'evil.sh': '#!/bin/sh\n' }) }]);
    const restore = () => world.run('plugin install', { flags: { restore: true } });
    expect(await codeOf(restore())).toBe('MARKETPLACE_INTEGRITY');
    packages.set('@acme/quiet', [{ version: '1.0.0', packed: packed('1.0.0') }]);
    rmSync(world.at('cache'), { recursive: true });
    expect((await restore()).out).toContain('was restored');
    expect((await world.run('plugin verify')).code).toBe(0);
  });

  it('show a good signature of their registry, and are refused with a bad one', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const key = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
    await registry({ keys: [{ keyid: 'SHA256:test', key }] });
    const bytes = packed('1.0.0');
    const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
    const signatureOf = (text: string) => [
      { keyid: 'SHA256:test', sig: sign('sha256', Buffer.from(text), privateKey).toString('base64') },
    ];
    packages.set('@acme/quiet', [
      { version: '1.0.0', packed: bytes, dist: { signatures: signatureOf('something else') } },
    ]);
    await market(undefined);
    expect(await codeOf(install('quiet'))).toBe('MARKETPLACE_SIGNATURE');
    packages.set('@acme/quiet', [
      { version: '1.0.0', packed: bytes, dist: { signatures: signatureOf(`@acme/quiet@1.0.0:${integrity}`) } },
    ]);
    expect((await install('quiet')).out).toContain('signed by its registry (SHA256:test)');
  });
});

function writeOver(folder: string, name: string, text: string): void {
  chmodSync(`${folder}/${name}`, 0o644);
  writeFileSync(`${folder}/${name}`, text);
}
