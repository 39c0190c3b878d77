import type { Disposable } from './disposable.ts';
import type { Manifest } from './manifest.ts';
import type { JsonSchema } from '@tenon/schema';

/** The values of one layer and where each of them stands. */
export interface LayerContent {
  readonly values: Readonly<Record<string, unknown>>;
  /** The file, or what else the values came from ("environment", "flags"). */
  readonly origin: string;
  /** Line and column (from 1) of a setting, for messages. */
  locate?(path: readonly string[]): { readonly line: number; readonly column: number } | undefined;
}

/** One change to a layer; no `value` removes the setting. */
export interface SettingEdit {
  readonly path: readonly string[];
  readonly value?: unknown;
}

/** A place that settings come from. Reading a place that does not exist gives no values. */
export interface SettingsLayer {
  readonly name: string;
  /** Layers of higher rank override those of lower rank. */
  readonly rank: number;
  /** True for layers that a repository brings along; they can set what the class of a setting (`x-scope`) lets them. */
  readonly fromProject?: boolean;
  /** The file behind it, if there is one. */
  readonly file?: string;
  read(): Promise<LayerContent>;
  /** Absent for layers that cannot be written. */
  write?(edits: readonly SettingEdit[]): Promise<void>;
}

/** One setting with its value and where it came from. */
export interface SettingValue {
  readonly key: string;
  readonly plugin: string;
  readonly value: unknown;
  readonly default: unknown;
  /** The layer that decided, or `default`. */
  readonly layer: string;
  /** File, line and column of the deciding value. */
  readonly where: string;
  readonly description: string;
}

/** What changed: the keys, and the plugins they belong to. */
export interface SettingsChange {
  readonly keys: readonly string[];
  readonly plugins: readonly string[];
}

/** All settings: reads, writes, and what is known about each. Keys are dotted: plugin id, then the path in its section. */
export interface Settings {
  /** The checked section of a plugin. Rejects when it, or a whole layer, cannot be trusted. */
  section(
    manifest: Manifest,
    migrate?: (section: Record<string, unknown>) => Record<string, unknown>,
  ): Promise<unknown>;
  /** The value of one setting, its default if it is not set. Rejects on an unknown key. */
  get<T = unknown>(key: string): Promise<T>;
  /** Calls `listener` after any of the settings under `key` changed. */
  watch(key: string, listener: (value: unknown) => void): Disposable;
  /** Reads all layers anew. */
  load(): Promise<void>;
  /** Every setting with its value and where that came from. */
  list(): Promise<readonly SettingValue[]>;
  /** Checks a value and writes it, by default to the writable layer of the lowest rank (the user's own). */
  set(key: string, value: unknown, options?: { layer?: string }): Promise<void>;
  /** Removes a setting from a layer. */
  unset(key: string, options?: { layer?: string }): Promise<void>;
  /** A JSON Schema of all settings of all installed plugins, for editors. */
  schema(): JsonSchema;
  /** The layers, lowest rank first. */
  layers(): Promise<readonly SettingsLayer[]>;
}
