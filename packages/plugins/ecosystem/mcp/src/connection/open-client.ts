/** Reaches a server: starts its program or calls its address, and agrees on the protocol. */
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Client, ClientOptions, OAuthClientProvider, Transport } from '@modelcontextprotocol/client';
import { messageOf } from '@tenon/kernel';
import type { PackRights } from '@tenon/pack-host/api';
import type { ResolvedConfig } from '../config/variables.ts';
import { errors } from '../errors.ts';
import { grantProvider, hasGrant } from '../oauth/grant-provider.ts';
import type { LoginStore } from '../oauth/login-store.ts';
import { LoginProvider, oauthConfig } from '../oauth/oauth-provider.ts';
import type { ServerLog } from './server-log.ts';
import { StdioTransport } from './stdio-transport.ts';

type Sdk = typeof import('@modelcontextprotocol/client');

/** What reaching a server needs. */
export interface OpenParts {
  readonly config: ResolvedConfig;
  /** The folder that the session works in. */
  readonly cwd: string;
  /** What a program gets of Tenon's own environment. */
  readonly environment: Readonly<Record<string, string>>;
  readonly version: string;
  readonly log: ServerLog;
  readonly login: LoginStore;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly options: ClientOptions;
  /** The rights of the pack that brings the server; absent for servers of the user and of projects. */
  readonly rights?: PackRights | undefined;
  /** Prepares the client before it connects: what it answers to the server. */
  prepare(client: Client): void;
}

/** A server that was reached. */
export interface OpenClient {
  readonly client: Client;
  /** The leader of the process group, for programs. */
  readonly pid?: number;
  close(): Promise<void>;
}

const PROTOCOL_UNKNOWN = new Set([-32_022, -32_601]);
const NO_STREAMABLE_HTTP = new Set([400, 404, 405, 406, 415]);
/** Asks first for the revisions without a handshake (2026-07-28), and falls back to the handshake. */
const NEWEST = { versionNegotiation: { mode: 'auto' } } as const;

/** Reaches the server, or rejects with an error that says why not and what to do. */
export async function openClient(parts: OpenParts): Promise<OpenClient> {
  const { config } = parts;
  // Started before the protocol's code is loaded: both take a while.
  const program = config.type === 'stdio' ? await startProgram(parts) : undefined;
  try {
    const sdk = await import('@modelcontextprotocol/client');
    return program ? await connectStarted(sdk, parts, program) : await connectUrl(sdk, parts);
  } catch (fault) {
    program?.kill();
    parts.signal.throwIfAborted();
    throw explain(fault, parts);
  }
}

async function startProgram(parts: OpenParts): Promise<StdioTransport> {
  const { config, log } = parts;
  if (parts.rights) return startConfined(parts.rights, parts);
  const cwd = resolve(parts.cwd, config.cwd ?? '.');
  const isFolder = await stat(cwd).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (!isFolder) {
    throw errors.create('MCP_CONNECT_FAILED', { server: config.name, reason: `its folder ${cwd} does not exist` });
  }
  return new StdioTransport({
    command: config.command ?? '',
    args: config.args ?? [],
    env: { ...parts.environment, ...config.env },
    cwd,
    onStderr: (text) => log.addOutput(text),
  });
}

/** A program of a pack runs where the pack does. */
async function startConfined(rights: PackRights, { config, log }: OpenParts): Promise<StdioTransport> {
  const argv = [config.command ?? '', ...(config.args ?? [])];
  const { file, args, env, cwd, cleanup } = await rights.launch({ argv, ...(config.env && { env: config.env }) });
  const program = new StdioTransport({ command: file, args, env, cwd, onStderr: (text) => log.addOutput(text) });
  void program.ended.then(cleanup);
  return program;
}

/**
 * Begins with the handshake: programs of the older revisions end, or say nothing, when they are asked for anything before it. One that knows
 * only the newest revisions says so, and is started again.
 */
async function connectStarted(sdk: Sdk, parts: OpenParts, program: StdioTransport): Promise<OpenClient> {
  try {
    return await connectProgram(sdk, parts, program, {});
  } catch (fault) {
    if (!isProtocolUnknown(sdk, fault)) throw fault;
    program.kill();
    const again = await startProgram(parts);
    try {
      return await connectProgram(sdk, parts, again, NEWEST);
    } catch (second) {
      again.kill();
      throw second;
    }
  }
}

function isProtocolUnknown(sdk: Sdk, fault: unknown): boolean {
  return sdk.ProtocolError.isInstance(fault) && PROTOCOL_UNKNOWN.has(fault.code);
}

async function connectProgram(
  sdk: Sdk,
  parts: OpenParts,
  program: StdioTransport,
  extra: ClientOptions,
): Promise<OpenClient> {
  const { pid } = program;
  const died = program.ended.then((reason) => {
    throw new Error(reason);
  });
  died.catch(() => undefined); // only of interest while the connection is made
  const connected = connect(sdk, parts, program, extra);
  connected.catch(() => undefined); // the end of the program says more than the end of the connection
  const client = await Promise.race([connected, died]).catch(async (fault: unknown) => {
    if (!(fault instanceof Error) || !isConnectionClosed(fault)) throw fault;
    throw new Error(await program.ended);
  });
  return { client, ...(pid !== undefined && { pid }), close: () => program.close() };
}

function isConnectionClosed(fault: Error): boolean {
  return (fault as Error & { code?: unknown }).code === 'CONNECTION_CLOSED';
}

async function connectUrl(sdk: Sdk, parts: OpenParts): Promise<OpenClient> {
  const url = new URL(parts.config.url ?? '');
  const requestInit = { headers: { ...parts.config.headers } };
  // A pack has the hosts that it declares, and no logins of the user.
  const authProvider = parts.rights ? undefined : await loginFor(sdk, parts);
  const options = {
    requestInit,
    ...(authProvider && { authProvider }),
    ...(parts.rights && { fetch: parts.rights.fetch }),
  };
  const streamable = () => new sdk.StreamableHTTPClientTransport(url, options);
  const sse = () => new sdk.SSEClientTransport(url, options);
  if (parts.config.type === 'sse') return reached(await connect(sdk, parts, sse(), {}));
  try {
    const newest = connect(sdk, parts, streamable(), NEWEST);
    // Whoever answers the first question with nonsense may still know the handshake.
    const client = newest.catch((fault: unknown) => {
      if ((fault as { code?: unknown }).code !== sdk.SdkErrorCode.EraNegotiationFailed) throw fault;
      return connect(sdk, parts, streamable(), {});
    });
    return reached(await client);
  } catch (fault) {
    if (!sdk.SdkHttpError.isInstance(fault) || !NO_STREAMABLE_HTTP.has(fault.status)) throw fault;
    // Servers of the first revision speak the older transport at the same address.
    return reached(await connect(sdk, parts, sse(), {}).catch(() => Promise.reject(fault)));
  }
}

function reached(client: Client): OpenClient {
  return {
    client,
    async close() {
      const { transport } = client;
      // Servers keep sessions until they are told; one that does not answer must not hold up the end.
      if (transport && 'terminateSession' in transport && transport.sessionId !== undefined) {
        const end = (transport as { terminateSession(): Promise<void> }).terminateSession().catch(() => undefined);
        let timer: NodeJS.Timeout | undefined;
        await Promise.race([end, new Promise((done) => (timer = setTimeout(done, 1_000)))]);
        clearTimeout(timer);
      }
      await client.close();
    },
  };
}

async function connect(sdk: Sdk, parts: OpenParts, transport: Transport, extra: ClientOptions): Promise<Client> {
  const client = new sdk.Client(
    { name: 'tenon', title: 'Tenon', version: parts.version },
    { ...parts.options, ...extra },
  );
  client.onerror = (fault) => parts.log.add('tenon', 'warning', messageOf(fault));
  parts.prepare(client);
  try {
    await client.connect(transport, { timeout: parts.timeoutMs, signal: parts.signal });
    return client;
  } catch (fault) {
    // Not waited for: the end of a program that is closed must not come before the reason why it is closed.
    void client.close().catch(() => undefined);
    throw fault;
  }
}

/** The login for an address: none when the configuration brings its own, or when there never was one. */
async function loginFor(sdk: Sdk, { config, login }: OpenParts): Promise<OAuthClientProvider | undefined> {
  if (Object.keys(config.headers ?? {}).some((name) => name.toLowerCase() === 'authorization')) return undefined;
  const oauth = oauthConfig({ ...config.auth, ...config.oauth });
  const granted = grantProvider(sdk, config.name, oauth);
  if (granted) return granted;
  const { tokens, client } = await login.read();
  if (!tokens) return undefined;
  const [redirectUrl = 'http://127.0.0.1/callback'] =
    (client as { redirect_uris?: readonly string[] } | undefined)?.redirect_uris ?? [];
  return new LoginProvider({
    store: login,
    config: oauth,
    redirectUrl,
    redirect: () => Promise.reject(errors.create('MCP_LOGIN_NEEDED', { server: config.name })),
  });
}

/** The failure as an error of the catalogue. */
export function explain(fault: unknown, { config, log }: Pick<OpenParts, 'config' | 'log'>): Error {
  const server = config.name;
  if (isTenonError(fault)) return fault;
  const { status } = (fault ?? {}) as { status?: unknown };
  const name = fault instanceof Error ? fault.constructor.name : '';
  const isRefused = status === 401 || name === 'UnauthorizedError' || name === 'InsufficientScopeError';
  // Who logs in by the configuration has no page to log in at.
  if (isRefused && !hasGrant(oauthConfig({ ...config.auth, ...config.oauth }))) {
    return errors.create('MCP_LOGIN_NEEDED', { server }, fault);
  }
  const said = config.type === 'stdio' ? log.lastError() : undefined;
  const cause = fault instanceof Error && fault.cause instanceof Error ? ` (${fault.cause.message})` : '';
  const reason = `${messageOf(fault)}${cause}${said === undefined ? '' : `; it printed: ${said}`}`.replace(/\.$/, '');
  return errors.create('MCP_CONNECT_FAILED', { server, reason }, fault);
}

function isTenonError(fault: unknown): fault is Error {
  return fault instanceof Error && fault.name === 'TenonError';
}
