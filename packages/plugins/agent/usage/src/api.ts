/** What other plugins may use of the ledger. */
export type { UsageRecord } from './ledger.ts';
export type { Group, Stats, Totals } from './stats.ts';
