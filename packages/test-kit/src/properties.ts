import fc from 'fast-check';

/** The seed of all property suites, for the titles of tests; set by scripts/test-seed.mjs. */
export const COMMON_SEED = fc.readConfigureGlobal().seed;

/** Fewer would hardly be a generator any more. */
const FEWEST = 3;

/**
 * How many cases a suite draws: its own number, or TENON_TWIN_RUNS. TENON_TEST_CASES is a part of the own number, such as 0.2: a
 * developer's run of all tests draws that many, the first ones of the same sequence; continuous integration draws all.
 */
export function caseCount(byDefault: number): number {
  const { TENON_TWIN_RUNS: fixed, TENON_TEST_CASES: part = '1' } = process.env;
  if (fixed !== undefined) return Number(fixed);
  return Math.max(Math.min(byDefault, FEWEST), Math.ceil(byDefault * Number(part)));
}

/** As many of all cases as a suite draws, spread over the list: for suites that go through a list instead of drawing. */
export function someOf<T>(cases: readonly T[]): readonly T[] {
  const count = Math.min(cases.length, caseCount(cases.length));
  return Array.from({ length: count }, (_, at) => cases[Math.floor((at * cases.length) / count)] as T);
}
