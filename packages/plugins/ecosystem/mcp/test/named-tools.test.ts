/** Tools of servers that somebody names or lists before a session has asked for them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mayBeNamed, toolName } from '../src/offer/tool-names.ts';
import { EVERYTHING, marks, PLAIN, plain } from './servers/programs.ts';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { until } from '@tenon/test-kit/waiting';
import { world, type World, writeServers } from '@tenon/test-kit/mcp-world';

interface Listed {
  readonly name: string;
  readonly plugin: string;
  readonly origin?: { readonly kind: string; readonly name: string; readonly file: string };
}

const listed = async (w: World) => {
  const { json } = await w.command('tools list', { flags: { json: true } });
  return (json as Listed[]).filter(({ plugin }) => plugin === 'mcp');
};

const reported = ({ kernel }: World) =>
  kernel
    .diagnostics()
    .map(({ error }) => error)
    .filter(({ owner }) => owner === 'mcp');

/** The tools that the model is offered in a session with these tools. */
async function offered(w: World, tools?: readonly string[]): Promise<string[]> {
  const { session } = await w.tenon.createAgentSession({ session: 'memory', ...(tools && { tools }) });
  await session.prompt('hi');
  await session.dispose();
  return (w.requests.at(-1)?.tools ?? []).map(({ name }) => name);
}

/** A world whose servers have been reached before, and that starts none by itself. */
async function known(user: Readonly<Record<string, unknown>>): Promise<World> {
  const first = await world({ user });
  await first.settle();
  await first.dispose();
  return world({ like: first, settings: { 'mcp.startup': 'on-demand' } });
}

describe('a session with tools that are named', () => {
  it('has those of a server of which nothing is known yet, and waits for it as long as it takes', async () => {
    const w = await world({
      user: { slow: plain('--slow=600', '--tools=greet,wave'), other: plain() },
      settings: { 'mcp.startupBudgetMs': 0 },
      script: [{ calls: [{ name: 'mcp__slow__greet' }] }, { text: 'done' }],
    });
    const { session } = await w.tenon.createAgentSession({ session: 'memory', tools: ['mcp__slow__greet', 'read'] });
    expect(session.state.tools.map(({ name }) => name)).toEqual(['mcp__slow__greet', 'read']);
    const results: unknown[] = [];
    session.subscribe((event) => void (event.type === 'tool_execution_end' && results.push(event.result.content)));
    await session.prompt('greet');
    expect(results).toEqual([[{ type: 'text', text: 'greet!' }]]);
    expect(w.requests[0]?.tools.map(({ name }) => name)).toEqual(['mcp__slow__greet', 'read']);
    await session.dispose();
  });

  it('takes what is known from the last time, and starts nothing for it', async () => {
    const mark = join(temporaryFolder(), 'mark');
    const w = await known({ one: plain(`--mark=${mark}`, '--tools=greet,wave') });
    expect(await offered(w, ['mcp__one__wave'])).toEqual(['mcp__one__wave']);
    expect(marks(mark)).toHaveLength(1);
  });

  it('takes patterns, also of the official server', async () => {
    const w = await world({ user: { all: { command: process.execPath, args: [EVERYTHING] }, one: plain() } });
    const names = await offered(w, ['mcp__all__get-*', 'mcp__one__*']);
    expect(names).toEqual(expect.arrayContaining(['mcp__all__get-sum', 'mcp__one__greet']));
    expect(names.filter((name) => !name.startsWith('mcp__all__get-'))).toEqual(['mcp__one__greet']);
  });

  it('asks a server again that may have got a new tool since the last time', async () => {
    const program = join(temporaryFolder(), 'server.mjs');
    const install = (names: string) =>
      writeFileSync(program, `process.argv.push('--tools=${names}'); await import(${JSON.stringify(PLAIN)});`);
    install('greet');
    const w = await known({ one: { command: process.execPath, args: [program] } });
    install('greet,wave');
    expect(await offered(w, ['mcp__one__wave'])).toEqual(['mcp__one__wave']);
  });

  it('asks nobody whether a folder is trusted; the first prompt does, and then its servers are there too', async () => {
    const w = await world({
      user: { own: plain() },
      project: { theirs: plain() },
      settings: { 'mcp.startupBudgetMs': 20_000 },
    });
    const asked: string[] = [];
    await w.answerWith({
      select: async (title, options) => (asked.push(title), options.find((option) => option.startsWith('Trust'))),
    });
    const { session } = await w.tenon.createAgentSession({ session: 'memory', tools: ['mcp__own__greet'] });
    expect(asked).toEqual([]);
    await session.prompt('hi');
    await session.dispose();
    expect(asked).toEqual([expect.stringContaining('start MCP servers: theirs')]);
    expect(await offered(w, ['mcp__theirs__greet'])).toEqual(['mcp__theirs__greet']);
  });

  it('starts no server that cannot have the tool', async () => {
    const mark = join(temporaryFolder(), 'mark');
    const w = await world({ user: { one: plain(), other: plain(`--mark=${mark}`) } });
    const { session } = await w.tenon.createAgentSession({ session: 'memory', tools: ['mcp__one__greet'] });
    expect(marks(mark)).toEqual([]);
    await session.dispose();
  });
});

describe('a tool that no server has', () => {
  const refusal = async (w: World, tool: string) =>
    w.tenon.createAgentSession({ session: 'memory', tools: [tool] }).then(
      () => '',
      (fault: { code?: string; message: string }) => `${fault.code}: ${fault.message}`,
    );

  it('is an error with the nearest name, and with what its server has', async () => {
    const w = await known({ one: plain('--tools=greet,wave') });
    expect(await refusal(w, 'mcp__one__gret')).toBe(
      'AGENT_TOOL_UNKNOWN: There is no tool "mcp__one__gret". Did you mean "mcp__one__greet"?' +
        ' The MCP server "one" offers no tool "mcp__one__gret". It has: mcp__one__greet, mcp__one__wave.' +
        ' See what it says about itself with `tenon mcp test one`.',
    );
    const server = await refusal(w, 'mcp__ons__greet');
    expect(server).toContain('Did you mean "mcp__one__greet"?');
    expect(server).toContain('There is no MCP server "ons". Did you mean "one"?');
  });

  it('is an error that names the server which did not start, and why', async () => {
    const w = await world({ user: { broken: plain('--exit=3', '--stderr=Error: no license'), fine: plain() } });
    const said = await refusal(w, 'mcp__broken__greet');
    expect(said).toMatch(/^AGENT_TOOL_UNKNOWN: There is no tool "mcp__broken__greet"\./);
    expect(said).toMatch(
      /The MCP server "broken" cannot be reached: .*exit code 3.*no license.*tenon mcp logs broken/s,
    );
    expect(said).not.toContain('"fine"');
  });

  it('is an error that says so when its server is switched off, or not trusted', async () => {
    const mark = join(temporaryFolder(), 'mark');
    const w = await world({
      user: { off: { ...plain(), enabled: false } },
      project: { theirs: plain(`--mark=${mark}`) },
    });
    expect(await refusal(w, 'mcp__off__greet')).toContain('tenon mcp enable off');
    expect(await refusal(w, 'mcp__theirs__greet')).toContain(`tenon trust add ${w.cwd}`);
    expect(marks(mark)).toEqual([]);
  });

  it('is no reason to say anything about servers when it is none of theirs', async () => {
    const w = await world({ user: { one: plain('--exit=1') } });
    expect(await refusal(w, 'raed')).toBe('AGENT_TOOL_UNKNOWN: There is no tool "raed". Did you mean "read"?');
  });
});

describe('tenon tools', () => {
  it('list has the tools of all servers and where they are from, and starts only what is not known', async () => {
    const mark = join(temporaryFolder(), 'mark');
    const w = await known({ one: plain(`--mark=${mark}`) });
    const file = join(w.home, 'config', 'mcp.json');
    writeServers(file, { one: plain(`--mark=${mark}`), two: plain('--slow=400'), down: plain('--exit=1') });
    const tools = await listed(w);
    expect(tools.map(({ name, origin }) => [name, origin])).toEqual([
      ['mcp__one__greet', { kind: 'mcp-server', name: 'one', file }],
      ['mcp__two__greet', { kind: 'mcp-server', name: 'two', file }],
    ]);
    expect(marks(mark)).toHaveLength(1);
    expect(reported(w).map(({ message }) => message)).toEqual([
      expect.stringContaining('The MCP server "down" cannot be reached'),
    ]);
  });

  it('list leaves out what a project brings that is not trusted, and says so', async () => {
    const mark = join(temporaryFolder(), 'mark');
    const w = await world({ project: { theirs: plain(`--mark=${mark}`) } });
    expect(await listed(w)).toEqual([]);
    expect(marks(mark)).toEqual([]);
    expect(reported(w).map(({ code }) => code)).toEqual(['MCP_SERVER_UNTRUSTED']);
    const trusted = await world({ project: { theirs: plain() }, trusted: true });
    expect((await listed(trusted)).map(({ name }) => name)).toEqual(['mcp__theirs__greet']);
  });

  it('run calls a tool of a server', async () => {
    const w = await world({ user: { one: plain('--tools=greet,fail') } });
    const run = (name: string) => w.command('tool run', { args: { name }, flags: { input: '{}' } });
    expect(await run('mcp__one__greet')).toMatchObject({ code: 0, out: 'greet!\n' });
    expect(await run('mcp__one__fail')).toMatchObject({ code: 1, err: 'It did not work.\n' });
    await expect(run('mcp__one__wave')).rejects.toMatchObject({
      code: 'TOOLS_UNKNOWN',
      message: expect.stringContaining('It has: mcp__one__greet, mcp__one__fail.'),
    });
  });

  it('list stops waiting for a server when it is told to', async () => {
    const w = await world({ user: { silent: plain('--hang') } });
    const stop = new AbortController();
    const list = w.command('tools list', { signal: stop.signal });
    await until(async () => (await (await w.hub()).servers(w.cwd)).some(({ state }) => state === 'connecting'));
    stop.abort(new Error('enough'));
    await expect(list).rejects.toThrow('enough');
  });
});

describe('tools of servers in a session that goes on working', () => {
  it('follow the configuration when it is read again', async () => {
    const w = await world({ user: { old: plain() }, settings: { 'mcp.startupBudgetMs': 20_000 } });
    const { session } = await w.tenon.createAgentSession({ session: 'memory' });
    const names = () => session.state.tools.map(({ name }) => name).filter((name) => name.startsWith('mcp__'));
    await session.prompt('hi');
    expect(names()).toEqual(['mcp__old__greet']);
    writeServers(join(w.home, 'config', 'mcp.json'), { fresh: plain() });
    await (await w.hub()).reload(w.cwd);
    expect(names()).toEqual(['mcp__fresh__greet']);
    await session.dispose();
  });

  it('are there beside those that another plugin adds at the same moment', async () => {
    const w = await world({ user: { one: plain('--tools=greet,wave') }, settings: { 'mcp.startupBudgetMs': 20_000 } });
    const { session } = await w.tenon.createAgentSession({ session: 'memory' });
    await Promise.all([
      session.addTools(['calc']),
      (await w.hub()).prepare(w.cwd, session.session.id),
      session.addTools(['fetch']),
    ]);
    const names = session.state.tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['mcp__one__greet', 'mcp__one__wave', 'calc', 'fetch', 'read']));
    await session.dispose();
  });
});

describe('the name of a tool', () => {
  it.each([
    ['one', 'mcp__one__greet', true],
    ['one', 'mcp__one__*', true],
    ['one', 'mcp__*', true],
    ['one', '*', true],
    ['one', 'mcp__other__*', false],
    ['one', 'read', false],
    ['my.server', 'mcp__my_server__x', true],
    ['a'.repeat(80), toolName('a'.repeat(80), 'x'), true],
  ])('tells whether the server %s can have it: %s', (server, name, expected) => {
    expect(mayBeNamed(server, name)).toBe(expected);
  });
});
