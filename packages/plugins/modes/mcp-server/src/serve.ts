/** `tenon mcp serve`: offers tools and sessions until the client is gone. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { AgentFactory } from '@tenon/agent/api';
import type { CommandCall } from '@tenon/command-line/api';
import { type Logger, messageOf, type Registry } from '@tenon/kernel';
import type { UserInterface } from '@tenon/host';
import type { SessionStore } from '@tenon/sessions/api';
import type { SlashCommands } from '@tenon/slash-commands/api';
import type { Tool, ToolRunner } from '@tenon/tools/api';
import type { UrlRouter } from '@tenon/urls/api';
import { CallingClient } from './client-interface.ts';
import type { Clients } from './clients.ts';
import { errors } from './errors.ts';
import { serveHttp } from './http-server.ts';
import { makeServer, type ServedClient, type ServeHost } from './make-server.ts';
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
  /** The schemes of addresses that are offered as resources. */
  readonly schemes: readonly string[];
  agents(): Promise<AgentFactory>;
  store(): Promise<SessionStore>;
  commands(): Promise<SlashCommands | undefined>;
  urls(): Promise<UrlRouter | undefined>;
  /** Becomes the way to the user; absent where the user of the client is not to be asked. */
  useInterface?(ui: UserInterface | undefined): void;
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
  const calling = new CallingClient();
  const { version, log, schemes, store, commands, urls } = parts;
  const host = { version, cwd, tools, log, calling, schemes, store, commands, urls };
  parts.useInterface?.(calling.interface());
  const connect = () => {
    const client = makeServer(host);
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
    if (call.flags['http'] === undefined) await serveOverStdio(parts, call, connect);
    else await serveOverHttp(parts, call, connect, host);
  } finally {
    parts.useInterface?.(undefined);
    watching.dispose();
    clearTimeout(timer);
  }
}

/** The first message of the client says which revision is spoken: with the handshake, or without one (2026-07-28). */
async function serveOverStdio(
  { input, output, clients, log }: ServeParts,
  { signal }: CommandCall,
  connect: () => ServedClient,
): Promise<void> {
  const served: ServedClient[] = [];
  const make = () => {
    const client = connect();
    served.push(client);
    return client.server;
  };
  const serving = serveStdio(make, {
    transport: new StdioServerTransport(input, output),
    onerror: (fault) => log.warn(`an MCP message could not be handled: ${messageOf(fault)}`),
  });
  // The client ends us by closing our input; a stop or a broken pipe ends us, too.
  const ended = once(input, 'end', { signal }).catch(() => undefined);
  const broken = once(output, 'close').catch(() => undefined);
  await Promise.race([ended, broken]);
  for (const client of served) clients.remove(client);
  await serving.close();
}

async function serveOverHttp(
  parts: ServeParts,
  { flags, io, signal }: CommandCall,
  connect: () => ServedClient,
  host: ServeHost,
): Promise<void> {
  const port = Number(flags['http']);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw errors.create('MCP_SERVE_PORT', { port: flags['http'], reason: 'it is not a number from 0 to 65535' });
  }
  const fromEnvironment = parts.environment['TENON_MCP_TOKEN'];
  const token = fromEnvironment || randomBytes(24).toString('base64url');
  const { clients, log } = parts;
  // Revisions without a handshake have no sessions: all calls with the token belong together.
  const session = `mcp-${randomBytes(12).toString('hex')}`;
  const server = await serveHttp({
    port,
    token,
    log,
    connect,
    closed: (client) => clients.remove(client),
    make: () => makeServer({ ...host, session }).server,
  });
  if (flags['json']) await io.json({ url: server.url, ...(!fromEnvironment && { token }) });
  else {
    await io.err(`Serving MCP at ${server.url}\n`);
    await io.err(fromEnvironment ? 'The token is that of TENON_MCP_TOKEN.\n' : `Authorization: Bearer ${token}\n`);
    await io.err('Ctrl-C ends it.\n');
  }
  if (!signal.aborted) await once(signal, 'abort');
  await server.close();
}
