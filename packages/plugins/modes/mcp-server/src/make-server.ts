/** One MCP server for one client. */
import { randomUUID } from 'node:crypto';
import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Logger } from '@tenon/kernel';
import type { SessionStore } from '@tenon/sessions/api';
import type { SlashCommands } from '@tenon/slash-commands/api';
import type { PermissionAnswer, PermissionQuestion, ToolResult, ToolScope, WayOut } from '@tenon/tools/api';
import type { UrlRouter } from '@tenon/urls/api';
import { SESSION_URI } from './api.ts';
import type { CallingClient } from './client-interface.ts';
import type { OfferedTools } from './offered-tools.ts';
import { getPrompt, listPrompts } from './prompts.ts';
import { listSessions, readSession, sessionFile } from './session-resources.ts';
import { Subscriptions } from './subscriptions.ts';
import { UrlResources } from './url-resources.ts';

/** What a server needs. */
export interface ServeHost {
  readonly version: string;
  readonly cwd: string;
  readonly tools: OfferedTools;
  readonly log: Logger;
  readonly calling: CallingClient;
  /** The schemes of addresses that are offered as resources. */
  readonly schemes: readonly string[];
  store(): Promise<SessionStore>;
  /** Absent without the plugin that knows them. */
  commands(): Promise<SlashCommands | undefined>;
  urls(): Promise<UrlRouter | undefined>;
  /** The session that calls belong to; one of its own if absent. */
  readonly session?: string;
}

/** A client that is connected. */
export interface ServedClient {
  readonly server: Server;
  /** The calls of the client belong to this session. */
  readonly session: string;
  /** Asks the user of the client; nothing when the client cannot ask. */
  ask(question: PermissionQuestion, signal: AbortSignal): Promise<PermissionAnswer | undefined>;
  /** The client is gone. */
  close(): void;
}

const INSTRUCTIONS =
  'Tools of the Tenon coding agent for the folder it was started in. `prompt` hands a whole task to the agent. Past sessions are resources, slash commands are prompts.';

/** Makes a server. */
export function makeServer(host: ServeHost): ServedClient {
  const { session = `mcp-${randomUUID()}` } = host;
  const scope: ToolScope = { session, cwd: host.cwd };
  const server = new Server(
    { name: 'tenon', title: 'Tenon', version: host.version },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true },
        prompts: {},
        logging: {},
        completions: {},
      },
      instructions: INSTRUCTIONS,
    },
  );
  server.setRequestHandler('tools/list', async () => ({ tools: await host.tools.list() }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const { name, arguments: input = {} } = params;
    if (!host.tools.has(name)) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool "${name}".`);
    }
    const call = { signal: context.mcpReq.signal, scope, onUpdate: progressTo(context, name) };
    return host.calling.during(server, () => host.tools.call(name, input, call));
  });
  server.setRequestHandler('resources/list', async () => ({
    resources: await listSessions(await host.store(), host.cwd),
  }));
  const urls = new UrlResources({ ...host, scope });
  const readResource = async (uri: string, signal: AbortSignal) =>
    (await readSession(await host.store(), uri)) ?? (await urls.read(uri, signal));
  server.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: [
      { uriTemplate: `${SESSION_URI}{id}`, name: 'session', title: 'A session of Tenon', mimeType: 'text/markdown' },
      ...(await urls.templates()),
    ],
  }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }, { mcpReq }) => {
    const contents = await readResource(uri, mcpReq.signal);
    if (!contents) throw new ResourceNotFoundError(uri);
    return contents;
  });
  const subscriptions = new Subscriptions((uri) => server.sendResourceUpdated({ uri }), host.log);
  server.setRequestHandler('resources/subscribe', async ({ params: { uri } }, { mcpReq }) => {
    const session = await sessionFile(await host.store(), uri);
    if (session === undefined && !(await urls.has(uri))) throw new ResourceNotFoundError(uri);
    subscriptions.add(uri, session ?? (await urls.fileOf(uri, mcpReq.signal)));
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    subscriptions.remove(uri);
    return {};
  });
  server.setRequestHandler('prompts/list', async () => {
    const commands = await host.commands();
    return { prompts: commands ? await listPrompts({ commands, cwd: host.cwd }) : [] };
  });
  server.setRequestHandler('prompts/get', async ({ params: { name, arguments: given = {} } }, { mcpReq }) => {
    const commands = await host.commands();
    if (!commands) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt "${name}".`);
    const { signal } = mcpReq;
    const parts = { commands, cwd: host.cwd, readResource: (uri: string) => readResource(uri, signal) };
    return getPrompt(parts, name, given, signal);
  });
  server.setRequestHandler('completion/complete', async ({ params: { ref, argument } }) => {
    if (ref.type !== 'ref/resource') return { completion: { values: [] } };
    const sessions = await (await host.store()).list({ cwd: host.cwd });
    const values = sessions.map(({ id }) => id).filter((id) => id.startsWith(argument.value));
    return { completion: { values: values.slice(0, 100), total: values.length, hasMore: values.length > 100 } };
  });
  return {
    server,
    session,
    ask: (question, signal) => ask(server, question, signal),
    close: () => subscriptions.close(),
  };
}

/** Tells the client what a call has come to: as progress if it asked for that, else as a line of the log. */
function progressTo({ mcpReq }: ServerContext, tool: string): (partial: ToolResult) => Promise<void> {
  const progressToken = mcpReq._meta?.progressToken;
  let progress = 0;
  return async ({ content, details }) => {
    const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
    const message = text.trim().split('\n').at(-1)?.slice(0, 500);
    if (progressToken === undefined) {
      if (message) await mcpReq.log('info', message, tool);
      return;
    }
    const counted = (details ?? {}) as { progress?: unknown; total?: unknown };
    // It must grow with every notice.
    progress = typeof counted.progress === 'number' && counted.progress > progress ? counted.progress : progress + 1;
    const total = typeof counted.total === 'number' && { total: counted.total };
    const params = { progressToken, progress, ...total, ...(message && { message }) };
    await mcpReq.notify({ method: 'notifications/progress', params });
  };
}

const ASK_MS = 10 * 60_000;

async function ask(
  server: Server,
  question: PermissionQuestion,
  signal: AbortSignal,
): Promise<PermissionAnswer | undefined> {
  if (server.getClientCapabilities()?.elicitation === undefined) return undefined;
  const message = `Tenon asks: ${question.question}`;
  const requestedSchema = {
    type: 'object' as const,
    properties: {
      allow: { type: 'boolean' as const, title: 'Allow this call', default: false },
      ...(question.ways && { run: runChoice(question) }),
    },
    required: ['allow'],
  };
  try {
    const { action, content } = await server.elicitInput(
      { mode: 'form', message, requestedSchema },
      { signal, timeout: ASK_MS },
    );
    const allow = action === 'accept' && content?.['allow'] === true;
    if (!allow) return { allow, by: 'mcp-server', reason: 'the user of the MCP client said no' };
    const way = question.ways?.find((one) => one === content?.['run']);
    return { allow, by: 'mcp-server', ...(way && { way }) };
  } catch {
    signal.throwIfAborted();
    return undefined; // the client could not ask after all; the next one in line decides
  }
}

const RUNS: Readonly<Record<WayOut | 'sandbox', string>> = {
  sandbox: 'In the sandbox as it is',
  network: 'With the network, still in the sandbox',
  outside: 'Outside of the sandbox',
};

/** Where a call runs that its sandbox stops. Nothing is wider than it has to be unless somebody chooses it. */
function runChoice({ ways = [], touches: { commands = [] } }: PermissionQuestion) {
  // In the sandbox it has failed already.
  const hasRun = commands.some(({ refused }) => refused !== undefined);
  const choices = hasRun ? ways.toSorted((left) => (left === 'network' ? -1 : 1)) : (['sandbox', ...ways] as const);
  return {
    type: 'string' as const,
    title: 'How it runs',
    enum: [...choices],
    enumNames: choices.map((choice) => RUNS[choice]),
    default: choices[0] ?? 'sandbox',
  };
}
