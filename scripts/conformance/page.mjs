/** The page with the counts: suites of this run replace their rows, the others keep theirs. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { REPOSITORY } from '../workspace.mjs';

const PAGE = join(REPOSITORY, 'docs', 'reference', 'conformance.md');
const [START, END] = ['<!-- counts -->', '<!-- /counts -->'];
const HEAD = ['| what is compared | with | cases | same | refused | different |', '|---|---|---|---|---|---|'];

/** @typedef {{ suite: string, oracle: string, cases: number, same: number, refused: number, different: number }} Count */

/** @param {readonly Count[]} counts */
export function writeConformancePage(counts) {
  writeFileSync(PAGE, withCounts(readFileSync(PAGE, 'utf8'), counts));
}

/** @param {string} page @param {readonly Count[]} counts */
export function withCounts(page, counts) {
  const [from, to] = [page.indexOf(START) + START.length, page.indexOf(END)];
  const rows = new Map(
    page
      .slice(from, to)
      .split('\n')
      .filter((line) => line.startsWith('| ') && !HEAD.includes(line))
      .map((line) => [line.split('|')[1].trim(), line]),
  );
  for (const { suite, oracle, cases, same, refused, different } of counts) {
    const numbers = [cases, same, refused, different].map((number) => number.toLocaleString('en'));
    rows.set(suite, `| ${[suite, oracle, ...numbers].join(' | ')} |`);
  }
  const sorted = [...rows.keys()].sort().map((suite) => rows.get(suite));
  return `${page.slice(0, from)}\n${[...HEAD, ...sorted].join('\n')}\n${page.slice(to)}`;
}
