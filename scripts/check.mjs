#!/usr/bin/env node
/**
 * `npm run check`: what a change must pass before it is shown to others, in about 90 seconds. `npm test` runs the
 * rest as well: the Rust crates, and the suites that drive sandboxes, terminals and whole checkouts.
 */
import { runCheckSteps } from './check-steps.mjs';
import { LONG_SUITES } from './long-suites.mjs';
import { runVitest } from './run-vitest.mjs';
import { setUp } from './setup.mjs';
import { REPOSITORY } from './workspace.mjs';

const say = (line) => process.stdout.write(`${line}\n`);
const started = Date.now();
await setUp();
const steps = await runCheckSteps(REPOSITORY, say);
const exclusions = LONG_SUITES.map((pattern) => `--exclude=${pattern}`);
const tests = await runVitest(REPOSITORY, [...exclusions, ...process.argv.slice(2)], {
  shared: true,
  everyday: true,
});
const bad = steps.filter(({ state }) => state === 'failed').map(({ name }) => name);
if (tests.failed > 0 || tests.code !== 0) bad.push(`${tests.failed} tests`);
const seconds = ((Date.now() - started) / 1000).toFixed(0);
say(`check: ${bad.length === 0 ? `all good, ${tests.passed} tests` : `failed: ${bad.join(', ')}`} in ${seconds} s`);
process.exitCode = bad.length === 0 ? 0 : 1;
