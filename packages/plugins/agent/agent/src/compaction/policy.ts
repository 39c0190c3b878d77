/** What the settings say about long conversations. They are meant for big windows; small ones get a part of their size. */
import type { AgentSettings } from '../generated/settings.ts';

type Settings = AgentSettings['compaction'];

/** At least this part of the window stays free for the answer. */
const MIN_FREE = 0.15;
/** No reserve takes more than these parts of a window: what is left must hold a conversation. */
const MAX_RESERVE = 0.25;
const MAX_RECENT = 0.3;
const MAX_TOOLS = 0.25;
const MAX_PROTECTED = 0.3;
const MIN_PRUNED = 0.1;

/** How many tokens a conversation may have in a window of this size before something is done about it. */
export function thresholdFor(contextWindow: number, config: Settings): number {
  const { thresholdTokens, thresholdPercent } = config;
  if (thresholdTokens > 0) return Math.min(thresholdTokens, contextWindow);
  if (thresholdPercent > 0) return (contextWindow * thresholdPercent) / 100;
  return contextWindow - reserveFor(contextWindow, config);
}

/** How much of a window stays free for an answer. */
export function reserveFor(contextWindow: number, { reserveTokens }: Settings): number {
  return Math.max(contextWindow * MIN_FREE, Math.min(reserveTokens, contextWindow * MAX_RESERVE));
}

/** How much of the end of a conversation stays word for word. */
export function recentFor(contextWindow: number, { keepRecentTokens }: Settings): number {
  return Math.min(keepRecentTokens, contextWindow * MAX_RECENT);
}

/** Which output of tools stays, and how much must be saved for it to be worth it. */
export function pruningFor(
  contextWindow: number,
  { pruneProtectTokens, pruneMinimumTokens }: Settings,
): { readonly protectTokens: number; readonly minimumTokens: number } {
  return {
    protectTokens: Math.min(pruneProtectTokens, contextWindow * MAX_PROTECTED),
    minimumTokens: Math.min(pruneMinimumTokens, contextWindow * MIN_PRUNED),
  };
}

/** How many tokens the tools may take of a window. */
export function toolRoom(contextWindow: number): number {
  return Math.floor(contextWindow * MAX_TOOLS);
}

/** How many tokens of a conversation one question for a summary can hold, beside the question and its answer. */
export function summaryRoom(contextWindow: number, config: Settings): number {
  return Math.max(0, (contextWindow - reserveFor(contextWindow, config)) * 0.8);
}
