// Made by `npm run generate` from `tenon.settings` in package.json. Do not edit.

/** The settings of this plugin, with their defaults filled in. */
export interface ModelsSettings {
  readonly roles: {
    readonly default?: string | readonly string[];
    readonly small?: string | readonly string[];
    readonly slow?: string | readonly string[];
    readonly plan?: string | readonly string[];
  };
  readonly fallbacks: Readonly<Record<string, readonly string[]>>;
  readonly retry: {
    readonly maxAttempts: number;
    readonly baseDelayMs: number;
    readonly maxDelayMs: number;
    readonly maxWaitMs: number;
  };
  readonly cache: 'short' | 'long' | 'none';
  readonly batchMs: number;
  readonly harmonyGuard: boolean;
  readonly credentialStore: 'auto' | 'keychain' | 'file';
}
