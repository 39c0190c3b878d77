#!/usr/bin/env node
/**
 * `npm run conformance`: compares Tenon with reference tools on many generated cases, and with the suites of protocols.
 *
 *   npm run conformance                 all suites
 *   npm run conformance -- git mcp      those whose path contains one of the words
 *   npm run conformance -- --write      also keeps the counts in docs/reference/conformance.md
 *   npm run conformance -- --list       names the suites
 *
 * A suite is found by its name: a test `*-differential.test.ts`, or a program `test/conformance/*.run.mjs`, which ends with
 * exit code 77 and a reason on its last line where it cannot run. Either leaves its counts in TENON_CONFORMANCE_FOLDER.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

import { runVitest } from '../run-vitest.mjs';
import { runCommand } from '../setup/run-command.mjs';
import { setUp } from '../setup.mjs';
import { REPOSITORY, workspacePackages } from '../workspace.mjs';
import { writeConformancePage } from './page.mjs';

/** How many cases a property suite draws here; `npm test` draws fewer. */
const CASES = '2000';
const EXIT_SKIPPED = 77;

const say = (line) => process.stdout.write(`${line}\n`);
const words = process.argv.slice(2);
const wanted = words.filter((word) => !word.startsWith('--'));
const suites = workspacePackages()
  .flatMap(({ path }) => filesBelow(join(path, 'test')))
  .map((path) => relative(REPOSITORY, path))
  .filter((path) => /-differential\.test\.ts$|\/test\/conformance\/[^/]+\.run\.mjs$/.test(path))
  .filter((path) => wanted.length === 0 || wanted.some((word) => path.includes(word)))
  .sort();

if (words.includes('--list') || suites.length === 0) {
  say(suites.length === 0 ? `No suite has one of these words in its path: ${wanted.join(', ')}` : suites.join('\n'));
  process.exit(suites.length === 0 ? 64 : 0);
}

await setUp();
const folder = mkdtempSync(join(tmpdir(), 'tenon-conformance-'));
process.env['TENON_CONFORMANCE_FOLDER'] = folder;
process.env['TENON_TWIN_RUNS'] ??= CASES;
const failed = [];
try {
  const tests = suites.filter((path) => path.endsWith('.ts'));
  if (tests.length > 0) {
    const { code, failed: count } = await runVitest(REPOSITORY, ['--testTimeout=1800000', ...tests]);
    if (code !== 0) failed.push(`${count} tests`);
  }
  for (const program of suites.filter((path) => path.endsWith('.mjs'))) {
    say(`\n== ${program} ==`);
    const { code, output } = await runCommand(process.execPath, [program], { cwd: REPOSITORY, onLine: say });
    if (code === EXIT_SKIPPED) say(`skipped: ${output.trim().split('\n').at(-1)}`);
    else if (code !== 0) failed.push(program);
  }
  const counts = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
  for (const { suite, oracle, cases, same, refused, different } of counts)
    say(`${suite} beside ${oracle}: ${same} of ${cases} the same, ${refused} refused, ${different} different`);
  failed.push(...counts.filter(({ different }) => different > 0).map(({ suite }) => suite));
  if (words.includes('--write')) writeConformancePage(counts);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
say(`conformance: ${failed.length === 0 ? 'no difference' : `failed: ${[...new Set(failed)].join('; ')}`}`);
process.exitCode = failed.length === 0 ? 0 : 1;

function filesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true }).map((name) => join(folder, name));
}
