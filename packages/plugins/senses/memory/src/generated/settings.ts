// Made by `npm run generate` from `tenon.settings` in package.json. Do not edit.

/** The settings of this plugin, with their defaults filled in. */
export interface MemorySettings {
  readonly enabled: boolean;
  readonly maxKilobytes: number;
  readonly recallTokens: number;
  readonly inject: {
    readonly tokens: number;
    readonly from: 'user' | 'agent' | 'all';
  };
  readonly embeddings: {
    readonly embedder: string;
    readonly endpoint: string;
    readonly baseUrl: string;
    readonly model: string;
  };
}
