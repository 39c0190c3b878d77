// Made by `npm run generate` from `tenon.settings` in package.json. Do not edit.

/** The settings of this plugin, with their defaults filled in. */
export interface RunsSettings {
  readonly store: string;
  readonly storeUrl?: string;
  readonly slots: number;
  readonly timeoutMinutes: number;
  readonly idleTimeoutMinutes: number;
  readonly maxOutputMegabytes: number;
  readonly graceSeconds: number;
  readonly missingSignalRetries: number;
  readonly queue: string;
}
