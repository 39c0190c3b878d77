/** The modules of one folder: loaded once, when the first session begins there. */
import type { AgentSession } from '@tenon/agent/api';
import { messageOf, TenonError } from '@tenon/kernel';
import type { ServedHook } from '../protocol.ts';
import { ModuleHost, untrusted } from './module-host.ts';
import { type PlannedModule, planModules, programOf } from './modules.ts';
import type { Services } from './services.ts';
import type { ToolTable } from './tool-table.ts';

/** A module that was loaded, and the process that it is in. */
export interface LoadedModule {
  readonly module: PlannedModule;
  readonly host: ModuleHost;
}

/** The modules of a folder. */
export class ModuleSet {
  readonly cwd: string;
  readonly #services: Services;
  readonly #tools: ToolTable;
  #loaded: readonly LoadedModule[] = [];
  #hosts: readonly ModuleHost[] = [];
  #loading: Promise<void> | undefined;
  #hasAsked = false;
  #untrusted: readonly TenonError[] = [];
  readonly #tried = new Set<string>();

  constructor(services: Services, cwd: string, tools: ToolTable) {
    this.#services = services;
    this.cwd = cwd;
    this.#tools = tools;
  }

  /** Those that have a handler for a hook, in the order in which they were loaded. */
  hearing(hook: ServedHook): readonly LoadedModule[] {
    return this.#loaded.filter(({ module, host }) => host.shapeOf(module)?.hooks.includes(hook));
  }

  /** Which modules were left out because their folder is not trusted. */
  get untrusted(): readonly TenonError[] {
    return this.#untrusted;
  }

  /** Loads them, once. Never fails: what cannot be loaded is reported. Without `mayAsk` nobody is asked about a folder. */
  load(mayAsk: boolean): Promise<void> {
    if (!this.#loading || (mayAsk && !this.#hasAsked)) {
      this.#hasAsked = mayAsk;
      const before = this.#loading;
      this.#loading = this.#loadAfter(before, mayAsk);
    }
    return this.#loading;
  }

  /** Offers the tools of the modules to a session, as far as the setting for their size goes. */
  async equip(agent: AgentSession | undefined): Promise<void> {
    const names = this.#loaded.flatMap(({ module, host }) => host.shapeOf(module)?.tools.map(({ name }) => name) ?? []);
    if (names.length > 0) await agent?.addTools(names, { budget: this.#services.config.toolTokens });
  }

  /** Ends their processes. */
  async stop(): Promise<void> {
    const hosts = this.#hosts;
    [this.#loaded, this.#hosts] = [[], []];
    for (const host of hosts) {
      await this.#tools.remove(host);
      await host
        .stop()
        .catch((fault: unknown) => this.#services.log.warn(`it did not end cleanly: ${messageOf(fault)}`));
    }
  }

  async #loadAfter(before: Promise<void> | undefined, mayAsk: boolean): Promise<void> {
    await before;
    try {
      await this.#load(mayAsk);
    } catch (fault) {
      if (fault instanceof TenonError) this.#services.report(fault, 'error');
      else this.#services.log.error(`modules of OpenCode could not be loaded: ${messageOf(fault)}`);
    }
  }

  async #load(mayAsk: boolean): Promise<void> {
    const { modules, problems } = await planModules(this.#services, this.cwd);
    for (const problem of problems) this.#services.report(problem, 'warning');
    const left = modules.filter(({ file, skipped }) => skipped === undefined && !this.#tried.has(file));
    const allowed = await this.#allowed(left, mayAsk);
    for (const { file } of allowed) this.#tried.add(file);
    const hosts = groups(allowed).map((group) => new ModuleHost(this.#services, this.cwd, group));
    this.#hosts = [...this.#hosts, ...hosts];
    await Promise.all(hosts.map((host) => host.start()));
    const order = modules.map(({ file }) => file);
    const loaded = hosts.flatMap((host) => host.modules.map((module) => ({ module, host })));
    this.#loaded = [...this.#loaded, ...loaded].sort(
      (a, b) => order.indexOf(a.module.file) - order.indexOf(b.module.file),
    );
    for (const one of loaded) this.#tools.add(one, this.cwd);
  }

  /** What comes with a project runs only where the user trusts it, byte for byte; nothing of it was started before. */
  async #allowed(modules: readonly PlannedModule[], mayAsk: boolean): Promise<readonly PlannedModule[]> {
    const projects = [...new Set(modules.flatMap(({ project }) => project ?? []))].sort((a, b) => a.length - b.length);
    const refused = new Set<string>();
    this.#untrusted = [];
    for (const project of projects) {
      const own = modules.filter((module) => module.project === project);
      const programs = own.map(programOf);
      const trust = await this.#services.trust();
      const what = `run its OpenCode modules (${own.map(({ name }) => name).join(', ')})`;
      const isTrusted = mayAsk
        ? await trust.ensure(project, what, programs)
        : (await trust.stateOf(project, programs)) === 'trusted';
      if (isTrusted) continue;
      refused.add(project);
      const problem = untrusted(project, own);
      this.#untrusted = [...this.#untrusted, problem];
      if (mayAsk) this.#services.report(problem, 'warning');
    }
    return modules.filter(({ project }) => project === undefined || !refused.has(project));
  }
}

/** Modules share a process with those that may do the same and are of the same origin. */
function groups(modules: readonly PlannedModule[]): PlannedModule[][] {
  const byKind = new Map<string, PlannedModule[]>();
  for (const module of modules) {
    const { level, project, trust, permissions } = module;
    const key = JSON.stringify([level, project, trust, permissions]);
    byKind.set(key, [...(byKind.get(key) ?? []), module]);
  }
  return [...byKind.values()];
}
