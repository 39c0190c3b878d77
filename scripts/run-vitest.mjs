/** Runs vitest and gives the counts. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { runCommand } from './setup/run-command.mjs';

/** More failed files than this are no accident of a busy machine. */
const MOST_FILES_AGAIN = 12;

/**
 * @typedef {import('./vitest-summary.mjs').Summary} Summary
 * @param {string} root @param {readonly string[]} filters
 * @returns {Promise<Summary & { code: number }>}
 */
export async function runVitest(root, filters = []) {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-test-'));
  const summaryFile = join(folder, 'summary.json');
  try {
    const vitest = join(root, 'node_modules', '.bin', 'vitest');
    const reporter = `--reporter=${join(root, 'scripts/vitest-summary.mjs')}`;
    const { code } = await runCommand(vitest, ['run', reporter, ...filters], {
      cwd: root,
      env: { ...process.env, TENON_TEST_SUMMARY: summaryFile },
      inherit: true,
    });
    return { ...readSummary(summaryFile), code };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Runs the files that failed once more, one after the other on a machine that does nothing else: what passes then depends on
 * the load, not on the code. It counts as passed and is named in `unsteady`, so that nobody overlooks it.
 * @param {string} root @param {Summary & { code: number }} first
 * @returns {Promise<Summary & { code: number, unsteady: string[] }>}
 */
export async function runFailedAgain(root, first) {
  const { failedFiles, failures } = first;
  const elsewhere = failures.filter((failure) => !failedFiles.some((file) => failure.startsWith(`${file}: `)));
  if (failedFiles.length === 0 || failedFiles.length > MOST_FILES_AGAIN || elsewhere.length > 0)
    return { ...first, unsteady: [] };
  process.stdout.write(`\nOnce more, one after the other: ${failedFiles.join(', ')}\n`);
  const again = await runVitest(root, ['--maxWorkers=1', '--no-file-parallelism', ...failedFiles]);
  const unsteady = failures.filter((failure) => !again.failures.includes(failure));
  return {
    ...first,
    code: again.code,
    failed: again.failed,
    failures: again.failures,
    failedFiles: again.failedFiles,
    passed: first.passed + unsteady.length,
    unsteady,
  };
}

function readSummary(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    // Vitest ended before it could report: that is a failure of its own.
    return { passed: 0, failed: 1, skipped: 0, failures: ['vitest did not finish'], skips: [], failedFiles: [] };
  }
}
