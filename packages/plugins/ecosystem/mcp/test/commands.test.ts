import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { marks, plain, PLAIN } from './servers/programs.ts';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { world, writeServers } from '@tenon/test-kit/mcp-world';

const json = { json: true };

describe('tenon mcp add and remove', () => {
  it('write servers into files of ours that other tools understand', async () => {
    const w = await world();
    const target = ['npx', '-y', 'some-server', '--flag'];
    await w.command('mcp add', {
      args: { name: 'local', target },
      flags: { env: ['A=b=c', 'TOKEN=TOKEN'], folder: '/srv' },
    });
    const flags = {
      header: ['Authorization: Bearer x', 'X-A: 1'],
      project: true,
      timeout: '5000',
      'client-id': 'me',
      json: true,
    };
    const added = await w.command('mcp add', { args: { name: 'far', target: ['https://example.com/mcp'] }, flags });
    await w.command('mcp add', {
      args: { name: 'old', target: ['http://example.com/sse'] },
      flags: { transport: 'sse' },
    });
    const user = join(w.home, 'config', 'mcp.json');
    expect(JSON.parse(readFileSync(user, 'utf8'))).toEqual({
      mcpServers: {
        local: { type: 'stdio', command: 'npx', args: target.slice(1), env: { A: 'b=c', TOKEN: 'TOKEN' }, cwd: '/srv' },
        old: { type: 'sse', url: 'http://example.com/sse' },
      },
    });
    expect(statSync(user).mode & 0o777).toBe(0o600);
    const file = join(w.cwd, '.tenon', 'mcp.json');
    expect(added.json).toMatchObject({ name: 'far', scope: 'project', file });
    expect(JSON.parse(readFileSync(file, 'utf8')).mcpServers.far).toEqual({
      type: 'http',
      url: 'https://example.com/mcp',
      headers: { Authorization: 'Bearer x', 'X-A': '1' },
      oauth: { clientId: 'me' },
      timeout: 5000,
    });
    const listed = (await w.command('mcp list', { flags: json })).json as { name: string; state: string }[];
    expect(listed.map(({ name, state }) => [name, state]).sort()).toEqual([
      ['far', 'off'],
      ['local', 'waiting'],
      ['old', 'waiting'],
    ]);
    await w.command('mcp remove', { args: { name: 'local' } });
    await w.command('mcp remove', { args: { name: 'far' } });
    expect(Object.keys(JSON.parse(readFileSync(user, 'utf8')).mcpServers)).toEqual(['old']);
    expect(JSON.parse(readFileSync(file, 'utf8')).mcpServers).toEqual({});
  });

  it('say what is wrong', async () => {
    const w = await world({ user: { one: plain() } });
    const add = (name: string, target?: string[], flags = {}) =>
      w.command('mcp add', { args: { name, ...(target && { target }) }, flags });
    await expect(add('a b', ['x'])).rejects.toMatchObject({ code: 'MCP_NAME_INVALID' });
    await expect(add('a')).rejects.toMatchObject({ code: 'MCP_ADD_UNCLEAR', exit: 'usage' });
    await expect(add('a', ['x'], { transport: 'http' })).rejects.toMatchObject({
      message: expect.stringContaining('is not a URL'),
    });
    await expect(add('a', ['x'], { env: ['novalue'] })).rejects.toMatchObject({ code: 'MCP_ADD_UNCLEAR' });
    await expect(add('one', ['x'])).rejects.toMatchObject({ code: 'MCP_NAME_TAKEN' });
    await add('one', ['x'], { force: true });
    await expect(w.command('mcp remove', { args: { name: 'onee' } })).rejects.toMatchObject({
      code: 'MCP_SERVER_UNKNOWN',
      message: expect.stringContaining('one'),
    });
  });

  it('do not touch files of other tools, and say where a server stands', async () => {
    const w = await world({ trusted: true });
    writeServers(join(w.cwd, '.mcp.json'), { theirs: plain() });
    await expect(w.command('mcp remove', { args: { name: 'theirs' } })).rejects.toMatchObject({
      code: 'MCP_NOT_OURS',
      message: expect.stringContaining('.mcp.json'),
    });
  });

  it('refuse to change a file that is broken', async () => {
    const w = await world();
    const file = join(w.home, 'config', 'mcp.json');
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, '{\n "mcpServers": {\n');
    await expect(w.command('mcp add', { args: { name: 'a', target: ['x'] } })).rejects.toMatchObject({
      code: 'MCP_CONFIG_UNREADABLE',
    });
    expect(readFileSync(file, 'utf8')).toBe('{\n "mcpServers": {\n');
  });

  it('keep comments, and the link to a file elsewhere; a link in a project does not decide which file is written', async () => {
    const w = await world({ trusted: true });
    const elsewhere = join(w.home, 'dotfiles.json');
    writeFileSync(elsewhere, '{\n  // all of ours\n  "mcpServers": {},\n}\n');
    mkdirSync(join(w.home, 'config'), { recursive: true });
    symlinkSync(elsewhere, join(w.home, 'config', 'mcp.json'));
    await w.command('mcp add', { args: { name: 'a', target: ['x'] } });
    const written = readFileSync(elsewhere, 'utf8');
    expect(written).toContain('// all of ours');
    expect(written).toContain('"a": {');
    mkdirSync(join(w.cwd, '.tenon'), { recursive: true });
    symlinkSync(elsewhere, join(w.cwd, '.tenon', 'mcp.json'));
    await w.command('mcp add', { args: { name: 'b', target: ['x'] }, flags: { project: true } });
    expect(readFileSync(elsewhere, 'utf8')).toBe(written);
    expect(readFileSync(join(w.cwd, '.tenon', 'mcp.json'), 'utf8')).toContain('"b": {');
  });

  it('refuse a file that is no object', async () => {
    const w = await world({ user: {} });
    const file = join(w.home, 'config', 'mcp.json');
    writeFileSync(file, '[]');
    const adding = w.command('mcp add', { args: { name: 'a', target: ['x'] } });
    await expect(adding).rejects.toMatchObject({ code: 'MCP_CONFIG_UNREADABLE' });
    expect(readFileSync(file, 'utf8')).toBe('[]');
  });

  it('lose nothing when many processes add at once', async () => {
    const w = await world();
    await Promise.all(
      Array.from({ length: 12 }, (_, index) => w.command('mcp add', { args: { name: `s${index}`, target: ['x'] } })),
    );
    const { mcpServers } = JSON.parse(readFileSync(join(w.home, 'config', 'mcp.json'), 'utf8')) as {
      mcpServers: object;
    };
    expect(Object.keys(mcpServers)).toHaveLength(12);
  });
});

describe('tenon mcp enable and disable', () => {
  it('switch our servers in their file, and those of other tools by name', async () => {
    const mark = join(temporaryFolder(), 'mark');
    const w = await world({ user: { ours: plain(`--mark=${mark}`) }, trusted: true });
    writeServers(join(w.cwd, '.mcp.json'), { theirs: plain(`--mark=${mark}`) });
    for (const name of ['ours', 'theirs']) await w.command('mcp disable', { args: { name } });
    const file = JSON.parse(readFileSync(join(w.home, 'config', 'mcp.json'), 'utf8'));
    expect(file).toMatchObject({ mcpServers: { ours: { enabled: false } }, disabledServers: ['theirs'] });
    const list = (await w.command('mcp list')).out;
    expect(list).toContain('tenon mcp enable ours');
    expect(list).toContain('tenon mcp enable theirs');
    await w.prompt('hi');
    expect(marks(mark)).toEqual([]);
    for (const name of ['ours', 'theirs']) await w.command('mcp enable', { args: { name } });
    expect(JSON.parse(readFileSync(join(w.home, 'config', 'mcp.json'), 'utf8'))).toEqual({
      mcpServers: { ours: { command: process.execPath, args: [PLAIN, `--mark=${mark}`] } },
    });
    await expect(w.command('mcp disable', { args: { name: 'nobody' } })).rejects.toMatchObject({
      code: 'MCP_SERVER_UNKNOWN',
    });
  });
});

describe('tenon mcp test, list, reconnect, call', () => {
  it('start servers only when asked to, end them afterwards, and say how they are', async () => {
    const mark = join(temporaryFolder(), 'mark');
    const w = await world({
      user: { good: plain(`--mark=${mark}`), bad: plain('--exit=1', '--stderr=Error: broken') },
    });
    const before = await w.command('mcp list');
    expect(before.out).toMatch(/good {2}on\n/);
    expect(marks(mark)).toEqual([]);
    const tested = await w.command('mcp test', { args: { name: 'good' }, flags: json });
    expect(tested).toMatchObject({
      code: 0,
      json: { name: 'good', ok: true, tools: [{ name: 'greet' }], server: { name: 'plain' } },
    });
    const failed = await w.command('mcp test', { args: { name: 'bad' } });
    expect([failed.code, failed.out]).toEqual([
      1,
      expect.stringMatching(/failed {2}bad\n.*exit code 1.*Error: broken/),
    ]);
    const all = await w.command('mcp test', { flags: json });
    expect([all.code, (all.json as unknown[]).length]).toEqual([1, 2]);
    const checked = (await w.command('mcp list', { flags: { ...json, check: true } })).json;
    expect(checked).toMatchObject([
      { name: 'good', state: 'ready', tools: 1 },
      { name: 'bad', state: 'failed' },
    ]);
    expect((await w.command('mcp reconnect', { args: { name: 'good' } })).out).toMatch(/^ok {2}good/);
    const called = await w.command('mcp call', { args: { name: 'good', tool: 'greet' } });
    expect([called.code, called.out]).toEqual([0, 'greet!\n']);
    await w.dispose();
    const { isAlive } = await import('@tenon/test-kit/processes');
    expect(marks(mark).filter(isAlive)).toEqual([]);
  });
});
