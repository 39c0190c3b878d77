// Made by `npm run generate` from `tenon.settings` in package.json. Do not edit.

/** The settings of this plugin, with their defaults filled in. */
export interface RulesSettings {
  readonly enabled: boolean;
  readonly alwaysTokens: number;
  readonly listTokens: number;
  readonly attachTokens: number;
  readonly stream: {
    readonly enabled: boolean;
    readonly contextMode: 'discard' | 'keep';
    readonly interruptMode: 'never' | 'prose-only' | 'tool-only' | 'always';
    readonly repeatMode: 'once' | 'after-gap';
    readonly repeatGap: number;
  };
}
