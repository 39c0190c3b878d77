import { createContext } from './context.ts';
import { allow, type Allowance, type Caller, lateError, withDeadline } from './deadline.ts';
import type { Declarations } from './declarations.ts';
import type { Diagnostics } from './diagnostics.ts';
import { type Disposable, disposable } from './disposable.ts';
import { joinFaults, messageOf, TenonError } from './errors.ts';
import { type AbsentHandler, HookBus } from './hooks.ts';
import { kernelErrors } from './kernel-errors.ts';
import type { Logger } from './logger.ts';
import { didYouMean } from '@tenon/wording';
import { parseManifest } from './parse-manifest.ts';
import type { PluginRecord } from './plugin-record.ts';
import { type ContributeOptions, type Handler, type HandlerOptions, isPlugin, type Plugin } from './plugin.ts';
import { entryRecord, type Registry, type SlotSource } from './registry.ts';
import { checkSchema, checkValue, loadSchemaCompiler, problemText } from '@tenon/schema';
import { Scope } from './scope.ts';
import { slotSchemas } from './slot-schemas.ts';
import type { Slots } from './slots.ts';
import type { Hook, HookMode, HookOutput, Service, Slot, Token } from './tokens.ts';
import { kernelTokens, pluginState, settingsEngine } from './well-known.ts';

/** How long things may take. */
export interface LifecycleLimits {
  readonly activateMs: number;
  /** How long an unload waits for handlers that still run. */
  readonly unloadGraceMs: number;
}

/** Starts, stops and restarts plugins, and is the only place where their registrations become visible. */
export class Lifecycle {
  readonly log: Logger;
  readonly hooks: HookBus;
  readonly slots: Slots;
  readonly declarations: Declarations;
  readonly diagnostics: Diagnostics;
  readonly #limits: LifecycleLimits;
  readonly #services = new Map<string, unknown>();
  /** Who waits for whose start, to name a circle instead of waiting forever. */
  readonly #waits = new Map<string, Set<string>>();
  /** Failures of starts that had less than their full time, because their caller had less. */
  readonly #hurried = new WeakSet<object>();

  constructor(
    log: Logger,
    slots: Slots,
    declarations: Declarations,
    diagnostics: Diagnostics,
    limits: LifecycleLimits,
  ) {
    this.log = log;
    this.slots = slots;
    this.declarations = declarations;
    this.diagnostics = diagnostics;
    this.#limits = limits;
    this.hooks = new HookBus((error) => diagnostics.report(error));
  }

  // ---- starting ----

  /** Starts a plugin unless it runs. The caller cannot go on before, and waits no longer than it has time. */
  async activate(id: string, caller: Caller = {}): Promise<void> {
    const { plugin: waiter } = caller;
    let record = this.declarations.require(id);
    while (record.unloading) {
      // The stop may be waiting for the waiter's own start: refusing is what keeps the two from waiting for each other.
      const starting = waiter !== undefined && this.declarations.records.get(waiter)?.activation;
      if (starting) throw kernelErrors.create('KERNEL_PLUGIN_STOPPING', { plugin: id });
      await record.unloading.catch(() => undefined); // the caller who asked for the stop gets its fault
      record = this.declarations.require(id);
    }
    if (record.state === 'active') return;
    if (record.state === 'disabled') throw kernelErrors.create('KERNEL_PLUGIN_DISABLED', { plugin: id });
    if (record.state === 'failed' && record.error) throw record.error;
    const done = waiter === undefined ? undefined : this.#wait(waiter, id);
    const isOurs = !record.activation;
    const start = () => this.#activate(record, caller).finally(() => (record.activation = undefined));
    const started = (record.activation ??= start());
    try {
      await this.#waitFor(started, id, caller, isOurs);
    } catch (fault) {
      if (isOurs || !this.#hurried.has(fault as object)) throw fault;
      return await this.activate(id, caller); // the caller who started it was in a hurry; we may have more time
    } finally {
      done?.();
    }
  }

  #waitFor(started: Promise<void>, id: string, caller: Caller, isOurs: boolean): void | Promise<void> {
    if (!caller.within && !caller.signal) return started;
    // A start of our own has our deadline already, and says better what was late.
    const allowance = () => allow(() => `the wait for plugin "${id}"`, Infinity, isOurs ? {} : caller);
    const late = (wait: Allowance) => lateError('The start', id, wait);
    return withDeadline(() => started, { signal: caller.signal, allowance, late });
  }

  #wait(from: string, to: string): () => void {
    const path = this.#pathBetween(to, from);
    if (path) throw kernelErrors.create('KERNEL_NEEDS_CYCLE', { plugin: from, cycle: [from, ...path].join(' -> ') });
    const targets = this.#waits.get(from) ?? new Set();
    this.#waits.set(from, targets.add(to));
    return () => void targets.delete(to);
  }

  #pathBetween(from: string, to: string): string[] | undefined {
    if (from === to) return [to];
    for (const next of this.#waits.get(from) ?? []) {
      const rest = this.#pathBetween(next, to);
      if (rest) return [from, ...rest];
    }
    return undefined;
  }

  async #activate(record: PluginRecord, caller: Caller): Promise<void> {
    const { id, manifest, candidate } = record;
    const allowance = allow(() => `the start of plugin "${id}"`, this.#limits.activateMs, caller);
    const within = { plugin: id, within: allowance };
    const scope = new Scope(id, allowance);
    record.state = 'activating';
    record.scope = scope;
    try {
      if (!candidate.checked) await parseManifest(manifest, candidate.file);
      const providers = new Map((manifest.needs ?? []).map((need) => [need, this.declarations.providerOf(need, id)]));
      const starts = await Promise.allSettled(
        [...providers.values()].map((provider) => this.activate(provider, within)),
      );
      for (const start of starts) if (start.status === 'rejected') throw start.reason;
      const { spec } = await this.#load(record);
      const config = spec.config ? await this.#configure(record, within, spec.migrateConfig?.bind(spec)) : {};
      const needs = Object.fromEntries(
        Object.entries(spec.needs ?? {}).map(([name, token]) => [name, this.#services.get(token.id)]),
      );
      const context = createContext(this, record, scope, { config, needs });
      const late = () => lateError('activate()', id, allowance);
      await withDeadline(() => spec.activate(context as never), { allowance: () => allowance, late });
      this.declarations.checkRegistered(record, scope.registrations());
      const registered = scope.registrations();
      const known = new Set(registered.map(({ target }) => target));
      const mayNeed = slotSchemas.areUsed && this.declarations.isDynamic(record, known);
      if (mayNeed || this.slots.haveSchemas(registered)) await loadSchemaCompiler();
      this.slots.together(() => scope.commit());
      record.state = 'active';
    } catch (fault) {
      await this.#fail(record, scope, fault);
    } finally {
      scope.allowance = undefined;
    }
    this.#announce(id, 'active');
  }

  /** The plugin's section of the settings; without a settings engine the defaults of its schema. */
  async #configure(
    { id, manifest, candidate }: PluginRecord,
    caller: Caller,
    migrate?: Plugin['spec']['migrateConfig'],
  ): Promise<unknown> {
    const engine = await this.findOptional(settingsEngine, caller);
    if (engine) return engine.section(manifest, migrate);
    const defaults = {};
    const problems = await checkValue(manifest.settings ?? {}, defaults);
    if (problems.length === 0) return defaults;
    throw kernelErrors.create('KERNEL_CONFIG_INVALID', {
      plugin: id,
      file: candidate.file,
      problems: problemText(problems),
    });
  }

  async #fail(record: PluginRecord, scope: Scope, fault: unknown): Promise<never> {
    const details = { plugin: record.id, file: record.candidate.file, reason: messageOf(fault) };
    const error = fault instanceof TenonError ? fault : kernelErrors.create('KERNEL_ACTIVATE_FAILED', details, fault);
    const clean = await scope.end();
    const isHurried = error.code === 'KERNEL_DEADLINE' && scope.allowance?.outer !== undefined;
    if (isHurried) this.#hurried.add(error);
    // Losing a race against a stop or a caller's deadline says nothing about the plugin: it may start the next time.
    const raced = error.code === 'KERNEL_PLUGIN_STOPPING' || isHurried;
    Object.assign(record, {
      scope: undefined,
      loaded: undefined,
      ...(raced ? { state: 'installed' } : { state: 'failed', error }),
    });
    if (!raced) this.diagnostics.report(error);
    if (clean)
      this.diagnostics.report(kernelErrors.create('KERNEL_UNLOAD_FAULT', { ...details, reason: clean.message }, clean));
    this.#announce(record.id, record.state);
    throw error;
  }

  #announce(plugin: string, state: string): void {
    // Watchers of plugin states must not delay or break the plugin itself; their faults are reported by the bus.
    void this.hooks.run(pluginState, { plugin, state });
  }

  #load(record: PluginRecord): Promise<Plugin> {
    const { id, candidate } = record;
    const details = { plugin: id, file: candidate.file };
    const load = async (): Promise<Plugin> => {
      const plugin = await candidate.load().catch((fault: unknown) => {
        if (fault instanceof TenonError) throw fault;
        throw kernelErrors.create('KERNEL_LOAD_FAILED', { ...details, reason: messageOf(fault) }, fault);
      });
      if (!isPlugin(plugin)) {
        throw kernelErrors.create('KERNEL_LOAD_FAILED', {
          ...details,
          reason: 'its default export is not made by definePlugin()',
        });
      }
      const problems = this.declarations.mismatches(record.manifest, plugin);
      if (problems.length > 0)
        throw kernelErrors.create('KERNEL_PLUGIN_MISMATCH', { ...details, problems: problems.join('; ') });
      return plugin;
    };
    return (record.loaded ??= load());
  }

  // ---- stopping ----

  /** Stops a plugin and, first, those that need it. Rejects when a clean-up failed, after all of it was tried. */
  async unload(id: string): Promise<void> {
    const record = this.declarations.require(id);
    record.unloading ??= this.#unload(record).finally(() => (record.unloading = undefined));
    await record.unloading;
  }

  async #unload(record: PluginRecord): Promise<void> {
    while (record.activation) await record.activation.catch(() => undefined); // reported when it happened
    const { id, scope } = record;
    const faults: unknown[] = [];
    for (const dependent of this.declarations.dependentsOf(record)) {
      await this.unload(dependent.id).catch((fault: unknown) => faults.push(fault));
    }
    if (record.state === 'failed') this.diagnostics.forget(id);
    if (scope) {
      scope.close();
      const hanging = await this.hooks.drain(id, this.#limits.unloadGraceMs);
      const names = hanging.map(({ hook, sinceMs }) => `its handler for hook "${hook}" hangs since ${sinceMs} ms`);
      const release = this.slots.hold();
      const clean = await scope.end();
      release();
      const reason = [...names, ...(clean ? [clean.message] : [])].join('; ');
      if (reason) faults.push(kernelErrors.create('KERNEL_UNLOAD_FAULT', { plugin: id, reason }, clean));
    }
    Object.assign(record, { scope: undefined, error: undefined, loaded: undefined });
    if (record.state !== 'disabled') record.state = 'installed';
    this.#announce(id, 'installed');
    const joined = joinFaults(faults, 'several plugins were not unloaded cleanly');
    if (joined instanceof TenonError) this.diagnostics.report(joined);
    if (joined) throw joined;
  }

  /** Stops a plugin, imports its code anew and starts it and those that needed it. */
  async reload(id: string): Promise<void> {
    const running = [...this.declarations.activeDependents(id)];
    const unclean = await this.unload(id).then(
      () => undefined,
      (fault: unknown) => fault,
    );
    this.diagnostics.forget(id);
    const faults: unknown[] = unclean === undefined ? [] : [unclean];
    for (const next of [id, ...running]) await this.activate(next).catch((fault: unknown) => faults.push(fault));
    const joined = joinFaults(faults, `reloading "${id}" left faults behind`);
    if (joined) throw joined;
  }

  // ---- publishing (called by contexts) ----

  /** Makes an entry visible. */
  publishEntry<V>(record: PluginRecord, slot: Slot<V>, key: string, value: V, options: ContributeOptions): Disposable {
    this.declarations.assertDeclared(record, 'entry', slot.id, key);
    const table = this.slots.table(slot);
    const file = options.file ?? record.candidate.file;
    const problems = slot.schema ? checkSchema(slot.schema, value) : [];
    if (problems.length > 0) {
      const details = { key, slot: slot.id, plugin: record.id, file, problems: problemText(problems) };
      throw kernelErrors.create('KERNEL_ENTRY_INVALID', details);
    }
    const declared = table.of(record.id, key);
    const priority = options.priority ?? declared?.priority ?? 0;
    this.slots.assertFree(record, slot.id, key, priority);
    const { foreign } = record.candidate;
    const source = { plugin: record.id, file, ...(foreign && { foreign }) };
    if (declared) {
      const { data, priority: declaredPriority } = declared;
      table.update(declared, { value, live: true, priority, source, data: options.data ?? data });
      return disposable(() =>
        table.update(declared, { value: undefined, live: false, priority: declaredPriority, data }),
      );
    }
    const added = entryRecord({ key, value, data: options.data ?? {}, source, priority, live: true });
    table.add(added);
    return disposable(() => table.remove(added));
  }

  /** Adds a discoverer. */
  publishSource<V>(record: PluginRecord, slot: Slot<V>, source: SlotSource<V>): Disposable {
    this.declarations.assertDeclared(record, 'source', slot.id);
    return this.slots.sources(slot).add(record.id, source, record.candidate.foreign);
  }

  /** Makes a service available. */
  publishService<V>(record: PluginRecord, token: Service<V>, value: V): Disposable {
    this.declarations.assertDeclared(record, 'service', token.id);
    this.#services.set(token.id, value);
    return disposable(() => void this.#services.delete(token.id));
  }

  /** Adds a handler. */
  publishHandler(
    record: PluginRecord,
    hook: Hook<HookMode, unknown, unknown>,
    handler: Handler<HookMode, unknown, unknown>,
    options?: HandlerOptions,
  ): Disposable {
    this.declarations.assertDeclared(record, 'handler', hook.id);
    return this.hooks.add(hook.id, record.id, handler, options);
  }

  // ---- reading ----

  /** A slot for a reader; `caller` says which plugin reads, if one does, and how much time it has. */
  read<V>(slot: Slot<V>, caller: () => Caller = () => ({})): Registry<V> {
    const start = (ids: Iterable<string>) => {
      const reader = caller();
      return Promise.allSettled([...ids].filter((id) => id !== reader.plugin).map((id) => this.activate(id, reader)));
    };
    return this.slots.registry(slot, {
      startOne: (id) => this.activate(id, caller()),
      startDynamic: () => start(this.declarations.dynamicContributors(slot.id)),
      startAll: () => start(this.declarations.contributors(slot.id)),
      startSources: () => start(this.declarations.sourcesOf(slot.id)),
    });
  }

  /** Runs a hook, after starting the plugins that declare a handler for it. */
  async run<M extends HookMode, In, Out>(
    hook: Hook<M, In, Out>,
    input: In,
    caller: Caller,
  ): Promise<HookOutput<M, In, Out>> {
    const absent: AbsentHandler[] = [];
    const starting = this.declarations
      .handlersOf(hook.id)
      .filter(({ id, state, unloading }) => id !== caller.plugin && (state !== 'active' || unloading));
    const start = (id: string) =>
      this.activate(id, caller).catch((fault: unknown) => absent.push({ plugin: id, fault }));
    if (starting.length > 0) await Promise.all(starting.map(({ id }) => start(id)));
    return this.hooks.run(hook, input, { ...caller, absent });
  }

  /** A service's value, after starting its provider. */
  async find<V>(token: Service<V>, caller: Caller): Promise<V> {
    const provider = this.declarations.providerOf(token.id);
    await this.activate(provider, caller);
    return this.#services.get(token.id) as V;
  }

  /** A service's value, or `undefined` when no enabled plugin provides it. */
  async findOptional<V>(token: Service<V>, caller: Caller): Promise<V | undefined> {
    return this.declarations.provides(token.id) ? this.find(token, caller) : undefined;
  }

  /** A token by name, from the plugin that defines it. */
  async token(kind: Token['kind'], id: string): Promise<Token> {
    const matches = (token: Token) => token.kind === kind && token.id === id;
    const own = kernelTokens.find(matches);
    if (own) return own;
    const owner = this.declarations.definerOf(kind, id);
    const token = owner && (await this.#load(owner)).spec.defines?.find(matches);
    if (token) return token;
    const hint = didYouMean(id, this.declarations.definedIds(kind));
    throw kernelErrors.create('KERNEL_TOKEN_UNKNOWN', { kind, id, hint });
  }
}
