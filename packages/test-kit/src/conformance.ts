import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** How a suite stood beside the tool that it compares with. */
export interface ConformanceCount {
  /** What was compared: `ignore rules`. */
  readonly suite: string;
  /** The reference tool with its version: `git 2.39.5`. */
  readonly oracle: string;
  readonly cases: number;
  /** Cases with the oracle's answer. */
  readonly same: number;
  /** Cases that Tenon turned down with a reason, where the oracle answered. */
  readonly refused: number;
  /** Cases with another answer. A suite that has any should fail, too. */
  readonly different: number;
}

/** Hands the counts of a differential suite to `npm run conformance`, which writes them to docs/reference/conformance.md. */
export function recordConformance(count: ConformanceCount): void {
  const folder = process.env['TENON_CONFORMANCE_FOLDER'];
  if (folder === undefined) return;
  const name = count.suite.replaceAll(/[^a-z0-9]+/gi, '-').toLowerCase();
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(count)}\n`);
}
