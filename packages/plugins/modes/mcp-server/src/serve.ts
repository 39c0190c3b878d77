/** `tenon mcp serve`: offers tools and sessions until the client is gone. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { AgentFactory } from '@tenon/agent/api';
import type { CommandCall } from '@tenon/command-line/api';
import type { Logger, Registry } from '@tenon/kernel';
import type { SessionStore } from '@tenon/sessions/api';
import type { Tool, ToolRunner } from '@tenon/tools/api';
import type { Clients } from './clients.ts';
import { errors } from './errors.ts';
import { serveHttp } from './http-server.ts';
import { makeServer, type ServedClient } from './make-server.ts';
import { OfferedTools } from './offered-tools.ts';
import { promptTool } from './prompt-tool.ts';

/** What serving needs. */
export interface ServeParts {
  readonly registry: Registry<Tool>;
  readonly runner: ToolRunner;
  readonly version: string;
  readonly log: Logger;
  readonly clients: Clients;
  readonly input: Readable;
  readonly output: Writable;
  readonly environment: Readonly<Record<string, string | undefined>>;
  agents(): Promise<AgentFactory>;
  store(): Promise<SessionStore>;
}

const LIST_CHANGED_MS = 200;

/** Serves until the client, or the user, ends it. */
export async function serve(parts: ServeParts, call: CommandCall): Promise<void> {
  const { clients, registry } = parts;
  const { cwd } = call;
  const prompt = promptTool({
    cwd,
    agents: parts.agents,
    store: parts.store,
    adopt: (session, parent) => clients.adopt(session, parent),
  });
  const named = call.flags['tools'];
  const names =
    typeof named === 'string'
      ? named
          .split(',')
          .map((name) => name.trim())
          .filter(Boolean)
      : undefined;
  const tools = new OfferedTools({ registry, runner: parts.runner, extra: { prompt }, ...(names && { names }) });
  const connect = () => {
    const client = makeServer({ version: parts.version, cwd, tools, store: parts.store });
    clients.add(client);
    return client;
  };
  let timer: NodeJS.Timeout | undefined;
  const watching = registry.watch(() => {
    timer ??= setTimeout(() => {
      timer = undefined;
      clients.tellToolsChanged();
    }, LIST_CHANGED_MS);
  });
  try {
    if (call.flags['http'] === undefined) await serveStdio(parts, call, connect());
    else await serveOverHttp(parts, call, connect);
  } finally {
    watching.dispose();
    clearTimeout(timer);
  }
}

async function serveStdio(
  { input, output, clients }: ServeParts,
  { signal }: CommandCall,
  client: ServedClient,
): Promise<void> {
  const transport = new StdioServerTransport(input, output);
  const closed = new Promise<void>((resolve) => (client.server.onclose = resolve));
  await client.server.connect(transport);
  // The client ends us by closing our input; a stop or a broken pipe ends us, too.
  const ended = once(input, 'end', { signal }).catch(() => undefined);
  await Promise.race([closed, ended]);
  clients.remove(client);
  await client.server.close();
}

async function serveOverHttp(
  parts: ServeParts,
  { flags, io, signal }: CommandCall,
  connect: () => ServedClient,
): Promise<void> {
  const port = Number(flags['http']);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw errors.create('MCP_SERVE_PORT', { port: flags['http'], reason: 'it is no number from 0 to 65535' });
  }
  const fromEnvironment = parts.environment['TENON_MCP_TOKEN'];
  const token = fromEnvironment || randomBytes(24).toString('base64url');
  const { clients, log } = parts;
  const server = await serveHttp({ port, token, log, connect, closed: (client) => clients.remove(client) });
  if (flags['json']) await io.json({ url: server.url, ...(!fromEnvironment && { token }) });
  else {
    await io.err(`Serving MCP at ${server.url}\n`);
    await io.err(fromEnvironment ? 'The token is that of TENON_MCP_TOKEN.\n' : `Authorization: Bearer ${token}\n`);
    await io.err('Ctrl-C ends it.\n');
  }
  if (!signal.aborted) await once(signal, 'abort');
  await server.close();
}
