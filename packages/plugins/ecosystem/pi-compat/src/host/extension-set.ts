/** The extensions of one folder: loaded once, when the first session begins there. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { inSentences, shellWord } from '@tenon/wording';
import type { AgentSession, LiveAgents } from '@tenon/agent/api';
import { messageOf, TenonError } from '@tenon/kernel';
import type { ComponentScreen, UserInterface } from '@tenon/host';
import type { ProjectProgram } from '@tenon/trust/api';
import { errors } from '../errors.ts';
import type { SessionScope } from '../protocol.ts';
import { equip } from './equip.ts';
import { Extension, type Surroundings } from './extension.ts';
import { type Freshness, freshnessOf } from './freshness.ts';
import { isPublic, publicServers, RegisteredServers } from './mcp-servers.ts';
import type { FoundModule } from './modules.ts';
import { NestedCalls } from './nested-calls.ts';
import { type PlannedModule, planModules } from './planned-modules.ts';
import { piModel } from './pi-shapes.ts';
import type { ProviderTable } from './provider-table.ts';
import { ShapeCache } from './shape-cache.ts';
import { SharedHosts } from './shared-host.ts';
import type { ToolTable } from './tool-table.ts';
import type { ExtensionServices } from './services.ts';
import type { VirtualModels } from './virtual-models.ts';

const MAX_SENT = 50;

/** What all folders share. */
export interface Tables {
  readonly tools: ToolTable;
  readonly providers: ProviderTable;
  readonly virtualModels: VirtualModels;
}

/** The extensions of a folder. */
export class ExtensionSet implements Surroundings {
  readonly world: ExtensionServices;
  readonly cwd: string;
  readonly shared = new SharedHosts();
  readonly statuses = new Map<string, string>();
  readonly #tables: Tables;
  #extensions: readonly Extension[] = [];
  #agents: LiveAgents | undefined;
  #ui: UserInterface | undefined;
  #models: readonly Readonly<Record<string, unknown>>[] = [];
  #loading: Promise<void> | undefined;
  #hasAsked = false;
  readonly #problems = new Map<string, TenonError>();
  #untrusted: readonly TenonError[] = [];
  /** The files that were loaded, or could not be. */
  readonly #tried = new Set<string>();
  readonly #decided = new Set<string>();
  readonly #running = new Set<string>();
  readonly #names = new Map<string, string | undefined>();
  /** Extensions that judged calls before a reload and are not back yet, by file: until then no call runs. */
  readonly #missing = new Map<string, string>();
  #reloading: Promise<void> | undefined;
  #cache: ShapeCache | undefined;
  readonly #freshness = new Map<string, Freshness>();
  /** What goes on behind the start of a session. */
  readonly #behind = new Set<Promise<void>>();
  /** True inside of that: what a handler causes there must not wait for the handler. */
  readonly #isBehind = new AsyncLocalStorage<boolean>();
  /** What extensions say in the name of the user, until it is heard. */
  readonly #sent: string[] = [];
  readonly calls = new NestedCalls();
  readonly #servers: RegisteredServers;
  /** Extensions were loaded once: what changes from now on changes for sessions. */
  #hasLoaded = false;

  constructor(world: ExtensionServices, cwd: string, tables: Tables) {
    this.world = world;
    this.cwd = cwd;
    this.#tables = tables;
    this.#servers = new RegisteredServers(world, cwd);
  }

  /** Those that were loaded, in order. */
  get extensions(): readonly Extension[] {
    return this.#extensions;
  }

  /** Whether it has to be asked about calls. */
  get isInUse(): boolean {
    return this.#extensions.length > 0 || this.#reloading !== undefined || this.#missing.size > 0;
  }

  /** The names of extensions that judged calls and could not be loaded again: nobody may take their silence for consent. */
  get missingGuards(): readonly string[] {
    return [...this.#missing.values()];
  }

  /** Resolves when no reload is under way. */
  async ready(): Promise<void> {
    while (this.#reloading) await this.#reloading;
  }

  get knownModels(): Surroundings['knownModels'] {
    return this.#models;
  }

  get canAsk(): boolean {
    return this.#ui?.canAsk() === true;
  }

  get screen(): ComponentScreen | undefined {
    return this.#ui?.screen;
  }

  /** Why extensions could not be loaded, as it was reported. */
  get problems(): readonly TenonError[] {
    return [...this.#problems.values()];
  }

  /** Which extensions were left out because their folder is not trusted. */
  get untrusted(): readonly TenonError[] {
    return this.#untrusted;
  }

  /**
   * Loads them, once. Never fails: what cannot be loaded is reported. Without `mayAsk` those of folders that nobody has
   * decided about are left for the next time.
   */
  load(mayAsk = true): Promise<void> {
    if (!this.#loading || (mayAsk && !this.#hasAsked)) {
      this.#hasAsked = mayAsk;
      this.#loading = this.#loadAfter(this.#loading, mayAsk);
    }
    return this.#loading;
  }

  async #loadAfter(before: Promise<void> | undefined, mayAsk: boolean): Promise<void> {
    await before;
    try {
      await this.#load(mayAsk);
    } catch (fault) {
      if (fault instanceof TenonError) this.#miss(fault, 'error');
      else this.world.log.error(`extensions could not be loaded: ${messageOf(fault)}`);
    }
  }

  #miss(problem: TenonError, severity: 'error' | 'warning'): void {
    this.#problems.set(problem.message, problem);
    this.world.report(problem, severity);
  }

  async #load(mayAsk: boolean): Promise<void> {
    const { world } = this;
    [this.#agents, this.#ui] = await Promise.all([world.agents(), world.ui()]);
    const { planned, problems } = await planModules(world, this.cwd);
    for (const problem of problems) this.#miss(problem, 'warning');
    // What was switched off is not waited for.
    for (const { module, skipped } of planned) if (skipped !== undefined) this.#missing.delete(module.file);
    const left = planned.filter(({ module, skipped }) => skipped === undefined && !this.#tried.has(module.file));
    const wanted = await this.#allowed(left, mayAsk);
    if (wanted.length === 0) return;
    for (const { module } of wanted) this.#tried.add(module.file);
    await this.#refreshModels();
    const made = wanted.map(
      ({ module, record, permissions }) =>
        new Extension(module, { trust: record?.trust ?? 'isolated', permissions }, this),
    );
    // Listed before they are loaded: what they register at once belongs to somebody then.
    const order = planned.map(({ module }) => module.file);
    this.#extensions = [...this.#extensions, ...made].sort(
      (a, b) => order.indexOf(a.module.file) - order.indexOf(b.module.file),
    );
    const values = { ...world.config.flags, ...(await world.flagValues()) };
    const cache = (this.#cache = new ShapeCache(world, this.cwd, values));
    this.#noteFreshness(wanted);
    await Promise.all(
      made.map((extension) => {
        const { file } = extension.module;
        const known = cache.find(file, this.#freshness.get(file));
        return known ? extension.assume(known) : this.#start(extension, () => extension.load());
      }),
    );
    // With --no-extensions nobody looked for the others.
    if (!(await world.flags()).noExtensions) cache.keepOnly(order);
    this.#noteServers();
    this.#hasLoaded = true;
  }

  /** Starts one; one that cannot be started is reported and left out. */
  async #start(extension: Extension, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (fault) {
      this.#extensions = this.#extensions.filter((other) => other !== extension);
      const problem = fault as TenonError;
      this.#miss(problem, 'error');
      if (this.canAsk) this.#ui?.notify(inSentences(problem.message, problem.next), 'warning');
    }
  }

  #noteFreshness(planned: readonly PlannedModule[]): void {
    const { cwd, world } = this;
    for (const { module, record, permissions } of planned) {
      const trust = record?.trust ?? 'isolated';
      const freshness = freshnessOf(module, { cwd, home: world.folders.home, permissions, trust });
      if (freshness) this.#freshness.set(module.file, freshness);
      else this.#freshness.delete(module.file);
    }
  }

  learned({ module, trust, shape }: Extension): void {
    const freshness = this.#freshness.get(module.file);
    if (!freshness) return;
    // Without a sandbox it sees more than its files when it registers; providers come with keys, which are kept nowhere.
    const isHidden = freshness.mayGuard && !shape.events.includes('tool_call');
    const hasKeys = shape.providers.length > 0 || !shape.mcpServers.every(isPublic);
    const isWhole = trust === 'isolated' && !hasKeys && !isHidden;
    this.#cache?.keep(module, freshness, shape, isWhole);
  }

  /** Runs something that the start of a session does not wait for, but its first prompt does. */
  startBehind(work: () => Promise<unknown>): void {
    const going: Promise<void> = this.#isBehind.run(true, work).then(
      () => void this.#behind.delete(going),
      (fault: unknown) => {
        this.#behind.delete(going);
        this.world.log.warn(`an extension did not start: ${messageOf(fault)}`);
      },
    );
    this.#behind.add(going);
  }

  /** Starts those that act by themselves, behind the start of the session. */
  startActive(): void {
    for (const extension of this.#extensions)
      if (!extension.isStarted && this.#freshness.get(extension.module.file)?.isActive === true)
        this.startBehind(() => this.#start(extension, () => extension.begin()));
  }

  /** Resolves when what was started behind the session is there. */
  async caughtUp(): Promise<void> {
    while (this.#behind.size > 0 && this.#isBehind.getStore() !== true) await Promise.all(this.#behind);
  }

  /** What comes with a project runs only where the user trusts it; nothing of it was started before. */
  async #allowed(planned: readonly PlannedModule[], mayAsk: boolean): Promise<readonly PlannedModule[]> {
    const groups = byProject(planned);
    const refused = new Set<string>();
    this.#untrusted = [];
    // Outer folders first: trust in one of them counts for those inside, which need no question then.
    for (const [folder, extensions] of [...groups].sort(([a], [b]) => a.length - b.length)) {
      const trust = await this.world.trust();
      // Trust holds for the bytes of what runs.
      const programs = planned.flatMap(({ module }) => (module.project === folder ? [programOf(module)] : []));
      const isTrusted = mayAsk
        ? await trust.ensure(folder, `run its extensions (${extensions.join(', ')})`, programs)
        : (await trust.stateOf(folder, programs)) === 'trusted';
      if (isTrusted) continue;
      refused.add(folder);
      const problem = errors.create('PI_COMPAT_UNTRUSTED', { extensions, folder, folderWord: shellWord(folder) });
      this.#untrusted = [...this.#untrusted, problem];
      if (mayAsk) this.world.report(problem, 'warning');
    }
    return planned.filter(({ module }) => module.project === undefined || !refused.has(module.project));
  }

  async #refreshModels(): Promise<void> {
    try {
      const models = await (await this.world.models()).list();
      this.#models = models.map((model) => piModel(model));
    } catch (fault) {
      this.world.log.warn(`extensions see no models: ${messageOf(fault)}`);
    }
  }

  /** Ends all of them. */
  async stop(): Promise<void> {
    const ended = this.#extensions;
    this.#extensions = [];
    this.#loading = undefined;
    this.#problems.clear();
    this.#tried.clear();
    for (const extension of ended) {
      await this.#tables.tools.remove(extension);
      await this.#tables.providers.remove(extension);
      await this.#tables.virtualModels.remove(extension);
      await extension
        .stop()
        .catch((fault: unknown) => this.world.log.warn(`"${extension.name}" did not end cleanly: ${messageOf(fault)}`));
    }
  }

  liveAgent(place: SessionScope): AgentSession | undefined {
    if (place.session !== undefined) {
      const agent = this.#agents?.get(place.session);
      if (agent) return agent;
    }
    // A session that was left: what its agent works on now is meant.
    return this.#agents?.list().find(({ cwd }) => cwd === this.cwd);
  }

  async changed(extension: Extension): Promise<void> {
    const { tools, providers, virtualModels } = this.#tables;
    const added = await tools.update(extension, this.cwd);
    await providers.update(extension);
    const hasOtherModels = await virtualModels.update(extension, this.cwd);
    if (hasOtherModels || extension.shape.providers.length > 0) await this.#refreshModels();
    if (this.#hasLoaded) this.#noteServers();
    if (added.length > 0) for (const agent of this.#sessions()) await this.#equip(agent);
  }

  /** Gives a session the tools of the extensions. */
  async equip(session: string): Promise<void> {
    const agent = this.#agents?.get(session);
    if (agent) await this.#equip(agent);
  }

  async #equip(agent: AgentSession): Promise<void> {
    // An extension that decides about the tools of a session is not overruled.
    if (!this.#decided.has(agent.session.id)) await equip(agent, this.#extensions, this.world.config.toolTokens);
  }

  /** An agent begins to work on a prompt, or has ended. */
  noteRun(session: string, isRunning: boolean): void {
    if (isRunning) this.#running.add(session);
    else this.#running.delete(session);
  }

  isOpening(place: SessionScope): boolean {
    const agent = this.liveAgent(place);
    return agent?.state.isStreaming === true && !this.#running.has(agent.session.id);
  }

  noteSent(text: string): void {
    this.#sent.push(text);
    if (this.#sent.length > MAX_SENT) this.#sent.shift();
  }

  /** Whether an extension has just said this. */
  takeSent(text: string): boolean {
    const at = this.#sent.indexOf(text);
    if (at !== -1) this.#sent.splice(at, 1);
    return at !== -1;
  }

  toolsDecided(session: string): void {
    this.#decided.add(session);
  }

  tellAll(name: string, event: Readonly<Record<string, unknown>>, place: SessionScope): void {
    for (const extension of this.#extensions) if (extension.hears(name)) extension.tell(name, event, place);
  }

  /** Tells when a session has another name than when somebody looked last. The first look tells nothing. */
  noteName(session: string): void {
    const agent = this.#agents?.get(session);
    if (!agent) return;
    const name = agent.session.header.title;
    const isKnown = this.#names.has(session);
    const isNew = isKnown && this.#names.get(session) !== name;
    this.#names.set(session, name);
    if (isNew) this.tellAll('session_info_changed', { name }, { session, cwd: this.cwd });
  }

  #sessions(): AgentSession[] {
    return (this.#agents?.list() ?? []).filter(({ cwd }) => cwd === this.cwd);
  }

  places(): readonly SessionScope[] {
    return this.#sessions().map(({ session, cwd }) => ({ session: session.id, cwd }));
  }

  tellOthers(from: Extension, channel: string, data: unknown): void {
    for (const extension of this.#extensions) {
      if (extension !== from && (extension.isStarted || extension.shape.listens))
        extension
          .request('bus', [channel, data])
          .catch((fault: unknown) =>
            this.world.log.warn(`"${extension.name}" did not hear of "${channel}": ${messageOf(fault)}`),
          );
    }
  }

  commandNames(): ReturnType<Surroundings['commandNames']> {
    return this.#extensions.flatMap(({ shape, module }) =>
      shape.commands.map(({ name, description }) => ({
        name,
        source: 'extension',
        sourceInfo: { path: module.file, source: 'extension', scope: module.level, origin: 'top-level' },
        ...(description !== undefined && { description }),
      })),
    );
  }

  /** The MCP servers of the extensions, for discovery. */
  serverItems(): ReturnType<RegisteredServers['items']> {
    return this.#servers.items(this.#extensions);
  }

  /** Nobody waits for servers: what they have comes when it comes. */
  #noteServers(): void {
    const places = this.#hasLoaded ? this.places() : [];
    this.#servers
      .note(this.#extensions, places, (event, about, place) => this.tellAll(event, about, place))
      .catch((fault: unknown) => this.world.log.warn(`MCP servers of extensions: ${messageOf(fault)}`));
  }

  mcpServersBeside(extension: Extension): ReturnType<Surroundings['mcpServersBeside']> {
    return publicServers(this.#extensions.filter((other) => other !== extension));
  }

  reload(): void {
    for (const extension of this.#extensions)
      if (extension.hears('tool_call')) this.#missing.set(extension.module.file, extension.name);
    // The command that asked for it must come to its end first.
    const soon = new Promise<void>((resolve) => setTimeout(resolve, 50));
    const before = this.#reloading ?? Promise.resolve();
    const reloading: Promise<void> = Promise.all([soon, before])
      .then(() => this.#startAnew())
      .catch((fault: unknown) => this.world.log.error(`extensions could not be loaded again: ${messageOf(fault)}`))
      .finally(() => {
        if (this.#reloading === reloading) this.#reloading = undefined;
      });
    this.#reloading = reloading;
  }

  async #startAnew(): Promise<void> {
    await this.stop();
    await this.load();
    for (const place of this.places())
      for (const extension of this.#extensions) extension.tell('session_start', { reason: 'reload' }, place);
    // Some judge calls only once they know of the session.
    await Promise.all(this.#extensions.map((extension) => extension.settle()));
    for (const { module } of this.#extensions) this.#missing.delete(module.file);
  }
}

function programOf({ name, file }: FoundModule): ProjectProgram {
  return { name: `the extension ${name}`, file, definition: file, files: [file] };
}

function byProject(planned: readonly PlannedModule[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { module } of planned) {
    if (module.project !== undefined) groups.set(module.project, [...(groups.get(module.project) ?? []), module.name]);
  }
  return groups;
}
