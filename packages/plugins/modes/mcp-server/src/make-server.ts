/** One MCP server for one client. */
import { randomUUID } from 'node:crypto';
import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { SessionStore } from '@tenon/sessions/api';
import type { PermissionAnswer, PermissionQuestion, ToolResult, ToolScope, WayOut } from '@tenon/tools/api';
import { SESSION_URI } from './api.ts';
import type { OfferedTools } from './offered-tools.ts';
import { listSessions, readSession } from './session-resources.ts';

/** What a server needs. */
export interface ServeHost {
  readonly version: string;
  readonly cwd: string;
  readonly tools: OfferedTools;
  store(): Promise<SessionStore>;
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
}

const INSTRUCTIONS =
  'Tools of the Tenon coding agent for the folder it was started in. `prompt` hands a whole task to the agent. Past sessions are resources.';

/** Makes a server. */
export function makeServer(host: ServeHost): ServedClient {
  const { session = `mcp-${randomUUID()}` } = host;
  const scope: ToolScope = { session, cwd: host.cwd };
  const server = new Server(
    { name: 'tenon', title: 'Tenon', version: host.version },
    {
      capabilities: { tools: { listChanged: true }, resources: {}, logging: {}, completions: {} },
      instructions: INSTRUCTIONS,
    },
  );
  server.setRequestHandler('tools/list', async () => ({ tools: await host.tools.list() }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const { name, arguments: input = {} } = params;
    if (!host.tools.has(name)) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool "${name}".`);
    }
    return host.tools.call(name, input, { signal: context.mcpReq.signal, scope, onUpdate: progressTo(context) });
  });
  server.setRequestHandler('resources/list', async () => ({
    resources: await listSessions(await host.store(), host.cwd),
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [
      { uriTemplate: `${SESSION_URI}{id}`, name: 'session', title: 'A session of Tenon', mimeType: 'text/markdown' },
    ],
  }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const contents = await readSession(await host.store(), uri);
    if (!contents) throw new ResourceNotFoundError(uri);
    return contents;
  });
  server.setRequestHandler('completion/complete', async ({ params: { ref, argument } }) => {
    if (ref.type !== 'ref/resource') return { completion: { values: [] } };
    const sessions = await (await host.store()).list({ cwd: host.cwd });
    const values = sessions.map(({ id }) => id).filter((id) => id.startsWith(argument.value));
    return { completion: { values: values.slice(0, 100), total: values.length, hasMore: values.length > 100 } };
  });
  return { server, session, ask: (question, signal) => ask(server, question, signal) };
}

/** Tells the client what a call has come to, if it wants to know. */
function progressTo({ mcpReq }: ServerContext): (partial: ToolResult) => Promise<void> {
  const progressToken = mcpReq._meta?.progressToken;
  let progress = 0;
  return async ({ content, details }) => {
    if (progressToken === undefined) return;
    const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
    const counted = (details ?? {}) as { progress?: unknown; total?: unknown };
    // It must grow with every notice.
    progress = typeof counted.progress === 'number' && counted.progress > progress ? counted.progress : progress + 1;
    const total = typeof counted.total === 'number' && { total: counted.total };
    const message = text.trim().split('\n').at(-1)?.slice(0, 500);
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
