// Made by `npm run generate` from `tenon.settings` in package.json. Do not edit.

/** The settings of this plugin, with their defaults filled in. */
export interface DebuggerSettings {
  readonly timeoutSeconds: number;
  readonly idleMinutes: number;
  readonly outputKilobytes: number;
  readonly adapters: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}
