/** The servers of one folder: found, got going without keeping anybody waiting, and kept in step with what they offer. */
import type { TenonError } from '@tenon/kernel';
import type { ListedServer } from './config/server-list.ts';
import { type ServerConnection, unlessAborted } from './connection/server-connection.ts';
import type { DefinitionCache, Definitions, Remembered } from './offer/definition-cache.ts';
import { plainText } from '@tenon/wording';

/** What a folder's servers need. */
export interface WorkspaceHost {
  readonly cache: Pick<DefinitionCache, 'get' | 'put'>;
  readonly budgetMs: number;
  /** `on-demand`: servers whose tools are known from the last time are started by the first call. */
  readonly startup: 'parallel' | 'on-demand';
  /** Most tools that are offered from the start; when there are more, all are found by search. */
  readonly directTools: number;
  /** Which servers there are; with `mayAsk` the user may be asked whether the folder is trusted. */
  list(
    mayAsk: boolean,
  ): Promise<{ readonly servers: readonly ListedServer[]; readonly problems: readonly TenonError[] }>;
  connection(server: ListedServer, onDefinitions: (definitions: Definitions) => void): ServerConnection;
  /** Offers what a server has; gives the names of the tools. */
  offer(connection: ServerConnection, definitions: Definitions, isDiscoverable: boolean): readonly string[];
  withdraw(connection: ServerConnection): void;
  /** Tools came that sessions get without a search, after the decision about them: of a slow server, or new ones of a known one. */
  cameLate(tools: readonly string[]): void;
  report(error: TenonError): void;
}

/** Programs that are started at the same time; more would only take the processor from each other and from us. */
const AT_ONCE = 8;
const HOLD_MS = 1_500;
/** Servers whose tools are known can wait until the first request is on its way. */
const BACKGROUND_AFTER_MS = 400;
/** A server that could not be reached is tried again with a later prompt. */
const RETRY_FAILED_MS = 60_000;

interface Recalled {
  readonly connection: ServerConnection;
  readonly cached: Definitions | undefined;
  /** True when nothing is remembered, not even that it did not come in time. */
  readonly isNew: boolean;
}

/** The servers of one folder. */
export class Workspace {
  readonly #host: WorkspaceHost;
  readonly #connections = new Map<string, ServerConnection>();
  readonly #offered = new Map<string, readonly string[]>();
  readonly #definitions = new Map<string, Definitions>();
  #listed: readonly ListedServer[] = [];
  #direct: readonly string[] = [];
  #finding: Promise<void> | undefined;
  #hasAsked = false;
  #opening: Promise<void> | undefined;
  #isDecided = false;
  #background: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(host: WorkspaceHost) {
    this.#host = host;
  }

  get listed(): readonly ListedServer[] {
    return this.#listed;
  }

  /** The usable ones. */
  get connections(): readonly ServerConnection[] {
    return [...this.#connections.values()];
  }

  /** The tools that sessions get without having to search for them. */
  get direct(): readonly string[] {
    return this.#direct;
  }

  connection(server: string): ServerConnection | undefined {
    return this.#connections.get(server);
  }

  /** Finds the servers and gets them going; later calls wait for the first one, and try again what failed long ago. */
  async open(): Promise<void> {
    if (this.#opening) this.#retryFailed();
    this.#opening ??= this.#open();
    await this.#opening;
  }

  /**
   * Offers what is known of the servers without a word to them; `isNeeded` says of which that is not enough. Those are
   * started and waited for, for as long as connecting may take. Nobody is asked whether to trust a folder: whoever could
   * answer may not be there yet.
   */
  async offer(
    isNeeded: (server: string, tools: readonly string[] | undefined) => boolean,
    signal?: AbortSignal,
  ): Promise<void> {
    await this.find(false);
    await this.#offerKnown();
    const needed = this.connections.filter(({ server: { name } }) => isNeeded(name, this.toolsOf(name)));
    if (needed.length === 0) return;
    await unlessAborted(startAll(needed), signal);
    await this.#offerKnown();
  }

  /** The tools of a server that are offered; nothing when it is not known what it has. */
  toolsOf(server: string): readonly string[] | undefined {
    return this.#offered.get(server);
  }

  /** Finds the servers without starting any; those that were held back for want of an answer, once it may be asked for. */
  async find(mayAsk = true): Promise<void> {
    if (!this.#finding || (mayAsk && !this.#hasAsked)) {
      this.#hasAsked = mayAsk;
      this.#finding = this.#list(mayAsk, this.#finding);
    }
    await this.#finding;
  }

  /** Looks again: ends servers that are gone or configured otherwise, and starts new ones if the others were started. */
  async refresh(): Promise<void> {
    if (!this.#finding) return;
    await this.#opening;
    const { servers } = await this.#host.list(false);
    const wanted = new Map(servers.flatMap(({ name, hash, obstacle }) => (obstacle ? [] : [[name, hash]])));
    for (const connection of this.connections) {
      const { name, hash } = connection.server;
      if (wanted.get(name) === hash) continue;
      for (const known of [this.#connections, this.#offered, this.#definitions]) known.delete(name);
      this.#host.withdraw(connection);
      await connection.close();
    }
    const before = new Set(this.#connections.keys());
    this.#finding = this.#list(false, this.#finding);
    await this.#finding;
    if (!this.#opening || this.#isClosed) return;
    // The first prompt is over: what comes now comes late, even where there was nothing before.
    this.#isDecided = true;
    void startAll(this.connections.filter(({ server }) => !before.has(server.name)));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#background);
    const open = this.connections;
    this.#connections.clear();
    await Promise.all(open.map((connection) => connection.close()));
  }

  /** Servers as their instructions describe them, shortest first, as many as fit. */
  instructions(maxChars: number): string {
    let room = maxChars;
    return this.connections
      .flatMap(({ server }) => {
        const text = this.#definitions.get(server.name)?.instructions?.trim() ?? '';
        return text === '' ? [] : [{ server, text }];
      })
      .sort((a, b) => a.text.length - b.text.length)
      .flatMap(({ server, text }) => {
        // Quoted: a heading of a server must not look like one of Tenon's.
        const part = `## ${server.name}\n${plainText(text).replaceAll(/^/gm, '> ')}`;
        room -= part.length;
        return room < 0 ? [] : [part];
      })
      .join('\n\n');
  }

  async #list(mayAsk: boolean, before: Promise<void> | undefined): Promise<void> {
    await before;
    const { servers } = await this.#host.list(mayAsk);
    this.#listed = servers;
    for (const { obstacle } of servers) if (obstacle?.kind === 'invalid') this.#host.report(obstacle.error);
    for (const server of servers) {
      if (server.obstacle || this.#isClosed || this.#connections.has(server.name)) continue;
      const connection = this.#host.connection(server, (definitions) => this.#learn(connection, definitions));
      this.#connections.set(server.name, connection);
    }
  }

  async #open(): Promise<void> {
    await this.find();
    if (this.#connections.size === 0) return;
    const known = await this.#recall();
    // Only servers that nothing is known of are worth waiting for: those that were dead the last time are likely dead again.
    const fresh = known.filter(({ isNew }) => isNew).map(({ connection }) => connection);
    if (fresh.length > 0) await within(startAll(fresh), this.#host.budgetMs);
    for (const { server, state } of fresh) if (state !== 'ready') this.#remember(server, { wasLate: true });
    this.#decide(known);
    const rest = known.filter(({ isNew, cached }) => !isNew && (this.#host.startup === 'parallel' || !cached));
    if (rest.length === 0 || this.#isClosed) return;
    const start = () => void startAll(rest.map(({ connection }) => connection));
    this.#background = setTimeout(start, BACKGROUND_AFTER_MS).unref();
  }

  /** What is remembered of the servers. */
  #recall(): Promise<readonly Recalled[]> {
    return Promise.all(
      this.connections.map(async (connection) => {
        const remembered = await this.#host.cache.get(connection.server.hash);
        const cached = remembered && 'definitions' in remembered ? remembered.definitions : undefined;
        return { connection, cached, isNew: remembered === undefined };
      }),
    );
  }

  /** Offers what is known before the first prompt has decided; after that, servers tell by themselves what they have. */
  async #offerKnown(): Promise<void> {
    const known = this.#isDecided ? [] : await this.#recall();
    if (!this.#isDecided && !this.#isClosed) this.#offerAll(known);
  }

  /** A failure only costs time at the next start. */
  #remember(server: ListedServer, remembered: Remembered): void {
    void this.#host.cache.put(server.hash, remembered).catch(() => undefined);
  }

  /** Decides, once, which tools are offered from the start: changing that later would cost conversations their cached prompt. */
  #decide(known: readonly Recalled[]): void {
    this.#isDecided = true;
    const { isDiscoverable } = this.#offerAll(known);
    if (!isDiscoverable) this.#direct = known.flatMap(({ connection }) => this.toolsOf(connection.server.name) ?? []);
  }

  #offerAll(known: readonly Recalled[]): { readonly isDiscoverable: boolean } {
    const here = known.flatMap(({ connection, cached }) => {
      const definitions = connection.definitions ?? cached;
      return definitions ? [{ connection, definitions }] : [];
    });
    const count = here.reduce((sum, { definitions }) => sum + definitions.tools.length, 0);
    const isDiscoverable = count > this.#host.directTools;
    for (const { connection, definitions } of here) {
      const names = this.#host.offer(connection, definitions, isDiscoverable);
      this.#definitions.set(connection.server.name, definitions);
      this.#offered.set(connection.server.name, names);
    }
    return { isDiscoverable };
  }

  #learn(connection: ServerConnection, definitions: Definitions): void {
    const { name } = connection.server;
    this.#remember(connection.server, { definitions });
    // What comes before the decision is part of it.
    if (!this.#isDecided || this.#isClosed) return;
    const wasKnown = this.#offered.has(name);
    const wasDirect = this.#offered.get(name)?.some((tool) => this.#direct.includes(tool)) ?? false;
    this.#definitions.set(name, definitions);
    const count = [...this.#definitions.values()].reduce((sum, { tools }) => sum + tools.length, 0);
    // A slow server is no worse than a quick one: where there is room, the model gets its tools with its next turn.
    const isDirect = wasDirect || (!wasKnown && count <= this.#host.directTools);
    const names = this.#host.offer(connection, definitions, !isDirect);
    this.#offered.set(name, names);
    const late = isDirect ? names.filter((tool) => !this.#direct.includes(tool)) : [];
    this.#direct = [...this.#direct, ...late];
    if (late.length > 0 || !wasKnown) this.#host.cameLate(late);
  }

  #retryFailed(): void {
    const failed = this.connections.filter(
      ({ state, failedForMs }) => state === 'failed' && failedForMs > RETRY_FAILED_MS,
    );
    void startAll(failed);
  }
}

/** Starts servers, not all at once. What fails is remembered by its connection. Resolves when all came to something. */
async function startAll(connections: readonly ServerConnection[]): Promise<void> {
  const waiting = [...connections];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const started = next.connect().then(
        () => undefined,
        () => undefined,
      );
      all.push(started);
      // A server that hangs must not keep those after it from starting.
      await within(started, HOLD_MS);
    }
  };
  const all: Promise<void>[] = [];
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, connections.length) }, worker));
  await Promise.all(all);
}

/** Waits for work, but not for longer. */
async function within(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([work, new Promise((resolve) => (timer = setTimeout(resolve, ms)))]);
  clearTimeout(timer);
}
