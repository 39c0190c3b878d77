import { Declarations } from './declarations.ts';
import { type Diagnostic, Diagnostics } from './diagnostics.ts';
import { joinFaults } from './errors.ts';
import type { PendingHandler } from './hooks.ts';
import { Installer } from './installer.ts';
import { kernelPlugin } from './kernel-plugin.ts';
import { Lifecycle, type LifecycleLimits } from './lifecycle.ts';
import { type Logger, silentLogger } from './logger.ts';
import { type PluginStatus, type RegistrationInfo, statusOf } from './plugin-record.ts';
import type { KernelAccess, PluginCandidate } from './plugin.ts';
import type { LoadContext } from './registry.ts';
import { Slots } from './slots.ts';
import { plugins, settingsEngine } from './well-known.ts';

/** What can be set when a kernel is made. */
export interface KernelOptions {
  readonly log?: Logger;
  readonly limits?: Partial<LifecycleLimits>;
  /** Called for every finding as it is made; all of them can be listed later. */
  readonly onDiagnostic?: (diagnostic: Diagnostic) => void;
}

/** Joins plugins. It knows nothing about what they do. */
export interface Kernel extends KernelAccess {
  readonly log: Logger;
  /** Makes plugins known. Nothing of them runs. What is wrong with one is reported; the others are installed. */
  install(...candidates: readonly PluginCandidate[]): void;
  /** Stops a plugin and forgets it. */
  uninstall(id: string): Promise<void>;
  /** Installs what the sources of the slot `plugins` find. */
  discover(context: LoadContext, signal?: AbortSignal): Promise<void>;
  /** Starts the plugins that ask to start with the program. Failures are reported. */
  start(): Promise<void>;
  activate(id: string): Promise<void>;
  unload(id: string): Promise<void>;
  reload(id: string): Promise<void>;
  status(): readonly PluginStatus[];
  /** The live registrations, of one plugin or of all. */
  registrations(id?: string): readonly RegistrationInfo[];
  /** The hook handlers that run now. */
  pending(): readonly PendingHandler[];
  diagnostics(): readonly Diagnostic[];
  /** Stops all plugins, newest first. */
  dispose(): Promise<void>;
}

/** Makes a kernel without any plugin. */
export function createKernel(options: KernelOptions = {}): Kernel {
  const log = options.log ?? silentLogger;
  const diagnostics = new Diagnostics((diagnostic) => {
    log[diagnostic.severity === 'error' ? 'error' : 'warn'](diagnostic.error.message, diagnostic.error.toJSON());
    options.onDiagnostic?.(diagnostic);
  });
  const declarations = new Declarations();
  const slots = new Slots();
  const limits = { activateMs: 30_000, unloadGraceMs: 2_000, ...options.limits };
  const lifecycle: Lifecycle = new Lifecycle(log, slots, declarations, diagnostics, limits);
  const installer = new Installer(declarations, slots, diagnostics);
  const { records } = declarations;
  installer.install([kernelPlugin(() => [...records.values()].map(({ manifest }) => manifest))]);
  return {
    log,
    install: (...candidates) => installer.install(candidates),
    async uninstall(id) {
      const record = declarations.require(id);
      let fault: unknown;
      // Someone may start it again between its stop and its removal.
      do await lifecycle.unload(id).catch((reason: unknown) => (fault = reason));
      while (record.scope ?? record.activation);
      installer.remove(record);
      diagnostics.forget(id);
      if (fault !== undefined) throw fault;
    },
    async discover(context, signal) {
      const { entries, shadowed, problems } = await lifecycle.read(plugins).load(context, signal);
      for (const problem of problems) diagnostics.report(problem);
      const candidates = [...entries, ...shadowed]
        .flatMap(({ value }) => value ?? [])
        .filter((candidate) => records.get(candidate.manifest.id)?.candidate !== candidate);
      // The user may have chosen between two plugins; the settings are read only when that choice matters.
      const undecided = candidates.some((candidate) => installer.conflicts(candidate));
      const engine = undecided ? await lifecycle.findOptional(settingsEngine, { signal }) : undefined;
      if (engine) slots.prefer(await engine.get<Record<string, string>>('kernel.prefer'));
      installer.install(candidates);
    },
    async start() {
      const ids = [...records.values()].filter(({ manifest }) => manifest.startup).map(({ id }) => id);
      await Promise.allSettled(ids.map((id) => lifecycle.activate(id)));
    },
    activate: (id) => lifecycle.activate(id),
    unload: (id) => lifecycle.unload(id),
    reload: (id) => lifecycle.reload(id),
    read: (slot) => lifecycle.read(slot),
    run: (hook, input, signal) => lifecycle.run(hook, input, { signal }),
    find: (service, signal) => lifecycle.find(service, { signal }),
    findOptional: (service, signal) => lifecycle.findOptional(service, { signal }),
    token: (kind, id) => lifecycle.token(kind, id),
    status: () => [...records.values()].map(statusOf),
    registrations: (id) =>
      [...records.values()]
        .filter((record) => id === undefined || record.id === id)
        .flatMap(({ scope }) => scope?.registrations() ?? []),
    pending: () => lifecycle.hooks.pending(),
    diagnostics: () => diagnostics.list(),
    async dispose() {
      const faults: unknown[] = [];
      const running = [...records.values()].filter((record) => record.scope ?? record.activation);
      for (const { id } of running.reverse()) await lifecycle.unload(id).catch((fault: unknown) => faults.push(fault));
      const joined = joinFaults(faults, 'several plugins were not unloaded cleanly');
      if (joined) throw joined;
    },
  };
}
