// Made by `npm run generate` from `tenon.settings` in package.json. Do not edit.

/** The settings of this plugin, with their defaults filled in. */
export interface PackHostSettings {
  readonly memoryMb: number;
  readonly startSeconds: number;
  readonly callSeconds: number;
  readonly hangSeconds: number;
  readonly sandbox: 'auto' | 'bubblewrap' | 'landlock' | 'seatbelt';
}
