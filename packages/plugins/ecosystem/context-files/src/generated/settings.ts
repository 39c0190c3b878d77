// Made by `npm run generate` from `tenon.settings` in package.json. Do not edit.

/** The settings of this plugin, with their defaults filled in. */
export interface ContextFilesSettings {
  readonly enabled: boolean;
  readonly maxChars: number;
  readonly maxListed: number;
  readonly nested: boolean;
  readonly systemFiles: boolean;
}
