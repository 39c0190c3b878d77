// Made by `npm run generate` from `tenon.settings` in package.json. Do not edit.

/** The settings of this plugin, with their defaults filled in. */
export interface UndoSettings {
  readonly enabled: boolean;
  readonly required: boolean;
  readonly includeIgnored: boolean;
  readonly maxFileBytes: number;
  readonly maxBytes: number;
  readonly keepDays: number;
  readonly maxFiles: number;
  readonly waitSeconds: number;
}
