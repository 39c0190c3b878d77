/** What other plugins may use of the packs: how they are described. */
export { errors } from './errors.ts';
export type { PackLevel, PackRecord, Trust } from './trust-records.ts';
