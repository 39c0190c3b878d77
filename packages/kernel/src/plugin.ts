import type { Static, TSchema } from '@sinclair/typebox';
import type { Disposable } from './disposable.ts';
import type { Logger } from './logger.ts';
import type { Manifest } from './manifest.ts';
import type { Registry, SlotSource } from './registry.ts';
import type { TenonError } from './errors.ts';
import type { HandlerOutput, Hook, HookMode, HookOutput, Service, Slot, Token } from './tokens.ts';

/** The services a plugin asks for, by the name under which it wants them. */
export type NeedsSpec = Readonly<Record<string, Service<unknown>>>;

/** The services as the plugin gets them. */
export type Resolved<Needs> = { readonly [K in keyof Needs]: Needs[K] extends Service<infer V> ? V : never };

/** Options of a contribution. */
export interface ContributeOptions {
  /** Higher comes first; the default is 0. */
  readonly priority?: number;
  /** What is known about the entry without its value; replaces the manifest's data. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** The file the entry came from, when it is not the plugin's own. */
  readonly file?: string;
}

/** Options of a hook handler. */
export interface HandlerOptions {
  /** Higher comes first; the default is 0. */
  readonly priority?: number;
  /** Overrides the hook's own deadline for this handler. */
  readonly deadlineMs?: number;
}

/** Answers one run of a hook. */
export type Handler<M extends HookMode, In, Out> = (
  input: In,
  call: { readonly signal: AbortSignal },
) => HandlerOutput<M, In, Out> | Promise<HandlerOutput<M, In, Out>>;

/** What plugins and the program around the kernel can read and call. */
export interface KernelAccess {
  /** Reads a slot. */
  read<V>(slot: Slot<V>): Registry<V>;
  /** Runs a hook. With the signal of a running handler, no handler takes longer than that one has left; `find` likewise. */
  run<M extends HookMode, In, Out>(
    hook: Hook<M, In, Out>,
    input: In,
    signal?: AbortSignal,
  ): Promise<HookOutput<M, In, Out>>;
  /** Finds a service when it is used, rather than before the plugin starts. */
  find<V>(service: Service<V>, signal?: AbortSignal): Promise<V>;
  /** Like `find`, but `undefined` when no enabled plugin provides the service. A provider that fails to start is an error. */
  findOptional<V>(service: Service<V>, signal?: AbortSignal): Promise<V | undefined>;
  /** Finds a token by name: for bridges, which know names only. */
  token(kind: Token['kind'], id: string): Promise<Token>;
}

/** All that a plugin can do. Every registration is undone when the plugin is unloaded. */
export interface PluginContext<Config = unknown, Needs = unknown> extends KernelAccess {
  readonly id: string;
  /** The plugin's section of the settings, checked before activate() ran. */
  readonly config: Config;
  /** The services it asked for. */
  readonly needs: Needs;
  readonly log: Logger;
  /** Aborts when the plugin is unloaded. */
  readonly signal: AbortSignal;
  /** Adds an entry to a slot. */
  contribute<V>(slot: Slot<V>, key: string, value: V, options?: ContributeOptions): Disposable;
  /** Adds a discoverer of entries to a slot. */
  source<V>(slot: Slot<V>, source: SlotSource<V>): Disposable;
  /** Becomes the provider of a service. */
  provide<V>(service: Service<V>, value: V): Disposable;
  /** Handles a hook. */
  on<M extends HookMode, In, Out>(
    hook: Hook<M, In, Out>,
    handler: Handler<M, In, Out>,
    options?: HandlerOptions,
  ): Disposable;
  /** Reports a finding that the user should see (`tenon doctor`, start-up report, log). */
  report(error: TenonError, severity?: 'error' | 'warning'): void;
  /** Runs `cleanup` when the plugin is unloaded, newest first. */
  defer(cleanup: () => void | Promise<void>): void;
}

/** What a plugin's author writes. */
export interface PluginSpec<Config extends TSchema, Needs extends NeedsSpec> {
  readonly id: string;
  /** Gives `ctx.config` its type and asks for it. What is checked is `settings` in the manifest, so `Type.Unsafe<T>({})` is enough. */
  readonly config?: Config;
  readonly needs?: Needs;
  /** The tokens that the manifest lists under `defines`. */
  readonly defines?: readonly Token[];
  /** Brings the raw settings section of an older version up to date, before it is checked. */
  migrateConfig?(section: Record<string, unknown>): Record<string, unknown>;
  activate(ctx: PluginContext<Static<Config>, Resolved<Needs>>): void | Promise<void>;
}

const brand = Symbol.for('tenon.plugin.v1');

/** An opaque, versioned plugin value: what definePlugin() gives and the kernel takes. */
export interface Plugin {
  readonly id: string;
  readonly spec: PluginSpec<TSchema, NeedsSpec>;
}

/** Declares a plugin. Nothing runs until the kernel activates it. */
export function definePlugin<Config extends TSchema = TSchema, Needs extends NeedsSpec = NeedsSpec>(
  spec: PluginSpec<Config, Needs>,
): Plugin {
  return Object.freeze({ [brand]: true, id: spec.id, spec: spec as unknown as Plugin['spec'] });
}

/** True for values made by definePlugin(), also by another copy of the kernel package of the same version. */
export function isPlugin(value: unknown): value is Plugin {
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[brand] === true;
}

/** A plugin that can be installed: its manifest, where it came from, and how to import its code. */
export interface PluginCandidate {
  readonly manifest: Manifest;
  /** The file that holds the manifest; shown in every report about the plugin. */
  readonly file: string;
  /** True when the manifest was checked before (built-ins at build time, packs when they were indexed). */
  readonly checked?: boolean;
  /** True for the plugin of a stranger: what it brings never takes the place of what others bring, unless the user prefers it. */
  readonly foreign?: boolean;
  /** Why the plugin must not start, if so; it is listed all the same. */
  readonly disabled?: string;
  load(): Promise<Plugin>;
}
