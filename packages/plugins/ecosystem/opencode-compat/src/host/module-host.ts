/** One process for the modules of the same level, trust and permissions. It starts when it is first needed, and again after a crash. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf, type Permissions, TenonError } from '@tenon/kernel';
import { type BrokeredRequest, createFetchBroker, type Method, type PackHost } from '@tenon/pack-host/api';
import { shellWord } from '@tenon/wording';
import { errors } from '../errors.ts';
import type { CallPlace, HostStart, Loaded, ModuleShape, ServedHook } from '../protocol.ts';
import { codeFolders, type PlannedModule, programOf } from './modules.ts';
import type { Services } from './services.ts';

/** Modules are translated as they are loaded, and some are large. */
const START_SECONDS = 60;
const MAX_MEMORY_SHARES = 4;

let made = 0;

/** The process of some modules. */
export class ModuleHost {
  readonly modules: readonly PlannedModule[];
  readonly #services: Services;
  readonly #cwd: string;
  readonly #told = new Set<string>();
  /** Apart from the same modules in another process of this Tenon: `check` must not end those of a session. */
  readonly #number = ++made;
  #loaded = new Map<string, Loaded>();
  #host: Promise<PackHost> | undefined;

  constructor(services: Services, cwd: string, modules: readonly PlannedModule[]) {
    this.#services = services;
    this.#cwd = cwd;
    this.modules = modules;
  }

  /** Starts the process and loads the modules; reports what could not be loaded. */
  async start(): Promise<void> {
    try {
      await (await (this.#host ??= this.#make())).use();
    } catch (fault) {
      for (const module of this.modules) this.#loaded.set(module.file, { file: module.file, failure: reasonOf(fault) });
    }
    for (const module of this.modules) {
      const loaded = this.#loaded.get(module.file);
      if (loaded && 'failure' in loaded) this.#services.report(loadError(module, loaded.failure), 'error');
      for (const what of this.shapeOf(module)?.unsupported ?? []) this.#unsupported(module, what);
    }
  }

  /** What a module brings; nothing when it was not loaded. */
  shapeOf({ file }: PlannedModule): ModuleShape | undefined {
    const loaded = this.#loaded.get(file);
    return loaded && 'shape' in loaded ? loaded.shape : undefined;
  }

  /** Why a module could not be loaded. */
  failureOf(module: PlannedModule): TenonError | undefined {
    const loaded = this.#loaded.get(module.file);
    return loaded && 'failure' in loaded ? loadError(module, loaded.failure) : undefined;
  }

  /** Calls a hook of a module; gives `output` as it leaves it. Throws when it fails, is gone, or takes too long. */
  async call(module: PlannedModule, hook: ServedHook, input: unknown, output: unknown): Promise<unknown> {
    const seconds = this.#services.config.handlerSeconds;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      const about = { module: module.name, hook, seconds };
      timer = setTimeout(() => reject(errors.create('OPENCODE_DEADLINE', about)), seconds * 1_000);
    });
    try {
      return await Promise.race([this.#request('hook', [module.file, hook, input, output]), late]);
    } catch (fault) {
      if (fault instanceof TenonError && fault.owner === 'opencode-compat') throw fault;
      const { kind, name } = module;
      throw errors.create('OPENCODE_HANDLER_FAILED', { kind, module: name, hook, reason: reasonOf(fault) }, fault);
    } finally {
      clearTimeout(timer);
    }
  }

  /** The same where a failure is reported and otherwise without consequence. */
  async callOrReport(...args: Parameters<ModuleHost['call']>): Promise<unknown> {
    try {
      return await this.call(...args);
    } catch (fault) {
      this.#reportOnce(fault as TenonError);
      return undefined;
    }
  }

  /** Runs a tool of a module. */
  async runTool(
    module: PlannedModule,
    call: { readonly tool: string; readonly input: unknown; readonly place: CallPlace; readonly signal: AbortSignal },
  ): Promise<string> {
    const { tool, input, place, signal } = call;
    return String(await this.#request('tool', [module.file, tool, input, place, signal]));
  }

  /** Ends the process. */
  async stop(): Promise<void> {
    await (await this.#host)?.stop();
  }

  async #request(method: string, args: readonly unknown[]): Promise<unknown> {
    const host = await (this.#host ??= this.#make());
    // A process that starts anew reads the files anew: they must still be what was trusted.
    if (host.status().state !== 'running') await this.#assertTrusted();
    const { peer } = await host.use();
    const answer = peer.request(method, args);
    answer.catch(() => undefined); // it may fail after nobody waits for it any more
    return answer;
  }

  async #assertTrusted(): Promise<void> {
    for (const { project } of this.modules) {
      if (project === undefined) continue;
      const programs = this.modules.filter((module) => module.project === project).map(programOf);
      const state = await (await this.#services.trust()).stateOf(project, programs);
      if (state !== 'trusted') throw untrusted(project, this.modules);
    }
  }

  async #make(): Promise<PackHost> {
    const [first] = this.modules;
    const confined = first?.trust !== 'unconfined';
    const files = this.modules.map(({ file }) => file);
    const hash = createHash('sha256')
      .update([...files, this.#cwd, String(this.#number)].join('\n'))
      .digest('hex')
      .slice(0, 12);
    const [folder = this.#cwd, ...more] = [...new Set(this.modules.flatMap((module) => codeFolders(module)))];
    const permissions: Permissions = {
      ...first?.permissions,
      fs: { ...first?.permissions.fs, read: [...(first?.permissions.fs?.read ?? []), ...more] },
    };
    const { home, config, data, state, cache } = this.#services.folders;
    const host = await (
      await this.#services.hosts()
    ).host(
      { manifest: { id: `opencode-${hash}`, version: '0.0.0', kernel: '^1' }, folder, permissions },
      { workspace: this.#cwd, home, own: [config, data, state, cache] },
      {
        name: 'opencode-host',
        confined,
        startSeconds: START_SECONDS,
        libraries: true,
        memoryShares: Math.min(this.modules.length, MAX_MEMORY_SHARES),
      },
    );
    const start: HostStart = {
      cwd: this.#cwd,
      worktree: worktreeOf(this.#cwd),
      trusted: !confined,
      modules: this.modules.map(({ kind, name, file, options }) => ({ kind, name, file, ...(options && { options }) })),
    };
    const methods = this.#methods(permissions.net ?? []);
    // Not awaited: whoever asked for the process waits for it with `use`, and hears of a failure there.
    host
      .activate({
        config: start,
        needs: {},
        methods: () => methods,
        questions: () => ({}),
        onRestart: () => undefined,
        report: (error) => this.#stopped(error),
      })
      .catch(() => undefined);
    return host;
  }

  #methods(net: readonly string[]): Readonly<Record<string, Method>> {
    const fetch = createFetchBroker('opencode-compat', net);
    const of = (file: unknown) => this.modules.find((module) => module.file === file) ?? this.modules[0];
    const serve =
      (work: (module: PlannedModule | undefined, args: unknown[]) => unknown): Method =>
      (params, peer) =>
        peer.serveArguments(params, ([file, ...args]) => work(of(file), args));
    return {
      loaded: (params, peer) =>
        peer.serveArguments(params, ([loaded]) => {
          this.#loaded = new Map((loaded as Loaded[]).map((one) => [one.file, one]));
        }),
      log: serve((module, [level, message, fields]) => {
        const log = this.#services.log;
        const write = level === 'debug' || level === 'warn' || level === 'error' ? log[level] : log.info;
        write(`${module?.name}: ${String(message)}`, fields as Record<string, unknown>);
      }),
      toast: serve(async (_module, [message, variant]) => {
        const ui = await this.#services.ui();
        ui.notify(String(message), variant === 'error' || variant === 'warning' ? variant : 'info');
      }),
      unsupported: serve((module, [what]) => module && this.#unsupported(module, String(what))),
      fault: serve((module, [hook, reason]) => {
        if (!module) return;
        const { kind, name } = module;
        this.#reportOnce(errors.create('OPENCODE_HANDLER_FAILED', { kind, module: name, hook, reason }));
      }),
      fetch: serve((_module, [request, signal]) =>
        fetch(request as BrokeredRequest, signal as AbortSignal | undefined),
      ),
    };
  }

  #unsupported({ name }: PlannedModule, what: string): void {
    this.#reportOnce(errors.create('OPENCODE_UNSUPPORTED', { module: name, what }));
  }

  #stopped(error: TenonError): void {
    const modules = this.modules.map(({ name }) => name);
    this.#services.report(errors.create('OPENCODE_STOPPED', { modules, reason: reasonOf(error) }, error), 'warning');
  }

  /** The same complaint about the same thing is no news. */
  #reportOnce(error: TenonError): void {
    if (this.#told.has(error.message)) return this.#services.log.warn(error.message);
    this.#told.add(error.message);
    this.#services.report(error, 'warning');
  }
}

/** Modules of a folder that may not run. */
export function untrusted(folder: string, modules: readonly PlannedModule[]): TenonError {
  const names = modules.flatMap(({ name, project }) => (project === folder ? [name] : []));
  return errors.create('OPENCODE_UNTRUSTED', { folder, folderWord: shellWord(folder), modules: names });
}

function loadError({ kind, name, file }: PlannedModule, reason: string): TenonError {
  const missing = /^Cannot find (?:module|package) '((?:@[\w.-]+\/)?[\w-][\w.-]*)/.exec(reason)?.[1];
  if (missing !== undefined)
    return errors.create('OPENCODE_DEPENDENCY', { kind, module: name, missing, folder: dirname(dirname(file)) });
  return errors.create('OPENCODE_LOAD_FAILED', {
    kind,
    module: name,
    file,
    reason: reason.split('\nRequire stack:')[0],
  });
}

/** What went wrong, without the words of the machinery around it. */
function reasonOf(fault: unknown): string {
  const isMachinery = fault instanceof TenonError && fault.owner === 'pack-host';
  return isMachinery ? String(fault.details['reason'] ?? fault.message) : messageOf(fault);
}

/** The folder of the repository around a folder, else the folder itself. */
function worktreeOf(cwd: string): string {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder;
    if (folder === dirname(folder)) return cwd;
  }
}
