import fc from 'fast-check';

/** The seed of all property suites, for the titles of tests; set by scripts/test-seed.mjs. */
export const COMMON_SEED = fc.readConfigureGlobal().seed;

/** How many cases a suite draws: TENON_TWIN_RUNS, or what the suite does by default. */
export function caseCount(byDefault: number): number {
  return Number(process.env['TENON_TWIN_RUNS'] ?? byDefault);
}
