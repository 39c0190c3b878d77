#!/usr/bin/env node
/**
 * `npm test`: sets up what is missing (also without node_modules), then runs the checks and the tests. `npm run test:all`, and
 * `npm test` where CI is set, also fuzz, run the suites of scripts/extended-suites.mjs and crates that have passed before, and draw
 * all cases of property suites. The last line is the total, alone on its line, for continuous integration.
 */
import { mark, runCheckSteps } from './check-steps.mjs';
import { EXTENDED_SUITES } from './extended-suites.mjs';
import { fuzz } from './fuzz.mjs';
import { runCargoTests } from './run-cargo-tests.mjs';
import { runFailedAgain, runVitest } from './run-vitest.mjs';
import { ensureDebianPackages } from './setup/debian.mjs';
import { createProgress } from './setup/progress.mjs';
import { stopCommandsAfter } from './setup/run-command.mjs';
import { sayAddonProblem, setUp } from './setup.mjs';
import { REPOSITORY } from './workspace.mjs';

/** A run that hangs ends by itself, and says where it was. */
const MOST_MINUTES = 55;

const words = process.argv.slice(2).filter((word) => word !== '--all');
const isWhole = Boolean(process.env['CI']) || process.argv.includes('--all');
/** Named files are run as they are, whatever else is left out. */
const isNamed = words.length > 0;

const say = (line) => process.stdout.write(`${line}\n`);
const excluded = EXTENDED_SUITES.map(({ files }) => `--exclude=${files}`);
const total = { passed: 0, failed: 0, skipped: 0, failures: [], skips: [], unsteady: [] };

async function main() {
  stopCommandsAfter(MOST_MINUTES * 60_000);
  const progress = createProgress();
  const { addonProblem } = await setUp({ progress, retryAddon: true });
  if (addonProblem) {
    sayAddonProblem(progress, addonProblem);
    total.skips.push(`tests of the native implementations (${addonProblem})`);
  }
  const { missing, reason } = await ensureDebianPackages(progress);
  for (const { name, tests } of missing) total.skips.push(`${tests} (${name} is missing: ${reason})`);

  say('\nChecks');
  for (const { name, state, reason: why } of await runCheckSteps(REPOSITORY, say)) {
    total[state] += 1;
    if (state === 'failed') total.failures.push(`check: ${name}`);
    if (state === 'skipped') total.skips.push(`check: ${name} (${why})`);
  }

  await part('Rust crates', () => runCargoTests(REPOSITORY, say, { again: isWhole }));
  // Building the targets takes two minutes and finds nothing new on a developer's every run.
  if (isWhole) await part('Fuzzing', () => fuzz(REPOSITORY, { seconds: 8, say }));
  else skipForAll();
  await part('TypeScript', async () => {
    const everyday = !isWhole && !isNamed;
    const first = await runVitest(REPOSITORY, everyday ? excluded : words, { shared: true, everyday });
    const { code, unsteady, ...tests } = await runFailedAgain(REPOSITORY, first, { everyday });
    total.unsteady.push(...unsteady);
    if (code !== 0 && tests.failed === 0) return { ...tests, failed: 1, failures: [`vitest ended with ${code}`] };
    return tests;
  });
}

/** What only `npm run test:all` and continuous integration run. */
function skipForAll() {
  const reason = 'runs where CI is set, and with `npm run test:all`';
  total.skips.push(`fuzzing (${reason})`);
  for (const { files, covered } of EXTENDED_SUITES) total.skips.push(`${files} (${reason}; here: ${covered})`);
  total.skips.push(`four of five cases of the property suites (${reason})`);
}

async function part(title, run) {
  say(`\n${title}`);
  const started = Date.now();
  const { passed, failed, skipped, failures, skips } = await run();
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped;
  total.failures.push(...failures);
  total.skips.push(...skips);
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  say(
    `${mark(failed === 0 ? 'passed' : 'failed')} ${title}: ${passed} passed, ${failed} failed, ${skipped} skipped in ${seconds} s`,
  );
}

try {
  await main();
} catch (error) {
  total.failed += 1;
  total.failures.push(error.message);
}
if (total.skips.length > 0) say(`\nNot tested:\n${total.skips.map((line) => `  ${line}`).join('\n')}`);
if (total.unsteady.length > 0)
  say(`\nUnsteady (failed beside other tests, passed alone):\n${total.unsteady.map((line) => `  ${line}`).join('\n')}`);
if (total.failures.length > 0) say(`\nFailed:\n${total.failures.map((line) => `  ${line}`).join('\n')}`);
say(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed === 0 ? 0 : 1;
