// Made by `npm run generate` from `tenon.settings` in package.json. Do not edit.

/** The settings of this plugin, with their defaults filled in. */
export interface LspSettings {
  readonly diagnosticsOnEdit: boolean;
  readonly formatOnWrite: boolean;
  readonly startOnEdit: boolean;
  readonly waitMs: number;
  readonly idleMinutes: number;
  readonly servers: Readonly<Record<string, {
    readonly enabled?: boolean;
    readonly command?: string;
    readonly args?: readonly string[];
    readonly languages?: Readonly<Record<string, string>>;
    readonly rootMarkers?: readonly string[];
    readonly linter?: boolean;
    readonly initializationOptions?: unknown;
    readonly settings?: unknown;
    readonly env?: Readonly<Record<string, string>>;
  }>>;
}
