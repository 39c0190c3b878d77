/** How long slow test files take: known before a run, so that a fresh clone starts them first, too. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { REPOSITORY } from './workspace.mjs';

const TIMES_FILE = join(REPOSITORY, 'scripts', 'test-times.json');
const SLOW_SECONDS = 5;

/** Seconds by file; only slow files are in it. @returns {Record<string, number>} */
export function readTestTimes() {
  return JSON.parse(readFileSync(TIMES_FILE, 'utf8'));
}

/** Keeps the seconds of slow files. @param {readonly { file: string, seconds: number }[]} rows */
export function writeTestTimes(rows) {
  const slow = rows.filter(({ seconds }) => seconds >= SLOW_SECONDS).toSorted((a, b) => (a.file < b.file ? -1 : 1));
  const table = Object.fromEntries(slow.map(({ file, seconds }) => [file, Math.round(seconds)]));
  writeFileSync(TIMES_FILE, `${JSON.stringify(table, undefined, 2)}\n`);
}
