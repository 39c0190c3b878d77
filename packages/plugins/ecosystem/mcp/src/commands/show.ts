/** `tenon mcp list | test | reconnect | resources | prompts | logs`: shows servers and what they have. */
import type { CommandCall } from '@tenon/command-line/api';
import type { McpServerStatus } from '../api.ts';
import type { ServerConnection } from '../connection/server-connection.ts';
import { logFile, readLog } from '../connection/server-log.ts';
import { type CommandParts, line, paint, problemOf, withServers, word } from './parts.ts';

const COLORS: Readonly<Record<string, number>> = { ready: 32, failed: 31, lost: 31, 'needs-login': 33, off: 2 };

/** `tenon mcp list` */
export async function listMcp(parts: CommandParts, call: CommandCall): Promise<void> {
  const { hub } = parts;
  if (call.flags['check'] === true) {
    const usable = (await hub.servers(call.cwd)).filter(({ state }) => state !== 'off');
    // One after the other would take as long as all that are dead together. A failure is part of what is listed.
    await Promise.all(
      usable.map(({ name }) =>
        hub
          .connection(call.cwd, name)
          .then((connection) => connection.connect())
          .catch(() => undefined),
      ),
    );
  }
  const servers = await hub.servers(call.cwd);
  if (call.flags['json']) return call.io.json(servers);
  if (servers.length === 0) {
    return call.io.err(
      'No MCP server is configured. Add one with `tenon mcp add NAME -- COMMAND` or `tenon mcp add NAME URL`.\n',
    );
  }
  for (const server of servers) await showServer(call, server);
}

async function showServer({ io }: CommandCall, server: McpServerStatus): Promise<void> {
  const { name, state, target, tools, prompts, family, level, file, bundle, problem } = server;
  const has = [tools === undefined ? '' : counted(tools, 'tool'), prompts ? counted(prompts, 'prompt') : ''].filter(
    Boolean,
  );
  const label = state === 'waiting' ? 'on' : state;
  const summary = has.length > 0 ? `  (${has.join(', ')})` : '';
  await io.out(`${paint(io, 1, line(name))}  ${paint(io, COLORS[state] ?? 0, label)}${summary}\n`);
  // A plugin is kept in a folder whose name says nothing.
  const origin = bundle === undefined ? file : `plugin ${bundle}`;
  await io.out(`  ${line(target)}\n  ${paint(io, 2, `${family} ${level}, ${line(origin)}`)}\n`);
  if (problem !== undefined) await io.out(`  ${paint(io, 33, line(problem))}\n`);
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

interface Tested {
  readonly name: string;
  readonly ok: boolean;
  readonly connectMs?: number;
  readonly pingMs?: number;
  readonly server?: { readonly name?: string; readonly version?: string; readonly protocol?: string };
  readonly tools?: readonly { readonly name: string; readonly description?: string | undefined }[];
  readonly prompts?: readonly string[];
  readonly resources?: boolean;
  readonly problem?: string;
}

/** `tenon mcp test [NAME]`; the exit code is 1 when a server cannot be used. */
export async function testMcp(parts: CommandParts, call: CommandCall): Promise<number> {
  const results = await withServers(parts, call, (connections) =>
    Promise.all(connections.map((connection) => test(connection, call.signal))),
  );
  if (call.flags['json']) await call.io.json(word(call, 'name') === '' ? results : results[0]);
  else if (results.length === 0)
    await call.io.err('There is no MCP server that may be started. See `tenon mcp list`.\n');
  else for (const result of results) await showTest(call, result);
  return results.every(({ ok }) => ok) ? 0 : 1;
}

async function test(connection: ServerConnection, signal: AbortSignal): Promise<Tested> {
  const { name } = connection.server;
  const started = performance.now();
  try {
    await connection.connect();
    const connectMs = Math.round(performance.now() - started);
    const pingMs = Math.round((await connection.ping(signal)) * 10) / 10;
    const { tools = [], prompts = [], hasResources = false } = connection.definitions ?? {};
    return {
      name,
      ok: true,
      connectMs,
      pingMs,
      server: connection.about(),
      tools: tools.map((tool) => ({ name: tool.name, description: tool.description })),
      prompts: prompts.map((prompt) => prompt.name),
      resources: hasResources,
    };
  } catch (fault) {
    signal.throwIfAborted();
    return { name, ok: false, problem: problemOf(fault) };
  }
}

async function showTest({ io }: CommandCall, result: Tested): Promise<void> {
  const { name, ok, problem, server = {}, connectMs, pingMs, tools = [], prompts = [], resources } = result;
  if (!ok) return io.out(`${paint(io, 31, 'failed')}  ${line(name)}\n  ${line(problem ?? '')}\n`);
  const about = [server.name, server.version, server.protocol && `protocol ${server.protocol}`]
    .filter(Boolean)
    .join(' ');
  await io.out(`${paint(io, 32, 'ok')}  ${line(name)}  ${line(about)}\n`);
  await io.out(`  connected in ${connectMs} ms, answers in ${pingMs} ms\n`);
  const has = [counted(tools.length, 'tool'), counted(prompts.length, 'prompt')].join(', ');
  await io.out(`  ${has}, ${resources ? 'resources' : 'no resources'}\n`);
  for (const tool of tools) {
    const [first = ''] = (tool.description ?? '').split('\n');
    await io.out(`    ${`${line(tool.name)}  ${line(first)}`.slice(0, Math.max(40, io.width - 4))}\n`);
  }
}

/** `tenon mcp reconnect NAME` */
export async function reconnectMcp(parts: CommandParts, call: CommandCall): Promise<number> {
  const result = await withServers(parts, call, async ([connection]) => {
    if (!connection) return undefined;
    await parts.hub.reconnect(call.cwd, connection.server.name).catch(() => undefined); // the test says what is wrong
    return test(connection, call.signal);
  });
  if (call.flags['json']) await call.io.json(result);
  else if (result) await showTest(call, result);
  return result?.ok === true ? 0 : 1;
}

/** `tenon mcp resources [NAME]` */
export async function listResources(parts: CommandParts, call: CommandCall): Promise<number> {
  return listEach(parts, call, async (connection) => {
    if (connection.definitions?.hasResources !== true) return [];
    const { resources, templates } = await connection.listResources({ signal: call.signal });
    const { name: server } = connection.server;
    const all = [
      ...resources.map(({ uri, name, title, description, mimeType }) => ({
        uri,
        name: title ?? name,
        description,
        mimeType,
      })),
      ...templates.map(({ uriTemplate, name, description }) => ({
        uri: uriTemplate,
        name,
        description,
        isTemplate: true,
      })),
    ];
    return all.map((resource) => ({
      server,
      url: `mcp://${server}/${resource.uri}`,
      ...resource,
      text: [`mcp://${server}/${resource.uri}`, resource.name],
    }));
  });
}

/** `tenon mcp prompts [NAME]` */
export async function listPrompts(parts: CommandParts, call: CommandCall): Promise<number> {
  return listEach(parts, call, async (connection) => {
    const { name: server } = connection.server;
    return (connection.definitions?.prompts ?? []).map((prompt) => {
      const args = (prompt.arguments ?? []).map(({ name, required }) => (required ? `<${name}>` : `[${name}]`));
      const command = `/mcp:${server}:${prompt.name}`;
      return { server, ...prompt, command, text: [[command, ...args].join(' '), prompt.description ?? ''] };
    });
  });
}

async function listEach(
  parts: CommandParts,
  call: CommandCall,
  list: (
    connection: ServerConnection,
  ) => Promise<readonly (Readonly<Record<string, unknown>> & { readonly text: readonly (string | undefined)[] })[]>,
): Promise<number> {
  const { io } = call;
  const answers = await withServers(parts, call, (connections) =>
    Promise.all(
      connections.map(async (connection) => {
        try {
          await connection.connect();
          return { items: await list(connection) };
        } catch (fault) {
          call.signal.throwIfAborted();
          return { items: [], problem: problemOf(fault) };
        }
      }),
    ),
  );
  const problems = answers.flatMap(({ problem }) => (problem === undefined ? [] : [problem]));
  const items = answers.flatMap((answer) => answer.items);
  if (call.flags['json']) await io.json(items.map(({ text: _text, ...item }) => item));
  else for (const { text } of items) await io.out(`${text.flatMap((part) => (part ? [line(part)] : [])).join('  ')}\n`);
  if (!call.flags['json'] && items.length === 0 && problems.length === 0) await io.err('There are none.\n');
  for (const problem of problems) await io.err(`${line(problem)}\n`);
  return problems.length === 0 ? 0 : 1;
}

/** `tenon mcp logs NAME` */
export async function showLogs({ folders, hub }: CommandParts, call: CommandCall): Promise<void> {
  const name = word(call, 'name');
  const limit = Math.max(1, Number(call.flags['lines']) || 50);
  const lines = await readLog(logFile(folders.state, name), limit);
  if (lines.length === 0) {
    const isKnown = (await hub.listed(call.cwd)).some((server) => server.name === name);
    if (!isKnown) await hub.connection(call.cwd, name);
  }
  if (call.flags['json']) return call.io.json(lines);
  if (lines.length === 0) return call.io.err(`Nothing is known of "${name}" yet: it was never started.\n`);
  for (const { at, from, level, text } of lines) {
    const who = from === 'server' ? `server ${level}` : from;
    await call.io.out(`${paint(call.io, 2, at.slice(0, 19).replace('T', ' '))}  ${who.padEnd(6)}  ${line(text)}\n`);
  }
}
