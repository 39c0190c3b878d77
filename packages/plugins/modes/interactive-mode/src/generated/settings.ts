// Made by `npm run generate` from `tenon.settings` in package.json. Do not edit.

/** The settings of this plugin, with their defaults filled in. */
export interface InteractiveModeSettings {
  readonly theme: string;
  readonly screen: 'main' | 'fullscreen';
  readonly screenReader: boolean;
  readonly editor: 'plain' | 'vi';
  readonly thoughts: 'all' | 'folded' | 'none';
  readonly status: readonly string[];
  readonly keys: Readonly<Record<string, string | readonly string[]>>;
  readonly notify: 'auto' | 'bell' | 'never';
  readonly titles: boolean;
  readonly notifyAfterSeconds: number;
  readonly images: boolean;
}
