/** Accounts with real files, a real vault and a vendor's server on loopback. */
import { execFile, execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildProgram } from '@tenon/test-kit/built-program';
import { later, temporaryFolder } from '@tenon/test-kit/temporary';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { createAccounts } from '../src/accounts.ts';
import type { Account, Accounts } from '../src/api.ts';
import { busyUntil, chooseAccount } from '../src/choice.ts';
import { describeAccount } from '../src/commands.ts';
import { LOGIN_HOMES, type LoginHome } from '../src/login-homes.ts';

let base: string;
let service: Accounts;
let clock: number;
let kept: Map<string, string>;
const signal = new AbortController().signal;

function make(homes?: Readonly<Record<string, LoginHome>>): Accounts {
  return createAccounts({
    data: join(base, 'data'),
    state: join(base, 'state'),
    home: join(base, 'home'),
    now: () => clock++,
    ...(homes && { homes }),
    auth: async () => ({
      secret: async (name) => kept.get(name),
      async changeSecret(name, change) {
        const next = await change(kept.get(name));
        if (next === undefined) kept.delete(name);
        else kept.set(name, next);
      },
    }),
  });
}

beforeEach(() => {
  base = temporaryFolder('accounts');
  clock = Date.parse('2026-01-01T00:00:00Z');
  kept = new Map();
  service = make();
});

const addKeys = async (...keys: readonly string[]) => {
  const added: Account[] = [];
  for (const secret of keys) added.push(await service.add({ vendor: 'anthropic', kind: 'api-key', secret }));
  return added;
};

describe('turns', () => {
  test('the account that was used longest ago is next, and those never used come first', async () => {
    await addKeys('a', 'b', 'c');
    const ids = [];
    for (let at = 0; at < 5; at++) ids.push((await service.next('anthropic'))?.id);
    expect(ids).toEqual(['anthropic-1', 'anthropic-2', 'anthropic-3', 'anthropic-1', 'anthropic-2']);
  });

  test('a vendor without accounts leaves the worker to its own login', async () => {
    await addKeys('a');
    expect(await service.next('openai')).toBeUndefined();
  });

  test('one that is used up is left out until its time, and the error says when the first is free again', async () => {
    const [first] = await addKeys('a', 'b');
    await service.markExhausted(first?.id ?? '', new Date('2026-01-01T05:00:00Z'), 'usage limit');
    expect((await service.next('anthropic'))?.id).toBe('anthropic-2');
    await service.markExhausted('anthropic-2', new Date('2026-01-01T03:00:00Z'), 'usage limit');
    await expect(service.next('anthropic')).rejects.toThrow('free again at 2026-01-01T03:00:00.000Z');
    clock = Date.parse('2026-01-01T04:00:00Z');
    expect((await service.next('anthropic'))?.id).toBe('anthropic-2');
  });

  test('one with almost nothing left is passed over before it fails', async () => {
    await addKeys('a', 'b');
    await service.record('anthropic-1', {
      limits: [{ window: '5h', left: 0.02, resetsAt: '2026-01-01T05:00:00.000Z' }],
    });
    expect((await service.next('anthropic'))?.id).toBe('anthropic-2');
    expect((await service.next('anthropic'))?.id).toBe('anthropic-2');
    await service.record('anthropic-1', { limits: [{ window: '5h', left: 0.9 }] });
    expect((await service.next('anthropic'))?.id).toBe('anthropic-1');
  });

  test('a little is used when nothing else is left, and nothing is used when nothing is', async () => {
    await addKeys('a', 'b');
    const limits = (left: number) => ({
      limits: [{ window: '5h', left, resetsAt: '2026-01-01T05:00:00.000Z' }],
    });
    await service.record('anthropic-1', limits(0.02));
    await service.record('anthropic-2', limits(0));
    expect((await service.next('anthropic'))?.id).toBe('anthropic-1');
    expect((await service.next('anthropic'))?.id).toBe('anthropic-1');
    expect((await service.list()).map((account) => describeAccount(account, clock))).toEqual([
      expect.stringContaining('almost used up until 2026-01-01T05'),
      expect.stringContaining('  used up until 2026-01-01T05'),
    ]);
    await service.record('anthropic-1', limits(0));
    await expect(service.next('anthropic')).rejects.toThrow('free again at 2026-01-01T05:00:00.000Z');
  });

  test('one that was put aside is not used; enabling it also forgets that it was used up', async () => {
    await addKeys('a');
    await service.markExhausted('anthropic-1', new Date('2027-01-01T00:00:00Z'), 'x');
    await service.enable('anthropic-1', false);
    expect(await service.next('anthropic')).toBeUndefined();
    await service.enable('anthropic-1', true);
    expect((await service.next('anthropic'))?.id).toBe('anthropic-1');
  });

  test('an account that failed in this run is not tried again', async () => {
    await addKeys('a', 'b');
    expect((await service.next('anthropic', { except: ['anthropic-1'] }))?.id).toBe('anthropic-2');
    await expect(service.next('anthropic', { except: ['anthropic-1', 'anthropic-2'] })).rejects.toMatchObject({
      code: 'ACCOUNTS_EXHAUSTED',
    });
  });

  test('the choice is never busy, and nobody who is free waits longer', () => {
    const time = fc.integer({ min: 0, max: 20 }).map((hour) => new Date(Date.UTC(2026, 0, 1, hour)).toISOString());
    const account = fc.record({
      lastUsed: fc.option(time, { nil: undefined }),
      exhaustedUntil: fc.option(time, { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(account, { maxLength: 6 }), fc.integer({ min: 0, max: 20 }), (given, hour) => {
        const now = Date.UTC(2026, 0, 1, hour, 30);
        const all = given.map((one, at) => ({ ...one, id: `${at}`, added: `${at}`, limits: [] }) as unknown as Account);
        const choice = chooseAccount(all, now);
        const free = all.filter((one) => busyUntil(one, now) === undefined);
        if (!('account' in choice)) {
          expect(free).toEqual([]);
          return;
        }
        expect(free).toContain(choice.account);
        for (const other of free) expect((choice.account.lastUsed ?? '') <= (other.lastUsed ?? '')).toBe(true);
      }),
    );
  });

  test('processes that take accounts at the same time lose no turn', async () => {
    await addKeys('a', 'b', 'c', 'd');
    const program = await buildProgram(join(import.meta.dirname, 'fixtures/take-account.ts'));
    const run = promisify(execFile);
    const taken = await Promise.all(
      Array.from({ length: 4 }, () => run(process.execPath, [program, join(base, 'data'), '5'])),
    );
    const counts = new Map<string, number>();
    for (const id of taken.flatMap(({ stdout }) => stdout.split(' '))) counts.set(id, (counts.get(id) ?? 0) + 1);
    expect([...counts.values()]).toEqual([5, 5, 5, 5]);
    const listed = await service.list();
    expect(listed.map(({ usage }) => usage.runs)).toEqual([5, 5, 5, 5]);
  });
});

describe('adding', () => {
  test('keeps the credential out of the list and gives each account an id', async () => {
    await service.add({ vendor: 'openai', kind: 'api-key', secret: ' sk-hidden-key \n', label: 'work' });
    const text = readFileSync(join(base, 'data/accounts.json'), 'utf8');
    expect(text).not.toContain('sk-hidden-key');
    expect(kept.get('account openai-1')).toBe('sk-hidden-key');
    expect(await service.list()).toMatchObject([{ id: 'openai-1', label: 'work', kind: 'api-key', isEnabled: true }]);
    expect(describeAccount((await service.list())[0] as Account, clock)).toBe(
      'openai-1  work  api-key  free  0 runs, 0 tokens in, 0 out',
    );
  });

  test('refuses what cannot work, and says what to do', async () => {
    const add = (account: Parameters<Accounts['add']>[0]) => service.add(account);
    await expect(add({ vendor: 'Open AI', kind: 'api-key', secret: 'x' })).rejects.toMatchObject({
      code: 'ACCOUNTS_VENDOR',
    });
    await expect(add({ vendor: 'openai', kind: 'api-key', secret: ' ' })).rejects.toMatchObject({
      code: 'ACCOUNTS_NO_SECRET',
    });
    await expect(add({ vendor: 'google', kind: 'oauth', secret: '{}' })).rejects.toThrow(
      'anthropic and openai can be imported',
    );
    await expect(add({ vendor: 'anthropic', kind: 'oauth', secret: 'no json' })).rejects.toThrow('it has no token');
    await expect(add({ vendor: 'anthropic', kind: 'config-folder', folder: join(base, 'none') })).rejects.toMatchObject(
      { code: 'ACCOUNTS_FOLDER' },
    );
    expect(await service.list()).toEqual([]);
  });

  test('removing takes the credential and what was written for workers', async () => {
    const secret = JSON.stringify({ claudeAiOauth: { accessToken: 'token' } });
    const account = await service.add({ vendor: 'anthropic', kind: 'oauth', secret });
    const { env } = await service.inject(account, { worker: 'claude', signal });
    expect(await service.remove(account.id)).toBe(true);
    expect([kept.size, existsSync(env['CLAUDE_CONFIG_DIR'] ?? '')]).toEqual([0, false]);
    expect(await service.remove(account.id)).toBe(false);
  });
});

describe('a worker is given', () => {
  test.each([
    ['anthropic', 'claude', 'api-key', { ANTHROPIC_API_KEY: 'the-secret' }],
    ['anthropic', 'claude', 'setup-token', { CLAUDE_CODE_OAUTH_TOKEN: 'the-secret' }],
    ['openai', 'codex', 'api-key', { CODEX_API_KEY: 'the-secret', OPENAI_API_KEY: 'the-secret' }],
    ['google', 'gemini', 'api-key', { GEMINI_API_KEY: 'the-secret' }],
    ['acme', 'acme-cli', 'api-key', { ACME_KEY: 'the-secret' }],
  ] as const)('the %s account of %s as %s', async (vendor, worker, kind, env) => {
    const account = await service.add({ vendor, kind, secret: 'the-secret' });
    const injection = await service.inject(account, { worker, keyVariables: ['ACME_KEY', 'OTHER'], signal });
    expect(injection).toMatchObject({ env, secrets: ['the-secret'] });
  });

  test('a folder in which the CLI is logged in, as it is', async () => {
    const folder = join(base, 'second-login');
    mkdirSync(folder);
    const account = await service.add({ vendor: 'openai', kind: 'config-folder', folder });
    expect(await service.inject(account, { worker: 'codex', signal })).toMatchObject({
      env: { CODEX_HOME: folder },
      folders: [folder],
    });
  });

  test('nothing when Tenon does not know how', async () => {
    const token = await service.add({ vendor: 'google', kind: 'setup-token', secret: 'x' });
    await expect(service.inject(token, { worker: 'gemini', signal })).rejects.toMatchObject({ code: 'ACCOUNTS_KIND' });
  });

  test('a login in a folder of its own, for the user alone, with the sessions of all accounts', async () => {
    mkdirSync(join(base, 'home/.claude/projects'), { recursive: true });
    const secret = JSON.stringify({ claudeAiOauth: { accessToken: 'token', refreshToken: null, expiresAt: null } });
    const account = await service.add({ vendor: 'anthropic', kind: 'oauth', secret });
    const { env, folders, secrets, release } = await service.inject(account, { worker: 'claude', signal });
    const folder = env['CLAUDE_CONFIG_DIR'] ?? '';
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, '.credentials.json')).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(join(folder, '.credentials.json'), 'utf8'))).toEqual(JSON.parse(secret));
    expect(JSON.parse(readFileSync(join(folder, '.claude.json'), 'utf8'))).toEqual({ hasCompletedOnboarding: true });
    expect(readlinkSync(join(folder, 'projects'))).toBe(join(base, 'home/.claude/projects'));
    expect(folders).toContain(join(base, 'home/.claude/projects'));
    expect(secrets).toEqual(['token']);
    await release();
    expect(kept.get(`account ${account.id}`)).toBe(secret);
  });
});

test("settings that a worker has put into the folder of an account are the user's own again, before anybody uses them", async () => {
  const own = join(base, 'home/.claude');
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, 'settings.json'), 'MINE');
  const secret = JSON.stringify({ claudeAiOauth: { accessToken: 'token', refreshToken: null, expiresAt: null } });
  const account = await service.add({ vendor: 'anthropic', kind: 'oauth', secret });
  const { env } = await service.inject(account, { worker: 'claude', signal });
  const folder = env['CLAUDE_CONFIG_DIR'] ?? '';
  for (const name of ['settings.json', 'hooks']) rmSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'settings.json'), 'EVIL');
  writeFileSync(join(folder, 'settings.local.json'), 'EVIL');
  mkdirSync(join(folder, 'hooks'));
  writeFileSync(join(folder, 'hooks/x'), 'EVIL');
  mkdirSync(join(base, 'elsewhere'));
  rmSync(join(folder, 'commands'));
  symlinkSync(join(base, 'elsewhere'), join(folder, 'commands'));
  await service.inject(account, { worker: 'claude', signal });
  expect(readFileSync(join(folder, 'settings.json'), 'utf8')).toBe('MINE');
  expect(existsSync(join(folder, 'settings.local.json'))).toBe(false);
  expect(existsSync(join(folder, 'hooks/x'))).toBe(false);
  expect(readlinkSync(join(folder, 'commands'))).toBe(join(base, 'state/accounts/shared/claude/commands'));
  expect(readFileSync(join(own, 'settings.json'), 'utf8')).toBe('MINE');
});

describe('what must not be shown of a worker', () => {
  const token = 'token-0123456789';
  const login = JSON.stringify({
    claudeAiOauth: { accessToken: token, refreshToken: null, scopes: ['user:inference'] },
  });

  test('is the credential of its account, as a key, a login, a renewed login and a folder', async () => {
    const key = await service.add({ vendor: 'google', kind: 'api-key', secret: 'key-0123456789' });
    expect(await service.secrets({ worker: 'gemini', account: key.id, env: {} })).toEqual(['key-0123456789']);
    const account = await service.add({ vendor: 'anthropic', kind: 'oauth', secret: login });
    const { env } = await service.inject(account, { worker: 'claude', signal });
    const file = join(env['CLAUDE_CONFIG_DIR'] ?? '', '.credentials.json');
    writeFileSync(file, login.replace(token, 'renewed-0123456789'));
    expect(await service.secrets({ worker: 'claude', account: account.id, env: {} })).toEqual([
      token,
      'renewed-0123456789',
    ]);
    const folder = join(base, 'other');
    mkdirSync(folder);
    writeFileSync(join(folder, 'auth.json'), JSON.stringify({ tokens: { access_token: 'in-a-folder-0123456' } }));
    const other = await service.add({ vendor: 'openai', kind: 'config-folder', folder });
    expect(await service.secrets({ worker: 'codex', account: other.id, env: {} })).toEqual(['in-a-folder-0123456']);
  });

  test('is else the login of its CLI, also where a variable has moved it, but nothing behind a link', async () => {
    mkdirSync(join(base, 'home/.claude'), { recursive: true });
    writeFileSync(join(base, 'home/.claude/.credentials.json'), login);
    const ask = (env: Record<string, string>) => service.secrets({ worker: 'claude', env });
    expect(await ask({})).toEqual([token]);
    const moved = join(base, 'moved');
    mkdirSync(moved);
    expect(await ask({ CLAUDE_CONFIG_DIR: moved })).toEqual([]);
    symlinkSync(join(base, 'home/.claude/.credentials.json'), join(moved, '.credentials.json'));
    expect(await ask({ CLAUDE_CONFIG_DIR: moved })).toEqual([]);
  });
});

describe('a login that ends', () => {
  const asked: string[] = [];
  let answer: { status: number; body: unknown };

  async function withServer(): Promise<Accounts> {
    asked.length = 0;
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (part) => (body += part));
      request.on('end', () => {
        asked.push(body);
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    later(() => void server.close());
    const { claude } = LOGIN_HOMES;
    if (!claude) throw new Error('there is a login of claude');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
    return make({ claude: { ...claude, renewal: { url, clientId: 'client' } } });
  }
  const login = (expiresAt: number, refreshToken: string | null = 'refresh-1') =>
    JSON.stringify({ claudeAiOauth: { accessToken: 'old', refreshToken, expiresAt, scopes: ['a'] } });

  test('is renewed before the worker starts, once for several runs, and kept', async () => {
    answer = { status: 200, body: { access_token: 'new', refresh_token: 'refresh-2', expires_in: 3600 } };
    const own = await withServer();
    const account = await own.add({ vendor: 'anthropic', kind: 'oauth', secret: login(Date.now() + 1000) });
    const { env } = await own.inject(account, { worker: 'claude', signal });
    await own.inject(account, { worker: 'claude', signal });
    const written = JSON.parse(readFileSync(join(env['CLAUDE_CONFIG_DIR'] ?? '', '.credentials.json'), 'utf8'));
    expect(written.claudeAiOauth).toMatchObject({ accessToken: 'new', refreshToken: 'refresh-2', scopes: ['a'] });
    expect(asked.map((body) => JSON.parse(body))).toEqual([
      { grant_type: 'refresh_token', refresh_token: 'refresh-1', client_id: 'client' },
    ]);
    expect(JSON.parse(kept.get(`account ${account.id}`) ?? '')).toEqual(written);
  });

  test('and cannot be renewed says so, and keeps what there is', async () => {
    answer = { status: 400, body: { error: 'invalid_grant' } };
    const own = await withServer();
    const account = await own.add({ vendor: 'anthropic', kind: 'oauth', secret: login(0) });
    await expect(own.inject(account, { worker: 'claude', signal })).rejects.toThrow('the server answered 400');
    expect(kept.get(`account ${account.id}`)).toBe(login(0));
    const last = await own.add({ vendor: 'anthropic', kind: 'oauth', secret: login(0, null) });
    await expect(own.inject(last, { worker: 'claude', signal })).rejects.toThrow('it cannot be renewed');
  });

  test('and that the CLI has renewed by itself is taken back; an older one is not', async () => {
    const own = await withServer();
    const account = await own.add({ vendor: 'anthropic', kind: 'oauth', secret: login(Date.now() + 3_600_000) });
    const { env, release } = await own.inject(account, { worker: 'claude', signal });
    const file = join(env['CLAUDE_CONFIG_DIR'] ?? '', '.credentials.json');
    const write = (accessToken: string, expiresAt: number) =>
      writeFileSync(file, JSON.stringify({ claudeAiOauth: { accessToken, expiresAt } }));
    write('renewed', Date.now() + 7_200_000);
    await release();
    expect(kept.get(`account ${account.id}`)).toContain('renewed');
    write('stale', Date.now() - 1000);
    await release();
    expect(kept.get(`account ${account.id}`)).toContain('renewed');
    writeFileSync(file, 'half a fi');
    await release();
    expect(kept.get(`account ${account.id}`)).toContain('renewed');
  });

  test('a link in its place leads to no login of another account, and nothing is written through it', async () => {
    const own = await withServer();
    const account = await own.add({ vendor: 'anthropic', kind: 'oauth', secret: login(Date.now() + 3_600_000) });
    const { env, release } = await own.inject(account, { worker: 'claude', signal });
    const folder = env['CLAUDE_CONFIG_DIR'] ?? '';
    const others = join(base, 'others.json');
    const theirs = JSON.stringify({ claudeAiOauth: { accessToken: 'of-others', expiresAt: Date.now() + 7_200_000 } });
    writeFileSync(others, theirs);
    rmSync(join(folder, '.credentials.json'));
    symlinkSync(others, join(folder, '.credentials.json'));
    rmSync(join(folder, '.claude.json'));
    symlinkSync(join(base, 'made-outside'), join(folder, '.claude.json'));
    await release();
    expect(kept.get(`account ${account.id}`)).not.toContain('of-others');
    await own.inject(account, { worker: 'claude', signal });
    expect(kept.get(`account ${account.id}`)).not.toContain('of-others');
    expect(readFileSync(others, 'utf8')).toBe(theirs);
    expect(existsSync(join(base, 'made-outside'))).toBe(false);
  });

  test('a pipe in its place does not make Tenon wait', async () => {
    const own = await withServer();
    const account = await own.add({ vendor: 'anthropic', kind: 'oauth', secret: login(Date.now() + 3_600_000) });
    const { env, release } = await own.inject(account, { worker: 'claude', signal });
    const file = join(env['CLAUDE_CONFIG_DIR'] ?? '', '.credentials.json');
    rmSync(file);
    execFileSync('mkfifo', [file]);
    await release();
    expect(kept.get(`account ${account.id}`)).toContain('old');
  });
});
