/** All servers of all folders that this process works in, and what sessions get of them. */
import type { LiveAgents } from '@tenon/agent/api';
import type { McpServerConfig } from '@tenon/discovery/api';
import { type Disposable, type Logger, messageOf, type TenonError } from '@tenon/kernel';
import type { PackHosts, PackRights } from '@tenon/pack-host/api';
import { didYouMean, shellWord } from '@tenon/wording';
import type { ToolRequest } from '@tenon/tools/api';
import { AttachedServers } from './attached-servers.ts';
import { type McpHub, type McpServerState, type McpServerStatus } from './api.ts';
import { type ListedServer, listServers, programOf, type ServerListHost } from './config/server-list.ts';
import { resolveVariables, type VariableHost } from './config/variables.ts';
import { answerServer, clientCapabilities, type RequestHost } from './connection/client-requests.ts';
import { ServerConnection } from './connection/server-connection.ts';
import { logFile, ServerLog } from './connection/server-log.ts';
import { errors } from './errors.ts';
import { type LoginKeeper, LoginStore } from './oauth/login-store.ts';
import { DefinitionCache } from './offer/definition-cache.ts';
import type { PromptOffer } from './offer/prompts.ts';
import { needsServer, problemsOf } from './offer/named-tools.ts';
import type { ToolOffer } from './offer/tool-offer.ts';
import { Workspace } from './workspace.ts';
import type { McpSettings } from './generated/settings.ts';

/** What the hub needs. */
export interface HubHost extends Omit<ServerListHost, 'projectServers'> {
  readonly config: McpSettings;
  readonly version: string;
  readonly cacheFolder: string;
  readonly stateFolder: string;
  readonly log: Logger;
  readonly requests: RequestHost;
  readonly variables: Omit<VariableHost, 'cwd'>;
  readonly tools: ToolOffer;
  readonly prompts: PromptOffer;
  logins(): Promise<LoginKeeper>;
  agents(): Promise<LiveAgents>;
  packs(): Promise<Pick<PackHosts, 'rightsOf'> | undefined>;
  report(error: TenonError): void;
}

interface Equipped {
  readonly cwd: string;
  instructions: string;
  /** Takes back the tools that were added. */
  tools: readonly Disposable[];
}

const CHARS_PER_TOKEN = 3.6;
/** What a program needs to run at all. Everything else may hold secrets. */
const INHERITED = ['HOME', 'PATH', 'USER', 'LOGNAME', 'SHELL', 'TERM', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR'];
const INHERITED_ON_WINDOWS = ['APPDATA', 'LOCALAPPDATA', 'SYSTEMROOT', 'SYSTEMDRIVE', 'USERPROFILE', 'TEMP', 'TMP'];

/** All servers. */
export class Hub implements McpHub {
  readonly #host: HubHost;
  readonly #cache: DefinitionCache;
  readonly #workspaces = new Map<string, Workspace>();
  /** Sessions that have their tools, and the instructions that they began with. */
  readonly #sessions = new Map<string, Equipped>();
  /** Servers of single sessions. */
  readonly #attached: AttachedServers;

  constructor(host: HubHost) {
    this.#host = host;
    this.#cache = new DefinitionCache(host.cacheFolder);
    this.#attached = new AttachedServers({
      isEnabled: host.config.enabled,
      instructionChars: Math.floor(host.config.instructionTokens * CHARS_PER_TOKEN),
      tools: host.tools,
      agents: () => host.agents(),
      connect: (cwd, server, onDefinitions) => this.#connect(cwd, server, onDefinitions),
    });
  }

  async prepare(cwd: string, session?: string): Promise<void> {
    if (!this.#host.config.enabled) return;
    const workspace = this.workspace(cwd);
    try {
      await workspace.open();
    } catch (fault) {
      // Without its servers a conversation still works; why they are missing is shown by `tenon mcp list`.
      this.#workspaces.delete(cwd);
      if (isTenonError(fault)) this.#host.report(fault);
      else throw fault;
      return;
    }
    if (session !== undefined && !this.#sessions.has(session)) await this.#equip(session, cwd);
  }

  /** Offers the tools of a folder's servers; what is known from the last time is enough, unless a tool is named that it lacks. */
  async offer({ cwd, names, signal }: ToolRequest): Promise<readonly TenonError[]> {
    const workspace = this.workspace(cwd);
    try {
      await workspace.offer((server, known) => needsServer(server, known, names), signal);
    } catch (fault) {
      // A file that could not be read may be right the next time; servers that are still being waited for are kept.
      if (!signal?.aborted) this.#workspaces.delete(cwd);
      throw fault;
    }
    const problems = problemsOf(workspace, names);
    if (!names) for (const problem of problems) this.#host.report(problem);
    return problems;
  }

  attach(session: string, cwd: string, servers: readonly McpServerConfig[]): Promise<readonly TenonError[]> {
    return this.#attached.attach(session, cwd, servers);
  }

  /** What servers want the model of a session to know. */
  instructionsFor(session: string): string {
    const own = this.#sessions.get(session)?.instructions ?? '';
    return [own, this.#attached.instructionsFor(session)].filter(Boolean).join('\n\n');
  }

  async forgetSession(session: string): Promise<void> {
    this.#sessions.delete(session);
    await this.#attached.detach(session);
  }

  /** The servers of a folder, whether they run or not. */
  workspace(cwd: string): Workspace {
    let workspace = this.#workspaces.get(cwd);
    if (!workspace) {
      workspace = this.#makeWorkspace(cwd);
      this.#workspaces.set(cwd, workspace);
    }
    return workspace;
  }

  /** The connection to a server of a folder; an error that says why there is none. */
  async connection(cwd: string, name: string): Promise<ServerConnection> {
    const workspace = this.workspace(cwd);
    await workspace.find();
    const connection = workspace.connection(name);
    if (connection) return connection;
    const listed = workspace.listed.find((server) => server.name === name);
    if (listed?.obstacle) throw listed.obstacle.error;
    const hint = didYouMean(
      name,
      workspace.listed.map((server) => server.name),
    );
    throw errors.create('MCP_SERVER_UNKNOWN', { server: name, hint });
  }

  /** Everything that is configured for a folder; nobody is asked and nothing is started. */
  async listed(cwd: string): Promise<readonly ListedServer[]> {
    return (await listServers(this.#listHost(), cwd, { mayAsk: false })).servers;
  }

  async servers(cwd: string): Promise<readonly McpServerStatus[]> {
    const listed = await this.listed(cwd);
    return Promise.all(
      listed.map(async (server): Promise<McpServerStatus> => {
        const connection = this.#workspaces.get(cwd)?.connection(server.name);
        const remembered = await this.#cache.get(server.hash);
        const known = remembered && 'definitions' in remembered ? remembered.definitions : undefined;
        const definitions = connection?.definitions ?? known;
        const error = server.obstacle?.error ?? connection?.error;
        return {
          name: server.name,
          state: stateOf(server, connection),
          type: server.config.type,
          target: targetOf(server),
          family: server.family,
          level: server.level,
          file: server.file,
          ...(server.bundle !== undefined && { bundle: server.bundle }),
          ...(error && { problem: [error.message, isTenonError(error) ? error.next : ''].filter(Boolean).join(' ') }),
          ...(definitions && { tools: definitions.tools.length, prompts: definitions.prompts.length }),
        };
      }),
    );
  }

  async reconnect(cwd: string, server: string): Promise<void> {
    const connection = await this.connection(cwd, server);
    await this.#cache.forget(connection.server.hash);
    await connection.reconnect();
  }

  async reload(cwd: string): Promise<void> {
    const old = this.#workspaces.get(cwd);
    this.#workspaces.delete(cwd);
    for (const connection of old?.connections ?? []) this.#withdraw(cwd, connection);
    await old?.close();
    (await this.#host.discovery()).invalidate();
    if (!old) return;
    await this.prepare(cwd);
    for (const [session, equipped] of this.#sessions) {
      if (equipped.cwd !== cwd) continue;
      for (const tools of equipped.tools) await tools.dispose();
      await this.#equip(session, cwd);
    }
  }

  async refresh(cwd: string): Promise<void> {
    (await this.#host.discovery()).invalidate();
    await this.#workspaces.get(cwd)?.refresh();
  }

  /** Ends everything. */
  async close(): Promise<void> {
    const all = [...this.#workspaces.values()];
    this.#workspaces.clear();
    await Promise.all([this.#attached.close(), ...all.map((workspace) => workspace.close())]);
  }

  /** The login at a server. */
  loginStore(server: string, url: string): LoginStore {
    return new LoginStore(() => this.#host.logins(), server, url);
  }

  #listHost(): ServerListHost {
    const { discovery, trust, userFile, config } = this.#host;
    return { discovery, trust, userFile, projectServers: config.projectServers };
  }

  #makeWorkspace(cwd: string): Workspace {
    const { config, tools, prompts } = this.#host;
    return new Workspace({
      cache: this.#cache,
      budgetMs: config.startupBudgetMs,
      startup: config.startup,
      directTools: config.directTools,
      list: (mayAsk) => listServers(this.#listHost(), cwd, { mayAsk }),
      connection: (server, onDefinitions) => this.#connect(cwd, server, onDefinitions),
      offer(connection, definitions, isDiscoverable) {
        prompts.set(connection, definitions.prompts);
        return tools.set(cwd, connection, definitions.tools, isDiscoverable);
      },
      withdraw: (connection) => this.#withdraw(cwd, connection),
      cameLate: (names) =>
        void this.#equipLate(cwd, names).catch((fault: unknown) => this.#host.log.warn(messageOf(fault))),
      report: (error) => this.#host.report(error),
    });
  }

  #withdraw(cwd: string, connection: ServerConnection): void {
    this.#host.tools.clear(cwd, connection.server.name);
    this.#host.prompts.set(connection, []);
  }

  #connect(
    cwd: string,
    server: ListedServer,
    onDefinitions: ConstructorParameters<typeof ServerConnection>[0]['onDefinitions'],
  ): ServerConnection {
    const { config, requests, variables, version, stateFolder, log: hostLog } = this.#host;
    const log = new ServerLog(logFile(stateFolder, server.name));
    return new ServerConnection({
      server,
      cwd,
      version,
      log,
      hostLog,
      environment: server.pack === undefined ? this.#environment() : {},
      connectMs: config.connectTimeoutMs,
      toolMs: config.toolTimeoutMs,
      login: (url) => this.loginStore(server.name, url),
      resolve: async (signal) => {
        await this.#checkContent(server);
        const rights = await this.#rights(server);
        // A pack fills in what it may see of the environment; nobody is asked in its name.
        const limited = rights && { env: rights.environment(), ask: () => Promise.resolve(undefined) };
        return resolveVariables(server.config, { ...variables, ...limited, cwd, ...(signal && { signal }) });
      },
      rights: () => this.#rights(server),
      // Servers of packs get no answers of models and ask the user nothing.
      capabilities: () => (server.pack === undefined ? clientCapabilities(requests) : {}),
      prepare(client) {
        if (server.pack === undefined) answerServer(client, requests, { server: server.name, cwd, log });
      },
      onDefinitions,
    });
  }

  /** The rights of the pack that brings a server. A server whose pack is gone, or runs as part of Tenon, is not reached. */
  async #rights({ name, pack }: ListedServer): Promise<PackRights | undefined> {
    if (pack === undefined) return undefined;
    const rights = (await this.#host.packs())?.rightsOf(pack);
    if (rights) return rights;
    throw errors.create('MCP_CONNECT_FAILED', { server: name, reason: `its pack "${pack}" does not run` });
  }

  /** Right before a start, and before any command that fills in a variable: a server of a project is what the user trusted. */
  async #checkContent(server: ListedServer): Promise<void> {
    const { name, trustFolder: folder } = server;
    if (folder === undefined) return;
    const trust = await this.#host.trust();
    const programs = [programOf(server)];
    if (await trust.ensure(folder, `start the MCP server ${name}`, programs)) return;
    const changes = await trust.changesIn(folder, programs);
    const details = { server: name, folder, folderWord: shellWord(folder) };
    if (changes.length === 0) throw errors.create('MCP_SERVER_UNTRUSTED', details);
    throw errors.create('MCP_SERVER_CHANGED', { ...details, changes });
  }

  #environment(): Record<string, string> {
    const { env } = this.#host.variables;
    const names = [
      ...INHERITED,
      ...(process.platform === 'win32' ? INHERITED_ON_WINDOWS : []),
      ...this.#host.config.inheritEnv,
    ];
    return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
  }

  /** Gives a session the tools that are offered from the start. */
  async #equip(session: string, cwd: string): Promise<void> {
    const workspace = this.workspace(cwd);
    const equipped: Equipped = { cwd, instructions: this.#instructions(workspace), tools: [] };
    this.#sessions.set(session, equipped);
    await this.#addTools(session, equipped, workspace.direct);
  }

  /** Gives all sessions of a folder what came after they had begun; the model sees the tools with its next turn. */
  async #equipLate(cwd: string, names: readonly string[]): Promise<void> {
    for (const [session, equipped] of this.#sessions) {
      if (equipped.cwd !== cwd) continue;
      equipped.instructions = this.#instructions(this.workspace(cwd));
      await this.#addTools(session, equipped, names);
    }
  }

  async #addTools(session: string, equipped: Equipped, names: readonly string[]): Promise<void> {
    const added = names.length === 0 ? undefined : await (await this.#host.agents()).get(session)?.addTools(names);
    if (added) equipped.tools = [...equipped.tools, added];
  }

  #instructions(workspace: Workspace): string {
    return workspace.instructions(Math.floor(this.#host.config.instructionTokens * CHARS_PER_TOKEN));
  }
}

function stateOf(server: ListedServer, connection: ServerConnection | undefined): McpServerState {
  if (server.obstacle || connection?.state === 'closed') return 'off';
  return connection === undefined || connection.state === 'idle' ? 'waiting' : (connection.state as McpServerState);
}

/** The command line or the address, as written: what variables stand for may be secret. */
export function targetOf({ config }: Pick<ListedServer, 'config'>): string {
  return config.type === 'stdio' ? [config.command, ...(config.args ?? [])].join(' ') : (config.url ?? '');
}

function isTenonError(fault: unknown): fault is TenonError {
  return fault instanceof Error && fault.name === 'TenonError';
}
