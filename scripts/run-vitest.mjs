/** Runs vitest and gives the counts. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { runCommand } from './setup/run-command.mjs';

/** More failed files than this are no accident of a busy machine. */
const MOST_FILES_AGAIN = 12;
/** Of the cases of a property suite. The seed is fixed: a developer's run would draw the same ones again and again. */
const EVERYDAY_CASES = '0.2';

/** Without a shell above it, each `bash -c` of a test would read the `.bashrc` of whoever runs the tests (`BASH_LINE` in command-run.ts). */
function shellLevel() {
  return String(Math.max(1, Number(process.env['SHLVL']) || 0));
}

/**
 * @typedef {import('./vitest-summary.mjs').Summary} Summary
 * @param {string} root @param {readonly string[]} filters
 * @param {{ shared?: boolean, everyday?: boolean, quiet?: boolean, env?: NodeJS.ProcessEnv }} [options]
 *   `everyday`: property suites draw fewer cases (`caseCount` of the test kit)
 *   `shared`: files share processes, which is quicker (scripts/shared-forks.mjs); one worker alone would get all files at once
 * @returns {Promise<Summary & { code: number }>}
 */
export async function runVitest(root, filters = [], options = {}) {
  const { shared = false, everyday = false, quiet = false, env = {} } = options;
  const sharing = shared && !filters.some((filter) => /^--(maxWorkers=1|no-file-parallelism)$/.test(filter));
  const folder = mkdtempSync(join(tmpdir(), 'tenon-test-'));
  const summaryFile = join(folder, 'summary.json');
  try {
    const vitest = join(root, 'node_modules', '.bin', 'vitest');
    const reporter = `--reporter=${join(root, 'scripts/vitest-summary.mjs')}`;
    const { code } = await runCommand(vitest, ['run', reporter, ...filters], {
      cwd: root,
      env: {
        ...(everyday && { TENON_TEST_CASES: EVERYDAY_CASES }),
        ...process.env,
        ...env,
        SHLVL: shellLevel(),
        // Each start of Node would read a file of certificates, for three times as long as it takes itself; tests reach nothing beyond this machine.
        NODE_EXTRA_CA_CERTS: '',
        TENON_TEST_SUMMARY: summaryFile,
        TENON_TEST_SHARED: String(sharing),
      },
      inherit: !quiet,
    });
    return { ...readSummary(summaryFile), code };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Runs the files that failed once more, one after the other, each in a process of its own, on a machine that does nothing else:
 * what passes then depends on the load or on its neighbours, not on the code. It counts as passed and is named in `unsteady`,
 * so that nobody overlooks it.
 * @param {string} root @param {Summary & { code: number }} first @param {{ everyday?: boolean, quiet?: boolean }} [options]
 *   `everyday` as in the first run: a case that fails must be among those of the second
 * @returns {Promise<Summary & { code: number, unsteady: string[] }>}
 */
export async function runFailedAgain(root, first, { everyday = false, quiet = false } = {}) {
  const { failedFiles, failures } = first;
  const isOfFailedFile = (line) => failedFiles.some((file) => line.startsWith(`${file}: `));
  const elsewhere = failures.filter((failure) => !isOfFailedFile(failure));
  if (failedFiles.length === 0 || failedFiles.length > MOST_FILES_AGAIN || elsewhere.length > 0)
    return { ...first, unsteady: [] };
  if (!quiet) process.stdout.write(`\nOnce more, one after the other: ${failedFiles.join(', ')}\n`);
  // The table of costs is that of the first run.
  const options = { everyday, quiet, env: { TENON_TEST_COSTS: '' } };
  const again = await runVitest(root, ['--maxWorkers=1', '--no-file-parallelism', ...failedFiles], options);
  return {
    ...again,
    passed: first.passed - first.inFailedFiles.passed + again.passed,
    skipped: first.skipped - first.inFailedFiles.skipped + again.skipped,
    skips: [...first.skips.filter((line) => !isOfFailedFile(line)), ...again.skips],
    unsteady: failures.filter((failure) => !again.failures.includes(failure)),
  };
}

/** What the reporter wrote last; files without an end are failures. */
function readSummary(path) {
  const nothing = { passed: 0, failed: 0, skipped: 0, failures: [], skips: [], failedFiles: [] };
  /** @type {Summary} */
  let summary;
  try {
    summary = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    // Vitest ended before it could report: that is a failure of its own.
    const none = { inFailedFiles: { passed: 0, skipped: 0 }, running: [], waiting: [] };
    return { ...nothing, ...none, failed: 1, failures: ['vitest did not finish'] };
  }
  const { running, waiting } = summary;
  if (running.length === 0 && waiting.length === 0) return summary;
  const unfinished = running.map(({ file, what }) => `${file}: ${what}`);
  const failures = [...summary.failures, ...unfinished, `vitest ended before ${waiting.length} files could run`];
  return {
    ...summary,
    failures,
    failed: summary.failed + unfinished.length + 1,
    failedFiles: [...summary.failedFiles, ...running.map(({ file }) => file)],
  };
}
