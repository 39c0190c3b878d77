#!/usr/bin/env node
/**
 * `npm test`: sets up what is missing (also without node_modules), then runs every check and every test. The last
 * line is the total, alone on its line, for continuous integration.
 */
import { mark, runCheckSteps } from './check-steps.mjs';
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

const say = (line) => process.stdout.write(`${line}\n`);
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

  await part('Rust crates', () => runCargoTests(REPOSITORY, say));
  // Building the targets takes two minutes and finds nothing new on a developer's every run.
  if (process.env['CI']) await part('Fuzzing', () => fuzz(REPOSITORY, { seconds: 8, say }));
  else total.skips.push('fuzzing (it runs where CI is set, and with `npm run fuzz`)');
  await part('TypeScript', async () => {
    const { code, unsteady, ...tests } = await runFailedAgain(
      REPOSITORY,
      await runVitest(REPOSITORY, process.argv.slice(2), { shared: true }),
    );
    total.unsteady.push(...unsteady);
    if (code !== 0 && tests.failed === 0) return { ...tests, failed: 1, failures: [`vitest ended with ${code}`] };
    return tests;
  });
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
