// Made by `npm run generate` from `tenon.settings` in package.json. Do not edit.

/** The settings of this plugin, with their defaults filled in. */
export interface AgentSettings {
  readonly steeringMode: 'one-at-a-time' | 'all';
  readonly followUpMode: 'one-at-a-time' | 'all';
  readonly interruptMode: 'immediate' | 'wait';
  readonly repeatLimit: number;
  readonly stopLimit: number;
  readonly compaction: {
    readonly enabled: boolean;
    readonly reserveTokens: number;
    readonly keepRecentTokens: number;
    readonly thresholdPercent: number;
    readonly thresholdTokens: number;
    readonly strategy: 'context-full' | 'handoff' | 'off';
    readonly handoffSaveToDisk: boolean;
    readonly prune: boolean;
    readonly pruneProtectTokens: number;
    readonly pruneMinimumTokens: number;
    readonly promoteTo: readonly string[];
    readonly idleMinutes: number;
    readonly idleThresholdPercent: number;
  };
}
