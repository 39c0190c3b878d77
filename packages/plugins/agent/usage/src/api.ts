/** What other plugins may use of the ledger. */
export { ledgerIn } from './ledger.ts';
export type { Ledger, UsageRecord } from './ledger.ts';
export type { Group, Stats, Totals } from './stats.ts';
