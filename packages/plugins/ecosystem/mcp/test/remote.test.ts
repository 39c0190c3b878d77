import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openCallback } from '../src/oauth/callback.ts';
import { close, guarded, sse, streamable } from './servers/loopback.ts';
import { textOf } from './servers/programs.ts';
import { until } from '@tenon/test-kit/waiting';
import { world, type World } from '@tenon/test-kit/mcp-world';

describe('a server with an address', () => {
  it('is spoken to over Streamable HTTP, with the headers of its configuration', async () => {
    const server = await streamable();
    const user = { far: { type: 'http', url: server.url, headers: { Authorization: '!echo Bearer from-a-command' } } };
    const w = await world({ user });
    await w.settle();
    expect(textOf(await w.call('mcp__far__who'))).toBe('Bearer from-a-command');
    expect(server.seen.every(({ authorization }) => authorization === 'Bearer from-a-command')).toBe(true);
    expect(server.sessions.size).toBe(1);
    await w.dispose();
    // The session is ended at the server too.
    expect(server.sessions.size).toBe(0);
  });

  it('that forgot the session gets a new one, and the call is made', async () => {
    const server = await streamable();
    const w = await world({ user: { far: { type: 'http', url: server.url } } });
    await w.settle();
    server.forget();
    expect(textOf(await w.call('mcp__far__who'))).toBe('nobody');
  });

  it('that comes back after it was gone is reached again by a call', async () => {
    const server = await streamable();
    const w = await world({ user: { far: { type: 'http', url: server.url } } });
    await w.settle();
    await close(server.server);
    const gone = await w.call('mcp__far__who');
    expect(gone.isError).toBe(true);
    await streamable({ port: server.port });
    await until(async () => (await w.call('mcp__far__who')).isError !== true);
  });

  it('is spoken to over SSE when it says so, or when it knows nothing else', async () => {
    const server = await sse();
    const headers = { 'X-Who': 'me' };
    const w = await world({
      user: { old: { type: 'sse', url: server.url, headers }, unsaid: { type: 'http', url: server.url, headers } },
    });
    await w.settle();
    for (const name of ['old', 'unsaid']) expect(textOf(await w.call(`mcp__${name}__who`))).toBe('me');
    expect(server.streams.size).toBe(2);
  });
});

/** A browser that follows redirects, and what the user sees. */
async function login(w: World, name: string) {
  let shown = '';
  const running = w.command('mcp login', { args: { name }, onErr: (text) => (shown += text) });
  running.catch(() => undefined); // awaited below
  await Promise.race([until(() => /https?:\/\/\S+/.test(shown)), running]);
  const [url = ''] = /https?:\/\/\S+/.exec(shown) ?? [];
  const page = await fetch(url);
  return { page: await page.text(), url: new URL(url), ran: await running };
}

describe('a server that wants a login', () => {
  it('says so, takes one, and keeps it for the next time where nobody can read it', async () => {
    const server = await guarded({ scope: 'tools' });
    const user = { safe: { type: 'http', url: server.url } };
    const w = await world({ user, realModels: true });
    await w.settle();
    const [before] = await (await w.hub()).servers(w.cwd);
    expect(before).toMatchObject({ state: 'needs-login', problem: expect.stringContaining('tenon mcp login safe') });
    // Nothing was registered before the user asked for it.
    expect(server.log).toEqual([]);
    const { page, url, ran } = await login(w, 'safe');
    expect([page, ran.out]).toEqual([
      'You are logged in. This page can be closed.',
      'You are logged in at the MCP server "safe".\n',
    ]);
    expect(url.searchParams.get('scope')).toBe('tools');
    expect(server.log).toEqual(['register', 'authorization_code']);
    await w.dispose();

    const token = [...server.access][0] ?? '?';
    for (const file of filesBelow(w.home)) {
      const isThere = readFileSync(file).includes(token);
      expect([file, isThere]).toEqual([file, false]);
      if (/auth|key|credential/i.test(file)) expect(statSync(file).mode & 0o077).toBe(0);
    }

    const again = await world({ like: w, realModels: true });
    await again.settle();
    expect(textOf(await again.call('mcp__safe__who'))).toBe('a known user');

    // A token that has ended is renewed, and the new one kept.
    server.access.clear();
    expect(textOf(await again.call('mcp__safe__who'))).toBe('a known user');
    expect(server.log).toEqual(['register', 'authorization_code', 'refresh_token']);
    await again.dispose();
    const third = await world({ like: w, realModels: true });
    await third.settle();
    expect(textOf(await third.call('mcp__safe__who'))).toBe('a known user');

    // When nothing can be renewed any more, the user is told.
    server.access.clear();
    server.refresh.clear();
    const ended = await third.call('mcp__safe__who');
    expect([ended.isError, textOf(ended)]).toEqual([true, expect.stringContaining('tenon mcp login safe')]);
    const out = await third.command('mcp logout', { args: { name: 'safe' } });
    expect(out.out).toContain('is forgotten');
  });

  it('may want more than was granted; the next login asks for it', async () => {
    const server = await guarded({ scope: 'basic' });
    const w = await world({ user: { safe: { type: 'http', url: server.url } } });
    await login(w, 'safe');
    await w.settle();
    server.state.neededScope = 'extra';
    const refused = await w.call('mcp__safe__who');
    expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringContaining('tenon mcp login safe')]);
    const { url } = await login(w, 'safe');
    expect(url.searchParams.get('scope')?.split(' ').sort()).toEqual(['basic', 'extra']);
    await (await w.hub()).reconnect(w.cwd, 'safe');
    expect(textOf(await w.call('mcp__safe__who'))).toBe('a known user');
  });

  it('may ask for the login, and name what it is for, at either beginning of a connection', async () => {
    const server = await guarded();
    server.state.discoverScope = 'deep';
    const w = await world({ user: { safe: { type: 'http', url: server.url } } });
    const { url } = await login(w, 'safe');
    expect(url.searchParams.get('scope')).toBe('deep');
  });

  it('does not get a login at another address of the same name', async () => {
    const [one, two] = [await guarded(), await guarded()];
    const w = await world({ user: { safe: { type: 'http', url: one.url } } });
    await login(w, 'safe');
    await w.command('mcp add', { args: { name: 'safe', target: [two.url] }, flags: { force: true } });
    const tested = await w.command('mcp test', { args: { name: 'safe' }, flags: { json: true } });
    expect(tested.json).toMatchObject({ ok: false, problem: expect.stringContaining('asks you to log in') });
  });

  it('is no program of this machine', async () => {
    const w = await world({ user: { local: { command: 'x' } } });
    await expect(w.command('mcp login', { args: { name: 'local' } })).rejects.toMatchObject({ code: 'MCP_NO_LOGIN' });
  });
});

describe('the way back from a login', () => {
  it('is closed to those who do not know its state', async () => {
    const callback = await openCallback({});
    const stop = new AbortController();
    const waiting = callback.wait('right', stop.signal);
    const strange = await fetch(`${callback.redirectUrl}?code=x&state=wrong`);
    expect(strange.status).toBe(400);
    expect((await fetch(callback.redirectUrl.replace('/callback', '/other'))).status).toBe(404);
    await fetch(`${callback.redirectUrl}?code=good&state=right`);
    expect((await waiting).get('code')).toBe('good');
    callback.close();
  });
});

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
