import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { directTarget } from '../src/catalogue/direct.ts';
import { npmPackage, tgz } from './support/archive.ts';
import { below, quietPlugin } from './support/samples.ts';
import { type Published, type Running, serveGit, serveRegistry } from './support/servers.ts';
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

const install = (source: string, flags: Record<string, string | boolean> = {}) =>
  world.run('plugin install', { args: { plugins: [source] }, flags: { 'accept-permissions': true, ...flags } });
const upgrade = () => world.run('plugin upgrade', { flags: { 'accept-permissions': true } });

const packManifest = (version: string, more: object = {}) =>
  JSON.stringify({
    name: 'hello-pack',
    version,
    type: 'module',
    tenon: { id: 'hello-pack', kernel: '^1', entry: 'plugin.ts' },
    ...more,
  });
const pack = (version = '1.0.0', more: object = {}) => ({
  'package.json': packManifest(version, more),
  'plugin.ts': `import { definePlugin } from '@tenon/kernel';\nexport default definePlugin({ id: 'hello-pack', activate() {} });\n`,
});

async function registry(packages: Map<string, Published[]>): Promise<void> {
  const server = await serveRegistry(packages);
  servers.push(server);
  writeFileSync(world.at('home', '.npmrc'), `registry=${server.url}/\n`);
}

describe('a plugin without a marketplace', () => {
  it('is installed from an archive of `npm pack`, upgraded from it and restored', async () => {
    world.put('work', pack());
    execFileSync('npm', ['pack', '--silent', '--pack-destination', world.at()], { cwd: world.at('work') });
    const archive = world.at('hello-pack-1.0.0.tgz');
    const { out } = await install(archive);
    expect(out).toContain('pack "hello-pack": code that runs isolated');
    expect(out).toContain('Plugin "hello-pack@file" 1.0.0 was installed');
    expect((await world.run('plugin outdated')).code).toBe(0);
    rmSync(world.folderOf('hello-pack@file'), { recursive: true, force: true });
    expect((await world.run('plugin install', { flags: { restore: true } })).out).toContain('was restored');
    writeFileSync(archive, npmPackage(pack('1.1.0', { description: 'Newer' })));
    expect((await upgrade()).out).toContain('from 1.0.0 to 1.1.0');
    expect((await world.run('plugin uninstall', { args: { plugin: 'hello-pack' } })).code).toBe(0);
  });

  it('is installed from npm by name, and stays within the versions that were asked for', async () => {
    const packages = new Map<string, Published[]>();
    await registry(packages);
    const versions = (...list: string[]) =>
      list.map((version) => ({ version, packed: npmPackage(quietPlugin(version, `Text of ${version}`)) }));
    packages.set('@acme/quiet', versions('1.0.0', '2.0.0'));
    packages.set('plain', versions('3.0.0'));
    expect((await install('npm:@acme/quiet@^1.0.0')).out).toContain('"acme-quiet@npm" 1.0.0 was installed');
    expect((await install('npm:plain')).out).toContain('"plain@npm" 3.0.0 was installed');
    packages.set('@acme/quiet', versions('1.0.0', '1.4.0', '2.0.0'));
    packages.set('plain', versions('3.0.0', '4.0.0'));
    const { out } = await upgrade();
    expect(out).toContain('"acme-quiet@npm" was upgraded from 1.0.0 to 1.4.0');
    expect(out).toContain('"plain@npm" was upgraded from 3.0.0 to 4.0.0');
    expect(await codeOf(install('npm:nothing-like-it'))).toBe('MARKETPLACE_FETCH_FAILED');
  });

  it('is installed from the address of a git repository, at a branch too', async () => {
    world.commit('plain', quietPlugin('1.0.0'));
    gitIn(world.at('plain'), 'branch', 'stable');
    world.commit('plain', quietPlugin('2.0.0', 'Newer.'));
    gitIn(world.at(), 'clone', '-q', '--bare', world.at('plain'), world.at('served/acme/plain.git'));
    const server = await serveGit(world.at('served'));
    servers.push(server);
    world.settings['githubUrl'] = server.url;
    expect((await install(`${server.url}/acme/plain.git#stable`)).out).toContain('"plain@git" 1.0.0 was installed');
    expect((await upgrade()).out).toContain('is up to date');
    expect((await install(`git+${server.url}/acme/plain.git`, { force: true })).out).toContain('2.0.0 was installed');
    expect((await install('acme/plain', { force: true })).code).toBe(0);
  });

  it('is installed from a folder', async () => {
    world.put('project/mine', quietPlugin());
    expect((await install('./mine')).out).toContain('"mine@file" 1.0.0 was installed');
  });

  it('is looked at like every other: hostile archives are refused, nothing stays', async () => {
    writeFileSync(world.at('evil-1.0.0.tgz'), tgz([{ path: 'package/../../evil', content: 'x' }]));
    expect(await codeOf(install(world.at('evil-1.0.0.tgz')))).toBe('MARKETPLACE_HOSTILE');
    expect(existsSync(world.at('evil'))).toBe(false);
    expect(await codeOf(install('./absent-1.0.0.tgz'))).toBe('MARKETPLACE_SOURCE_INVALID');
    for (const source of ['ext::sh -c x', 'http://example.com/x.git', 'npm:../x', 'https://a:b@example.com/x.git'])
      expect(await codeOf(install(source)), source).toMatch(/MARKETPLACE_(?:SOURCE|NAME)_INVALID/);
    expect(existsSync(world.at('data/plugins/lock.json'))).toBe(false);
  });

  it('is told apart from the name of a plugin', () => {
    const rules = { githubUrl: 'https://github.com' };
    const target = (text: string) => directTarget(text, rules, '/', '/');
    for (const text of ['review', 'review@acme', 'wordpress.com@acme']) expect(target(text), text).toBeUndefined();
    expect(target('acme/review')).toMatchObject({ id: 'review@git' });
    expect(target('git@example.com:acme/Review.git')).toMatchObject({ id: 'review@git' });
    expect(target('npm:@acme/review')).toMatchObject({ id: 'acme-review@npm', entry: { source: { kind: 'npm' } } });
  });
});

describe('packages that a pack needs', () => {
  const needs = { dependencies: { 'left-pad': '1', '@tenon/kernel': '*', '@types/node': '*' } };

  it('are refused with the reason when it does not bring them', async () => {
    writeFileSync(world.at('hello-pack-1.0.0.tgz'), npmPackage(pack('1.0.0', needs)));
    const fault = await faultOf(install(world.at('hello-pack-1.0.0.tgz')));
    expect(fault.code).toBe('MARKETPLACE_PLUGIN_INVALID');
    expect(fault.message).toContain('it needs npm packages that it does not bring (left-pad)');
    expect(fault.message).toContain('bundleDependencies');
  });

  it('are used when it bundles them', async () => {
    const leftPad = { 'package.json': '{"name":"left-pad","version":"1.0.0"}', 'index.js': '' };
    const files = { ...pack('1.0.0', needs), ...below('node_modules/left-pad', leftPad) };
    writeFileSync(world.at('hello-pack-1.0.0.tgz'), npmPackage(files));
    expect((await install(world.at('hello-pack-1.0.0.tgz'))).out).toContain('1.0.0 was installed');
  });
});
