// Made by `npm run generate` from `tenon.settings` in package.json. Do not edit.

/** The settings of this plugin, with their defaults filled in. */
export interface McpSettings {
  readonly enabled: boolean;
  readonly projectServers: boolean;
  readonly readOnlyHints: 'own' | 'all' | 'none';
  readonly startupBudgetMs: number;
  readonly startup: 'parallel' | 'on-demand';
  readonly directTools: number;
  readonly instructionTokens: number;
  readonly connectTimeoutMs: number;
  readonly toolTimeoutMs: number;
  readonly maxOutputBytes: number;
  readonly sampling: 'ask' | 'allow' | 'deny';
  readonly elicitation: boolean;
  readonly inheritEnv: readonly string[];
}
