/** What the settings say about long conversations. */
import type { AgentSettings } from '../generated/settings.ts';

/** At least this part of the window stays free for the answer. */
const MIN_FREE = 0.15;

/** How many tokens a conversation may have in a window of this size before something is done about it. */
export function thresholdFor(contextWindow: number, config: AgentSettings['compaction']): number {
  const { thresholdTokens, thresholdPercent, reserveTokens } = config;
  if (thresholdTokens > 0) return Math.min(thresholdTokens, contextWindow);
  if (thresholdPercent > 0) return (contextWindow * thresholdPercent) / 100;
  return contextWindow - Math.max(contextWindow * MIN_FREE, reserveTokens);
}
