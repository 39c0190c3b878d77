/** One server: reached when it is needed, reached again when it is lost, asked what it offers. */
import type {
  CallToolResult,
  Client,
  GetPromptResult,
  Progress,
  ReadResourceResult,
  Resource,
} from '@modelcontextprotocol/client';
import { type Logger, messageOf, TenonError } from '@tenon/kernel';
import type { ListedServer } from '../config/server-list.ts';
import type { PackRights } from '@tenon/pack-host/api';
import type { ResolvedConfig } from '../config/variables.ts';
import { errors } from '../errors.ts';
import type { LoginStore } from '../oauth/login-store.ts';
import type { Definitions } from '../offer/definition-cache.ts';
import { explain, type OpenClient, openClient } from './open-client.ts';
import type { ServerLog } from './server-log.ts';

/** Where a connection stands. */
export type ConnectionState = 'idle' | 'connecting' | 'ready' | 'lost' | 'failed' | 'needs-login' | 'closed';

/** What a connection needs. */
export interface ConnectionParts {
  readonly server: ListedServer;
  readonly cwd: string;
  readonly version: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly connectMs: number;
  readonly toolMs: number;
  readonly log: ServerLog;
  readonly hostLog: Logger;
  login(url: string): LoginStore;
  resolve(signal?: AbortSignal): Promise<ResolvedConfig>;
  /** What the client can do for the server. */
  capabilities(): NonNullable<import('@modelcontextprotocol/client').ClientOptions['capabilities']>;
  prepare(client: Client): void;
  /** The rights of the pack that brings the server; rejects when there are none. Nothing for other servers. */
  rights(): Promise<PackRights | undefined>;
  /** Told whenever the server says what it offers. */
  onDefinitions(definitions: Definitions): void;
}

/** How a request is made. */
export interface RequestCall {
  readonly signal: AbortSignal;
  onProgress?(progress: Progress): void;
}

const RETRY_MS = { first: 500, most: 30_000 };
const MAX_RETRIES = 6;
/** A connection that held this long begins to count anew when it is lost. */
const STEADY_MS = 60_000;
/** After so long without a word, an address is asked whether it is still there before it is relied on. */
const QUIET_MS = 60_000;
const PING_MS = 5_000;
const LIST_CHANGED_MS = 200;

/** The connection to one server. */
export class ServerConnection {
  readonly server: ListedServer;
  readonly #parts: ConnectionParts;
  #state: ConnectionState = 'idle';
  #open: OpenClient | undefined;
  #connecting: Promise<Client> | undefined;
  #error: Error | undefined;
  #failedAt = 0;
  #readyAt = 0;
  #heardAt = 0;
  #retries = 0;
  #retryTimer: NodeJS.Timeout | undefined;
  #definitions: Definitions | undefined;
  readonly #ending = new AbortController();

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
    this.server = parts.server;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** Why it cannot be reached. */
  get error(): Error | undefined {
    return this.#error;
  }

  /** What it offers, once it was reached. */
  get definitions(): Definitions | undefined {
    return this.#definitions;
  }

  get pid(): number | undefined {
    return this.#open?.pid;
  }

  /** How long ago the last attempt failed; Infinity when none did. */
  get failedForMs(): number {
    return this.#failedAt === 0 ? Infinity : Date.now() - this.#failedAt;
  }

  /** Name and version that the server gave, and the protocol's revision. */
  about(): { readonly name?: string; readonly version?: string; readonly protocol?: string } {
    const { client } = this.#open ?? {};
    const info = client?.getServerVersion();
    const protocol = client?.getNegotiatedProtocolVersion();
    return { ...(info && { name: info.name, version: info.version }), ...(protocol !== undefined && { protocol }) };
  }

  /** The configuration with all its variables filled in. */
  resolveConfig(): Promise<ResolvedConfig> {
    return this.#parts.resolve();
  }

  /** Reaches the server unless it is reached. Several callers wait for one attempt. */
  connect(): Promise<Client> {
    if (this.#state === 'closed')
      return Promise.reject(errors.create('MCP_SERVER_DISABLED', { server: this.server.name }));
    if (this.#state === 'ready' && this.#open) return Promise.resolve(this.#open.client);
    this.#connecting ??= this.#connect().finally(() => (this.#connecting = undefined));
    return this.#connecting;
  }

  /** Ends the connection and makes it anew. */
  async reconnect(): Promise<Client> {
    await this.#drop();
    this.#retries = 0;
    if (this.#state !== 'closed') this.#state = 'idle';
    return this.connect();
  }

  async callTool(name: string, args: Readonly<Record<string, unknown>>, call: RequestCall): Promise<CallToolResult> {
    return this.#request(call, (client, options) =>
      client.callTool({ name, arguments: { ...args } }, { ...options, resetTimeoutOnProgress: true }),
    );
  }

  async getPrompt(name: string, args: Readonly<Record<string, string>>, call: RequestCall): Promise<GetPromptResult> {
    return this.#request(call, (client, options) => client.getPrompt({ name, arguments: { ...args } }, options));
  }

  async readResource(uri: string, call: RequestCall): Promise<ReadResourceResult> {
    return this.#request(call, (client, options) => client.readResource({ uri }, { ...options, cacheMode: 'refresh' }));
  }

  async listResources(call: RequestCall): Promise<{
    readonly resources: readonly Resource[];
    readonly templates: readonly {
      readonly uriTemplate: string;
      readonly name: string;
      readonly description?: string | undefined;
    }[];
  }> {
    const { resources } = await this.#request(call, (client, options) =>
      client.listResources(undefined, { ...options, cacheMode: 'refresh' }),
    );
    // Templates came later; servers without them may answer with an error.
    const { resourceTemplates } = await this.#request(call, (client, options) =>
      client.listResourceTemplates(undefined, options),
    ).catch(() => ({ resourceTemplates: [] }));
    return { resources, templates: resourceTemplates };
  }

  /** How long the server takes to answer, in milliseconds. */
  async ping(signal: AbortSignal): Promise<number> {
    const client = await this.#ready({ signal });
    const started = performance.now();
    await client.ping({ signal, timeout: PING_MS });
    return performance.now() - started;
  }

  /** Ends the connection for good. */
  async close(): Promise<void> {
    this.#state = 'closed';
    this.#ending.abort();
    await this.#connecting?.catch(() => undefined); // its end is what is wanted
    await this.#drop();
    await this.#parts.log.flush();
  }

  async #drop(): Promise<void> {
    clearTimeout(this.#retryTimer);
    this.#retryTimer = undefined;
    const open = this.#open;
    this.#open = undefined;
    if (!open) return;
    // What cannot be said any more is no news.
    open.client.onclose = open.client.onerror = () => undefined;
    await open.close().catch((fault: unknown) => this.#say('warning', `it could not be closed: ${messageOf(fault)}`));
  }

  async #connect(): Promise<Client> {
    clearTimeout(this.#retryTimer);
    this.#state = 'connecting';
    const { server, connectMs, log } = this.#parts;
    const timeoutMs = server.config.timeoutMs ?? connectMs;
    const deadline = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([deadline, this.#ending.signal]);
    try {
      // A command or a person that fills in a value may take for ever; the end does not wait for them.
      const config = await unlessAborted(this.#parts.resolve(signal), signal);
      const login = this.#parts.login(config.url ?? '');
      const open = await openClient({
        ...this.#parts,
        rights: await this.#parts.rights(),
        config,
        login,
        timeoutMs,
        signal,
        options: { capabilities: this.#parts.capabilities(), listChanged: this.#listChanged() },
      });
      if (this.#ending.signal.aborted) {
        await open.close();
        throw errors.create('MCP_SERVER_DISABLED', { server: server.name });
      }
      open.client.onclose = () => this.#lost(open);
      this.#open = open;
      this.#definitions = await this.#ask(open.client, signal);
    } catch (fault) {
      await this.#drop();
      throw this.#failed(
        deadline.aborted ? late(server.name, timeoutMs, fault) : explain(fault, { config: server.config, log }),
      );
    }
    this.#state = 'ready';
    this.#error = undefined;
    this.#failedAt = 0;
    this.#readyAt = this.#heardAt = Date.now();
    this.#say('info', 'connected');
    this.#parts.onDefinitions(this.#definitions);
    return this.#open.client;
  }

  #failed(error: Error): Error {
    const code = error instanceof TenonError ? error.code : '';
    if (this.#state !== 'closed') this.#state = code === 'MCP_LOGIN_NEEDED' ? 'needs-login' : 'failed';
    this.#error = error;
    this.#failedAt = Date.now();
    this.#say('error', error.message);
    return error;
  }

  /** What the server offers. */
  async #ask(client: Client, signal: AbortSignal): Promise<Definitions> {
    const { tools, prompts, resources } = client.getServerCapabilities() ?? {};
    const options = { signal, cacheMode: 'refresh' as const };
    const [listedTools, listedPrompts] = await Promise.all([
      tools ? client.listTools(undefined, options).then((listed) => listed.tools) : [],
      prompts
        ? client.listPrompts(undefined, options).then(
            (listed) => listed.prompts,
            (fault: unknown) => {
              this.#say('warning', `its prompts could not be listed: ${messageOf(fault)}`);
              return [];
            },
          )
        : [],
    ]);
    const instructions = client.getInstructions();
    return {
      tools: listedTools,
      prompts: listedPrompts,
      hasResources: resources !== undefined,
      ...(instructions !== undefined && { instructions }),
    };
  }

  #listChanged() {
    const onChanged = () => void this.#refresh();
    const watched = { autoRefresh: false, debounceMs: LIST_CHANGED_MS, onChanged };
    return { tools: watched, prompts: watched };
  }

  async #refresh(): Promise<void> {
    const { client } = this.#open ?? {};
    if (!client || this.#state !== 'ready') return;
    try {
      this.#definitions = await this.#ask(
        client,
        AbortSignal.any([this.#ending.signal, AbortSignal.timeout(this.#parts.connectMs)]),
      );
      this.#parts.onDefinitions(this.#definitions);
    } catch (fault) {
      this.#say('warning', `what it offers changed and could not be listed: ${messageOf(fault)}`);
    }
  }

  #lost(open: OpenClient): void {
    if (this.#open !== open || this.#state === 'closed') return;
    this.#open = undefined;
    void open.close().catch(() => undefined); // nothing is there any more
    if (this.#state !== 'ready') return;
    this.#state = 'lost';
    if (Date.now() - this.#readyAt > STEADY_MS) this.#retries = 0;
    this.#say('warning', 'the connection was lost');
    this.#retryLater();
  }

  #retryLater(): void {
    if (this.#retries >= MAX_RETRIES) {
      this.#failed(errors.create('MCP_CONNECT_FAILED', { server: this.server.name, reason: 'it was lost too often' }));
      return;
    }
    const delay = Math.min(RETRY_MS.most, RETRY_MS.first * 2 ** this.#retries++);
    this.#retryTimer = setTimeout(() => {
      if (this.#state !== 'lost' && this.#state !== 'failed') return;
      this.connect().catch(() => {
        if (this.#state === 'failed') this.#retryLater();
      });
    }, delay).unref();
  }

  /** A client that can be relied on. */
  async #ready({ signal }: RequestCall): Promise<Client> {
    signal.throwIfAborted();
    const isQuiet =
      this.#state === 'ready' && this.server.config.type !== 'stdio' && Date.now() - this.#heardAt > QUIET_MS;
    if (isQuiet && this.#open) {
      const isThere = await this.#open.client.ping({ signal, timeout: PING_MS }).then(
        () => true,
        () => false,
      );
      if (!isThere) await this.#drop();
      if (!isThere && this.#state === 'ready') this.#state = 'lost';
    }
    return unlessAborted(this.connect(), signal);
  }

  async #request<T>(
    call: RequestCall,
    send: (
      client: Client,
      options: { signal: AbortSignal; timeout: number; onprogress?: (progress: Progress) => void },
    ) => Promise<T>,
  ): Promise<T> {
    const options = {
      signal: call.signal,
      timeout: this.#parts.toolMs,
      ...(call.onProgress && { onprogress: (progress: Progress) => call.onProgress?.(progress) }),
    };
    const client = await this.#ready(call);
    try {
      return await send(client, options);
    } catch (fault) {
      call.signal.throwIfAborted();
      if (!isSessionGone(fault)) throw this.#loginNeeded(fault) ?? fault;
      // The server forgot the session, so that it did nothing with the request.
      this.#say('info', 'the server has forgotten the session; a new one is begun');
      await this.#drop();
      this.#state = 'lost';
      return send(await this.#ready(call), options);
    } finally {
      this.#heardAt = Date.now();
    }
  }

  #loginNeeded(fault: unknown): Error | undefined {
    const explained = explain(fault, { config: this.server.config, log: this.#parts.log });
    if (!(explained instanceof TenonError) || explained.code !== 'MCP_LOGIN_NEEDED') return undefined;
    this.#state = 'needs-login';
    this.#open = undefined;
    this.#error = explained;
    return explained;
  }

  #say(level: 'info' | 'warning' | 'error', text: string): void {
    this.#parts.log.add('tenon', level, text);
    this.#parts.hostLog[level === 'warning' ? 'warn' : level](`MCP server "${this.server.name}": ${text}`);
  }
}

function late(server: string, ms: number, fault: unknown): Error {
  return errors.create('MCP_CONNECT_FAILED', { server, reason: `it was not ready within ${ms / 1000} s` }, fault);
}

function isSessionGone(fault: unknown): boolean {
  return (fault as { status?: unknown } | undefined)?.status === 404;
}

/** The work goes on for others who wait for it; the one who gave up is not kept. */
export async function unlessAborted<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return work;
  let stop: (() => void) | undefined;
  work.catch(() => undefined); // told to those who still wait
  signal.throwIfAborted();
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, stopped]);
  } finally {
    if (stop) signal.removeEventListener('abort', stop);
  }
}
