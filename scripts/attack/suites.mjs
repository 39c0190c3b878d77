/** Suites in which something real attacks: run by `npm run attack`, and by `npm test` like all others. */
export const SUITES = ['packages/cli/test/attacks-e2e.test.ts'];
