/** What the settings say about long conversations. */

/** The section `compaction` of the settings. */
export interface CompactionConfig {
  readonly enabled: boolean;
  readonly reserveTokens: number;
  readonly keepRecentTokens: number;
  readonly thresholdPercent: number;
  readonly thresholdTokens?: number;
  readonly strategy?: 'context-full' | 'handoff' | 'off';
  readonly handoffSaveToDisk?: boolean;
  readonly prune?: boolean;
  readonly pruneProtectTokens?: number;
  readonly pruneMinimumTokens?: number;
  readonly promoteTo?: readonly string[];
  readonly idleMinutes?: number;
  readonly idleThresholdPercent?: number;
}

/** At least this part of the window stays free for the answer. */
const MIN_FREE = 0.15;

/** The section with nothing left out. */
export function policyOf(config: CompactionConfig): Required<CompactionConfig> {
  return {
    thresholdTokens: -1,
    strategy: 'context-full',
    handoffSaveToDisk: false,
    prune: true,
    pruneProtectTokens: 40_000,
    pruneMinimumTokens: 20_000,
    promoteTo: [],
    idleMinutes: 0,
    idleThresholdPercent: 50,
    ...config,
  };
}

/** How many tokens a conversation may have in a window of this size before something is done about it. */
export function thresholdFor(contextWindow: number, config: CompactionConfig): number {
  const { thresholdTokens, thresholdPercent, reserveTokens } = policyOf(config);
  if (thresholdTokens > 0) return Math.min(thresholdTokens, contextWindow);
  if (thresholdPercent > 0) return (contextWindow * thresholdPercent) / 100;
  return contextWindow - Math.max(contextWindow * MIN_FREE, reserveTokens);
}
