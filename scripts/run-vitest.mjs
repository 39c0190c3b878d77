/** Runs vitest with its usual output and gives the counts. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { runCommand } from './setup/run-command.mjs';

/**
 * @param {string} root @param {readonly string[]} filters
 * @returns {Promise<import('./vitest-summary.mjs').Summary & { code: number }>}
 */
export async function runVitest(root, filters = []) {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-test-'));
  const summaryFile = join(folder, 'summary.json');
  try {
    const vitest = join(root, 'node_modules', '.bin', 'vitest');
    const reporters = ['--reporter=dot', `--reporter=${join(root, 'scripts/vitest-summary.mjs')}`];
    const { code } = await runCommand(vitest, ['run', ...reporters, ...filters], {
      cwd: root,
      env: { ...process.env, TENON_TEST_SUMMARY: summaryFile },
      inherit: true,
    });
    return { ...readSummary(summaryFile), code };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readSummary(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    // Vitest ended before it could report: that is a failure of its own.
    return { passed: 0, failed: 1, skipped: 0, failures: ['vitest did not finish'], skips: [] };
  }
}
