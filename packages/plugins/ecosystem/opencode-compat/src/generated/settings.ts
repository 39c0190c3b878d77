// Made by `npm run generate` from `tenon.settings` in package.json. Do not edit.

/** The settings of this plugin, with their defaults filled in. */
export interface OpencodeCompatSettings {
  readonly enabled: boolean;
  readonly permissions: {
    readonly fs: {
      readonly read: readonly string[];
      readonly write?: readonly string[];
    };
    readonly net?: readonly string[];
    readonly exec?: readonly string[];
    readonly env?: readonly string[];
  };
  readonly toolTokens: number;
  readonly handlerSeconds: number;
}
