import type { Disposable } from './disposable.ts';
import type { TenonError } from './errors.ts';
import type { Manifest } from './manifest.ts';
import type { Plugin, PluginCandidate } from './plugin.ts';

/** Where a plugin is in its life. `installed` plugins are known but their code has not run. */
export type PluginState = 'installed' | 'activating' | 'active' | 'failed' | 'disabled';

/** What is known about an installed plugin. */
export interface PluginStatus {
  readonly id: string;
  readonly version: string;
  readonly description: string;
  readonly file: string;
  readonly state: PluginState;
  readonly manifest: Manifest;
  /** Why it is disabled. */
  readonly reason?: string;
  /** Why it failed. */
  readonly error?: TenonError;
}

/** A live registration of a plugin. */
export interface RegistrationInfo {
  readonly plugin: string;
  readonly kind: 'entry' | 'source' | 'service' | 'handler' | 'cleanup';
  /** The slot, service or hook. */
  readonly target: string;
  readonly key?: string;
}

/** A registration and how to undo it. */
export interface Registration extends Disposable {
  readonly info: RegistrationInfo;
}

/** An installed plugin, as the kernel keeps it. */
export interface PluginRecord {
  readonly id: string;
  readonly candidate: PluginCandidate;
  readonly manifest: Manifest;
  state: PluginState;
  error?: TenonError | undefined;
  /** The imported code, once it was needed. */
  loaded?: Promise<Plugin> | undefined;
  /** The running activation. */
  activation?: Promise<void> | undefined;
  /** The running unload. */
  unloading?: Promise<void> | undefined;
  /** The life of the current activation. */
  scope?: import('./scope.ts').Scope | undefined;
}

/** The status of a record. */
export function statusOf(record: PluginRecord): PluginStatus {
  const { id, manifest, candidate, state, error } = record;
  const { version, description = '' } = manifest;
  const reason = state === 'disabled' && candidate.disabled !== undefined ? { reason: candidate.disabled } : {};
  return { id, version, description, file: candidate.file, state, manifest, ...reason, ...(error && { error }) };
}
