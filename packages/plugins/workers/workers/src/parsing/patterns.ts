/** Lines that are no answer: banners that are left out, and sentences that mean a failure although the exit code says nothing. */

/** What an adapter says about the lines of its CLI. */
export interface LinePatterns {
  /** Version banners, update notices, telemetry notes: left out wherever they stand. */
  readonly banners?: readonly RegExp[];
  /** Sentences on standard output that mean a failure. Never looked for in JSON. */
  readonly errors?: readonly RegExp[];
}

/** True when the line is a banner. */
export function isBanner(line: string, patterns: LinePatterns): boolean {
  return matches(line, patterns.banners);
}

/** True when the line means a failure. */
export function isErrorLine(line: string, patterns: LinePatterns): boolean {
  return matches(line, patterns.errors);
}

function matches(line: string, patterns: readonly RegExp[] = []): boolean {
  // `search` ignores the state of a global pattern: with `test` every second line would pass.
  return patterns.some((pattern) => line.search(pattern) !== -1);
}
