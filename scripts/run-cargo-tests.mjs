/** Runs the tests of the Rust crates and gives the counts. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { cacheFolder } from './build-native.mjs';
import { COMMON_SEED } from './common-seed.mjs';
import { crateKeys, readPassed, rememberPassed } from './passed-crates.mjs';
import { runCommand } from './setup/run-command.mjs';

/** A checkout leaves about 65 files beside the 370 of other people's crates. */
const MOST_FILES = 2_000;

/**
 * @param {string} root @param {(line: string) => void} say
 * @param {{ again?: boolean }} [options] `again`: also the crates that have passed with the same sources and compiler
 * @returns {Promise<{ passed: number, failed: number, skipped: number, failures: string[], skips: string[] }>}
 */
export async function runCargoTests(root, say, { again = true } = {}) {
  const summary = { passed: 0, failed: 0, skipped: 0, failures: [], skips: [] };
  const all = readdirSync(join(root, 'crates')).sort();
  const keys = await crateKeys(root, all);
  const passedBefore = again ? {} : readPassed();
  const crates = all.filter((crate) => !Object.hasOwn(passedBefore, keys.get(crate) ?? ''));
  if (crates.length < all.length) summary.skips.push(skipOf(all.filter((crate) => !crates.includes(crate))));
  if (crates.length === 0) return summary;
  const packages = crates.flatMap((crate) => ['-p', `tenon-${crate}`]);
  const onLine = (line) => {
    countLine(summary, line);
    if (/^(error|warning: unused|test .* FAILED|---- )/.test(line) || line.startsWith('test result: FAILED')) say(line);
  };
  const target = cargoTarget(root);
  // What cargo keeps to compile a changed crate sooner is of no use to other checkouts.
  const shared = target === sharedTarget() && { CARGO_INCREMENTAL: '0' };
  const env = { ...process.env, ...shared, PROPTEST_RNG_SEED: String(COMMON_SEED), CARGO_TARGET_DIR: target };
  const args = ['test', '--locked', '--no-fail-fast', ...packages];
  const { code, missing, output } = await runCommand('cargo', args, { cwd: root, onLine, env });
  if (missing) {
    return {
      ...summary,
      skipped: 1,
      skips: [...summary.skips, 'the tests of the Rust crates (cargo is not installed)'],
    };
  }
  if (code !== 0 && summary.failed === 0) {
    say(output.trim().split('\n').slice(-40).join('\n'));
    return { ...summary, failed: 1, failures: [`cargo test ended with ${code} before all tests ran`] };
  }
  if (code === 0) rememberPassed(crates.flatMap((crate) => keys.get(crate) ?? []));
  return summary;
}

function skipOf(crates) {
  const why = 'passed before with the same sources, lock file, compiler and cases';
  return `tests of the Rust crates ${crates.join(', ')} (${why}; \`npm run test:all\` repeats them)`;
}

/**
 * Where cargo builds. Compiling other people's crates takes minutes, so a checkout in which nobody has built yet, as in continuous
 * integration, shares them with others of this user; it begins anew when too much has come together.
 * @param {string} root @param {NodeJS.ProcessEnv} [env]
 */
export function cargoTarget(root, env = process.env) {
  const own = join(root, 'target');
  if (!env['CI'] && existsSync(join(own, 'debug'))) return own;
  const shared = sharedTarget(env);
  const parts = join(shared, 'debug', 'deps');
  if (existsSync(parts) && readdirSync(parts).length > MOST_FILES) rmSync(shared, { recursive: true, force: true });
  return shared;
}

function sharedTarget(env = process.env) {
  return join(cacheFolder(env), 'cargo-target');
}

/** Reads one line of what `cargo test` prints. */
export function countLine(summary, line) {
  const result = /^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored/.exec(line);
  if (result) {
    summary.passed += Number(result[1]);
    summary.failed += Number(result[2]);
    summary.skipped += Number(result[3]);
    return;
  }
  const single = /^test (.+?) \.\.\. (FAILED|ignored)(?:, (.+))?$/.exec(line);
  if (single?.[2] === 'FAILED') summary.failures.push(`crates: ${single[1]}`);
  if (single?.[2] === 'ignored') summary.skips.push(`crates: ${single[1]} (${single[3] ?? 'ignored'})`);
}
