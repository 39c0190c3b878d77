import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { download } from '../src/fetch/http.ts';
import { NpmConfig } from '../src/fetch/npm-config.ts';
import { marketplace, quietPlugin } from './support/samples.ts';
import { type Running, serve } from './support/servers.ts';
import { faultOf, gitIn, World } from './support/tenon.ts';

let world: World;
let server: Running;

beforeEach(async () => {
  world = new World();
  server = await serve((request, response) => {
    const { pathname } = new URL(request.url ?? '/', server.url);
    const redirect = (location: string) => response.writeHead(302, { location }).end();
    if (pathname === '/ok') return void response.end(`token: ${request.headers.authorization ?? 'none'}`);
    if (pathname === '/hop') return void redirect('/ok');
    if (pathname === '/loop') return void redirect('/loop');
    if (pathname === '/plain') return void redirect('http://example.com/x');
    if (pathname === '/file') return void redirect('file:///etc/passwd');
    if (pathname === '/large') return void response.end(Buffer.alloc(100_000));
    if (pathname === '/silent') return undefined;
    response.writeHead(pathname === '/broken' ? 500 : 404).end();
  });
});

afterEach(async () => {
  await server.stop();
  await world.end();
});

const get = (path: string, options: { reach?: 'local' | 'loopback' | 'remote'; timeoutMs?: number } = {}) =>
  download({
    url: `${server.url}${path}`,
    maxBytes: 50_000,
    timeoutMs: options.timeoutMs ?? 5_000,
    signal: new AbortController().signal,
    reach: options.reach ?? 'loopback',
  });

describe('fetching a file', () => {
  it('follows redirects, and gives nothing where nothing is', async () => {
    expect(String(await get('/hop'))).toBe('token: none');
    expect(await get('/absent')).toBeUndefined();
  });

  it.each([
    ['/loop', 'MARKETPLACE_FETCH_FAILED', 'redirected more than 5 times'],
    ['/plain', 'MARKETPLACE_SOURCE_INVALID', 'http can be changed on the way'],
    ['/file', 'MARKETPLACE_SOURCE_INVALID', 'cannot name files of this machine'],
    ['/large', 'MARKETPLACE_FETCH_FAILED', 'larger than 48 kB'],
    ['/broken', 'MARKETPLACE_FETCH_FAILED', 'the server answered 500'],
  ])('%s is refused', async (path, code, reason) => {
    const fault = await faultOf(get(path));
    expect(fault.code).toBe(code);
    expect(fault.message).toContain(reason);
  });

  it('gives up on a server that says nothing, and does not lead remote catalogues to this machine', async () => {
    expect((await faultOf(get('/silent', { timeoutMs: 200 }))).message).toContain('no answer within 0.2 s');
    expect((await faultOf(get('/ok', { reach: 'remote' }))).message).toContain('cannot name servers on this machine');
  });
});

describe("npm's configuration", () => {
  it('says the registry of a package and gives keys only to whom they belong', async () => {
    writeFileSync(
      world.at('home', '.npmrc'),
      [
        '; a comment',
        'registry = "https://one.example/npm"',
        '@acme:registry=https://two.example/',
        '//two.example/:_authToken=${TWO_TOKEN}',
        '//one.example/npm/:_auth=dXNlcjpwYXNz',
        '//three.example/:username=me',
        `//three.example/:_password=${Buffer.from('pw').toString('base64')}`,
      ].join('\n'),
    );
    const config = await NpmConfig.read(world.at('home'), { TWO_TOKEN: 'abc' });
    expect(await config.registryFor('left')).toBe('https://one.example/npm/');
    expect(await config.registryFor('@acme/x')).toBe('https://two.example/');
    expect(config.headersFor('https://two.example/x/-/x.tgz')).toEqual({ authorization: 'Bearer abc' });
    expect(config.headersFor('https://one.example/npm/x')).toEqual({ authorization: 'Basic dXNlcjpwYXNz' });
    expect(config.headersFor('https://one.example/other')).toEqual({});
    expect(config.headersFor('https://evil.example/two.example/')).toEqual({});
    const basic = Buffer.from('me:pw').toString('base64');
    expect(config.headersFor('https://three.example/a')).toEqual({ authorization: `Basic ${basic}` });
    const other = await NpmConfig.read(world.at('home'), { npm_config_registry: 'https://env.example' });
    expect(await other.registryFor('left')).toBe('https://env.example/');
  });
});

describe('a repository that is too large', () => {
  beforeEach(() => {
    world.settings['maxRepositoryMegabytes'] = 0.5;
    world.commit('market', marketplace({ quiet: quietPlugin() }));
    world.commit('market', { 'big.bin': randomBytes(1024 * 1024) });
    gitIn(world.at(), 'clone', '-q', '--bare', world.at('market'), world.at('market.git'));
  });

  const addedInVain = async () => {
    const fault = await faultOf(world.run('marketplace add', { args: { source: world.at('market.git') } }));
    expect(fault.message).toContain('it is larger than 0.5 MB');
    expect(existsSync(world.at('data/plugins/marketplaces.json'))).toBe(false);
    expect(readdirSync(world.at('cache/marketplace/git')).filter((name) => name.endsWith('.git'))).toEqual([]);
  };

  it('is not kept', addedInVain);

  it('is not kept either when the fetch is stopped while it goes on', async () => {
    const git = execFileSync('which', ['git'], { encoding: 'utf8' }).trim();
    const slow = `#!/bin/sh\n"${git}" "$@" || exit\ncase " $* " in *" fetch "*) sleep 60 ;; esac\n`;
    mkdirSync(world.at('bin'));
    writeFileSync(world.at('bin/git'), slow, { mode: 0o755 });
    vi.stubEnv('PATH', `${world.at('bin')}:${process.env['PATH'] ?? ''}`);
    try {
      await addedInVain();
    } finally {
      vi.unstubAllEnvs();
    }
  });
});
