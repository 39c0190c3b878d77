/** Runs the tests of the Rust crates and gives the counts. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { cacheFolder } from './build-native.mjs';
import { COMMON_SEED } from './common-seed.mjs';
import { runCommand } from './setup/run-command.mjs';

/**
 * @param {string} root @param {(line: string) => void} say
 * @returns {Promise<{ passed: number, failed: number, skipped: number, failures: string[], skips: string[] }>}
 */
export async function runCargoTests(root, say) {
  const crates = readdirSync(join(root, 'crates')).sort();
  const packages = crates.flatMap((crate) => ['-p', `tenon-${crate}`]);
  const summary = { passed: 0, failed: 0, skipped: 0, failures: [], skips: [] };
  const onLine = (line) => {
    countLine(summary, line);
    if (/^(error|warning: unused|test .* FAILED|---- )/.test(line) || line.startsWith('test result: FAILED')) say(line);
  };
  const env = { ...process.env, PROPTEST_RNG_SEED: String(COMMON_SEED), CARGO_TARGET_DIR: cargoTarget(root) };
  const args = ['test', '--locked', '--no-fail-fast', ...packages];
  const { code, missing, output } = await runCommand('cargo', args, { cwd: root, onLine, env });
  if (missing) {
    return { ...summary, skipped: 1, skips: ['the tests of the Rust crates (cargo is not installed)'] };
  }
  if (code !== 0 && summary.failed === 0) {
    say(output.trim().split('\n').slice(-40).join('\n'));
    return { ...summary, failed: 1, failures: [`cargo test ended with ${code} before all tests ran`] };
  }
  return summary;
}

/** Clones for continuous integration come and go: what cargo built of other people's crates stays. @param {string} root */
export function cargoTarget(root) {
  return process.env['CI'] ? join(cacheFolder(), 'cargo-target') : join(root, 'target');
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
