/** MCP servers that extensions register: real programs, found by discovery, started by the MCP plugin, in the sandbox of their extension. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentSession } from '@tenon/agent/api';
import { useBuiltHost } from '@tenon/test-kit/built-program';
import { world as tenonWorld, type WorldOptions } from '@tenon/test-kit/mcp-world';
import { later, temporaryFolder } from '@tenon/test-kit/temporary';
import { until } from '@tenon/test-kit/waiting';
import { beforeAll, describe, expect, test } from 'vitest';

beforeAll(() => useBuiltHost('pi-compat'), 60_000);

interface Given {
  readonly code: string;
  readonly granted?: Readonly<Record<string, unknown>>;
  readonly trust?: 'isolated' | 'unconfined';
  readonly world?: WorldOptions;
}

/** A Tenon with one extension in a folder of its own, with a server beside it. */
async function open({ code, granted, trust = 'isolated', world = {} }: Given) {
  const [home, cwd] = [temporaryFolder(), temporaryFolder()];
  const folder = join(home, '.omp/agent/extensions/keeper');
  mkdirSync(folder, { recursive: true });
  const [file, server, secret] = [join(folder, 'index.ts'), join(folder, 'notes.mjs'), join(home, 'secret.txt')];
  copyFileSync(new URL('servers/notes.mjs', import.meta.url), server);
  writeFileSync(secret, 'the secret');
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'keeper', omp: { extensions: ['./index.ts'] } }));
  writeFileSync(file, code.replaceAll('SERVER', JSON.stringify(server)).replaceAll('SECRET', JSON.stringify(secret)));
  mkdirSync(join(home, 'data'), { recursive: true });
  const record = { name: 'keeper', enabled: true, trust, granted, since: '' };
  writeFileSync(join(home, 'data/extensions.json'), JSON.stringify({ version: 1, modules: { [file]: record } }));
  const seen = await tenonWorld({ like: { home, cwd }, ...world });
  const start = async (): Promise<AgentSession> => {
    const { session } = await seen.tenon.createAgentSession({ session: 'memory' });
    later(() => session.dispose());
    return session;
  };
  const servers = async () => (await seen.hub()).servers(cwd);
  const look = async (name = 'mcp__notes__look') => {
    const { content, isError } = await seen.call(name);
    const [part] = content;
    return isError === true || part?.type !== 'text' ? { isError, content } : (JSON.parse(part.text) as unknown);
  };
  const problems = () => seen.kernel.diagnostics().map(({ error }) => `${error.message} ${error.next}`);
  return { ...seen, file, start, servers, look, problems };
}

const registers = (config: string) => `export default (pi) => pi.registerMcpServer('notes', ${config});`;
const program = `{ command: 'node', args: [SERVER, SECRET] }`;

describe('an MCP server of an extension', () => {
  test('runs in the sandbox of the extension: it sees what the extension may see, and its tools are there', async () => {
    const code = registers(`{ command: 'node', args: [SERVER, SECRET], env: { TOKEN: '\${SEEN}' } }`);
    const environment = { SEEN: 'seen', SECRET: 'hidden' };
    process.env['SEEN'] = 'seen';
    later(() => void delete process.env['SEEN']);
    const seen = await open({ code, granted: { exec: ['node'], env: ['SEEN'] }, world: { environment } });
    const session = await seen.start();
    await session.prompt('hello');
    // A prompt waits for servers only for a moment.
    await until(async () => (await seen.servers())[0]?.state === 'ready', 'the server');
    await session.prompt('hello again');
    expect(seen.requests.at(-1)?.tools.map(({ name }) => name)).toContain('mcp__notes__look');
    expect(await seen.look()).toMatchObject({ file: 'nothing', token: 'seen' });
    expect(await seen.look()).not.toHaveProperty('secret');
    expect(await seen.servers()).toMatchObject([
      { name: 'notes', state: 'ready', family: 'extension keeper', file: seen.file },
    ]);
  });

  test('is not started without the permission to run its program, or to reach its host; the report says how to grant it', async () => {
    const code = `export default (pi) => { pi.registerMcpServer('notes', ${program}); pi.registerMcpServer('far', { url: 'https://mcp.invalid/sse' }); };`;
    const seen = await open({ code });
    const session = await seen.start();
    await session.prompt('hello');
    expect(await seen.servers()).toEqual([]);
    expect(seen.problems()).toEqual(
      expect.arrayContaining([
        expect.stringContaining('tenon extension allow keeper --exec node'),
        expect.stringContaining('tenon extension allow keeper --net mcp.invalid'),
      ]),
    );
  });

  test('of an extension that runs without a sandbox runs as one of the user does', async () => {
    const seen = await open({ code: registers(program), trust: 'unconfined' });
    const session = await seen.start();
    await session.prompt('hello');
    await until(async () => (await seen.servers())[0]?.state === 'ready', 'the server');
    expect(await seen.look()).toMatchObject({ file: 'the secret' });
  });

  test('gives way to a server of the same name in a file of the user', async () => {
    const user = { notes: { command: 'node', args: ['-e', ''], enabled: false } };
    const seen = await open({ code: registers(program), granted: { exec: ['node'] }, world: { user } });
    const session = await seen.start();
    await session.prompt('hello');
    expect(await seen.servers()).toMatchObject([{ name: 'notes', state: 'off', family: 'native' }]);
  });

  test('that is registered later connects right away, is told to other extensions, and ends when it is taken back', async () => {
    const code = `
      export default (pi) => {
        pi.registerCommand('more', { handler: async () => pi.registerMcpServer('notes', ${program}) });
        pi.registerCommand('less', { handler: async () => pi.unregisterMcpServer('notes') });
        pi.on('mcp_servers_change', ({ servers }, ctx) => ctx.ui.notify(servers.map(({ name, config }) => name + ' ' + config.command).join() || 'none'));
      };`;
    const notices: string[] = [];
    const seen = await open({ code, granted: { exec: ['node'] } });
    await seen.answerWith({ notify: (text) => void notices.push(text) });
    const session = await seen.start();
    await session.prompt('hello');
    expect(await seen.servers()).toEqual([]);
    await session.prompt('/more');
    await until(async () => (await seen.servers())[0]?.state === 'ready', 'the server');
    expect(await seen.look()).toMatchObject({ file: 'nothing' });
    await session.prompt('hello again');
    expect(seen.requests.at(-1)?.tools.map(({ name }) => name)).toContain('mcp__notes__look');
    await session.prompt('/less');
    await until(async () => (await seen.servers()).length === 0, 'the end of the server');
    expect(await seen.look()).toMatchObject({ isError: true });
    await until(() => notices.length === 2, 'the notices');
    expect(notices).toEqual(['notes node', 'none']);
  });

  test('leaves the connections of others alone when it comes and goes', async () => {
    const code = `export default (pi) => pi.registerCommand('more', { handler: async () => pi.registerMcpServer('notes', ${program}) });`;
    const server = new URL('servers/notes.mjs', import.meta.url).pathname;
    const user = { mine: { command: 'node', args: [server] } };
    const seen = await open({ code, granted: { exec: ['node'] }, world: { user } });
    const session = await seen.start();
    await session.prompt('hello');
    await seen.settle();
    await session.prompt('/more');
    await until(
      async () => (await seen.servers()).every(({ state }) => state === 'ready') && (await seen.servers()).length === 2,
      'both',
    );
    expect(await seen.look('mcp__mine__look')).toMatchObject({ file: 'nothing' });
  });
});

test('a configuration that makes no sense is an error where it is written', async () => {
  const configs = [
    `{}`,
    `{ command: 'x', url: 'https://x.invalid' }`,
    `{ command: 'x', args: 'y' }`,
    `{ url: 'file:///etc' }`,
    `{ command: 'x', env: { A: 1 } }`,
  ];
  const code = `
    export default (pi) => {
      const faults = [${configs.join(', ')}].map((config) => { try { pi.registerMcpServer('x', config); } catch (fault) { return fault.message; } });
      try { pi.registerMcpServer('a b', { command: 'x' }); } catch (fault) { faults.push(fault.message); }
      pi.registerCommand('faults', { handler: async (words, ctx) => ctx.ui.notify(JSON.stringify([faults, pi.getMcpServers()])) });
    };`;
  const notices: string[] = [];
  const seen = await open({ code });
  await seen.answerWith({ notify: (text) => void notices.push(text) });
  await (await seen.start()).prompt('/faults');
  await until(() => notices.length > 0, 'the notice');
  expect(JSON.parse(notices[0] ?? '')).toEqual([
    [
      'the MCP server "x" needs either a "command" or a "url"',
      'the MCP server "x" needs either a "command" or a "url"',
      '"args" of the MCP server "x" must be a list of texts',
      '"url" of the MCP server "x" must be an http or https address',
      '"env" of the MCP server "x" must be an object of texts',
      '"a b" is not a name for an MCP server: use letters, digits, ".", "-" and "_"',
    ],
    [],
  ]);
});

test('a call that a tool of an extension makes is asked about like a call of the model', async () => {
  const code = `export default (pi) => pi.registerTool({ name: 'outer', description: 'x', parameters: { type: 'object' },
    execute: async (id, params, signal, update, ctx) => JSON.stringify(await ctx.executeTool('bash', { command: 'rm -rf ' + params.path })) });`;
  const questions: string[] = [];
  const seen = await open({
    code,
    world: {
      settings: { 'approval.mode': 'ask' },
      script: [{ calls: [{ name: 'outer', arguments: { path: 'x' } }] }, { text: 'done' }],
    } as WorldOptions,
  });
  await seen.answerWith({
    select: async (title) => {
      questions.push(title);
      return undefined;
    },
    confirm: async (title) => {
      questions.push(title);
      return false;
    },
  });
  const session = await seen.start();
  await session.prompt('go');
  const said = JSON.stringify(seen.requests.at(-1)?.messages);
  expect(questions.join('\n')).toContain('rm -rf x');
  expect(said).toContain('\\"isError\\":true');
});
