/**
 * The vitest reporter of this repository. It shows each failure when it happens and a line of progress each half minute, and
 * writes counts, failures and skips with their reasons to the file named by TENON_TEST_SUMMARY.
 */
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';

/**
 * What vitest did. `failedFiles` are the files to run again for an answer to "was it the load of the machine?"; a failure that
 * belongs to no file is in `failures` alone. `inFailedFiles` counts what those files have in `passed` and `skipped`.
 * `running` and `waiting` are not empty when vitest was ended before its time.
 * @typedef {{ passed: number, failed: number, skipped: number, failures: string[], skips: string[], failedFiles: string[],
 *   inFailedFiles: { passed: number, skipped: number }, running: { file: string, what: string }[], waiting: string[] }} Summary
 */

const PROGRESS_MS = 30_000;
const SOON_MS = 200;
const LINES_PER_ERROR = 40;
/** A text that was compared may be a megabyte on one line. */
const LETTERS_PER_LINE = 500;
const SLOWEST_SHOWN = 30;

const say = (text) => process.stdout.write(`${text}\n`);

export default class SummaryReporter {
  #files = 0;
  #ended = 0;
  #passed = 0;
  #failed = 0;
  #said = Date.now();
  #started = Date.now();
  #waiting = new Set();
  #running = new Set();
  #counts = new Map();
  /** The test that each running file is in. */
  #tests = new Map();
  #soon;
  /** @type {Omit<Summary, 'running' | 'waiting' | 'inFailedFiles'>} */
  #summary = { passed: 0, failed: 0, skipped: 0, failures: [], skips: [], failedFiles: [] };

  onTestRunStart(specifications) {
    this.#files = specifications.length;
    this.#waiting = new Set(specifications.map(fileOf));
    this.#write();
  }

  onTestModuleQueued(module) {
    this.#waiting.delete(fileOf(module));
    this.#running.add(fileOf(module));
    this.#write();
  }

  /** @param {import('vitest/node').TestCase} test */
  onTestCaseReady(test) {
    this.#tests.set(fileOf(test.module), test.fullName);
    // Most tests end before it is worth writing down.
    this.#soon ??= setTimeout(() => this.#write(), SOON_MS).unref();
  }

  /** @param {import('vitest/node').TestCase} test */
  onTestCaseResult(test) {
    this.#tests.delete(fileOf(test.module));
    const { state, errors } = test.result();
    if (state === 'passed') this.#passed += 1;
    if (state !== 'failed') return;
    this.#failed += 1;
    say(`\nFAILED ${fileOf(test.module)}: ${test.fullName}`);
    for (const error of errors ?? []) say(errorText(error));
  }

  onTestModuleEnd(module) {
    this.#ended += 1;
    this.#waiting.delete(fileOf(module));
    this.#running.delete(fileOf(module));
    this.#add(module);
    this.#write();
    for (const error of module.errors()) say(`\nFAILED ${fileOf(module)}\n${errorText(error)}`);
    if (Date.now() - this.#said < PROGRESS_MS && this.#ended < this.#files) return;
    this.#said = Date.now();
    say(`${this.#ended} of ${this.#files} files: ${this.#passed} passed, ${this.#failed} failed`);
  }

  /** @param {readonly import('vitest/node').TestModule[]} modules @param {readonly import('vitest').SerializedError[]} errors */
  onTestRunEnd(modules, errors) {
    saySums(modules, Date.now() - this.#started);
    const lost = [...this.#running, ...this.#waiting];
    for (const file of lost) this.#fail(file, didNotFinish(this.#tests.get(file)));
    for (const error of errors) {
      say(`\nFAILED outside of any test\n${errorText(error)}`);
      const path = error.VITEST_TEST_PATH;
      if (path) this.#fail(relative(process.cwd(), path), `outside of any test: ${error.message}`);
      // A process that ended early leaves its file without a result; the file is the failure.
      else if (lost.length === 0) addFailure(this.#summary, `outside of any test: ${error.message}`);
    }
    this.#running.clear();
    this.#waiting.clear();
    this.#write();
  }

  #add(module) {
    const summary = this.#summary;
    const file = fileOf(module);
    const { passed, failed, skipped } = summary;
    for (const test of module.children.allTests()) addTest(summary, file, test);
    // A file that could not be loaded has no tests to fail.
    const loadErrors = [...module.errors(), ...[...module.children.allSuites()].flatMap((suite) => suite.errors())];
    for (const error of loadErrors) addFailure(summary, `${file}: ${error.message.split('\n')[0]}`);
    this.#counts.set(file, { passed: summary.passed - passed, skipped: summary.skipped - skipped });
    if (summary.failed > failed) summary.failedFiles.push(file);
  }

  /** @param {string} file @param {string} what */
  #fail(file, what) {
    addFailure(this.#summary, `${file}: ${what}`);
    if (!this.#summary.failedFiles.includes(file)) this.#summary.failedFiles.push(file);
  }

  /** After every file: should vitest be ended, what is known by then is not lost. */
  #write() {
    clearTimeout(this.#soon);
    this.#soon = undefined;
    if (!process.env.TENON_TEST_SUMMARY) return;
    const inFailedFiles = { passed: 0, skipped: 0 };
    for (const file of this.#summary.failedFiles) {
      inFailedFiles.passed += this.#counts.get(file)?.passed ?? 0;
      inFailedFiles.skipped += this.#counts.get(file)?.skipped ?? 0;
    }
    const open = {
      running: [...this.#running].map((file) => ({ file, what: didNotFinish(this.#tests.get(file)) })),
      waiting: [...this.#waiting],
    };
    writeFileSync(process.env.TENON_TEST_SUMMARY, JSON.stringify({ ...this.#summary, inFailedFiles, ...open }));
  }
}

/** Where the time went: all workers together, and the files that took longest. */
function saySums(modules, milliseconds) {
  const sum = (pick) => (modules.reduce((total, module) => total + pick(module.diagnostic()), 0) / 1000).toFixed(0);
  const start = sum((times) => times.environmentSetupDuration + times.prepareDuration + times.setupDuration);
  const imports = sum((times) => times.collectDuration);
  const tests = sum((times) => times.duration);
  const wall = (milliseconds / 1000).toFixed(0);
  say(`Seconds of all workers: start ${start}, imports ${imports}, tests ${tests}; ${wall} s on the clock`);
  const rows = modules.map(costOf);
  const slowest = rows.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST_SHOWN);
  say(`Slowest: ${slowest.map(({ file, seconds }) => `${file} ${seconds.toFixed(0)} s`).join(', ')}`);
  writeCosts(rows);
}

/** A table of all files for whoever wants to make them cheaper. */
function writeCosts(rows) {
  if (!process.env.TENON_TEST_COSTS) return;
  const lines = rows
    .toSorted((a, b) => b.cpu - a.cpu)
    .map(({ file, seconds, cpu, tests }) => `${cpu.toFixed(2)}\t${seconds.toFixed(2)}\t${tests}\t${file}\n`);
  writeFileSync(process.env.TENON_TEST_COSTS, `cpu\tclock\ttests\tfile\n${lines.join('')}`);
}

function costOf(module) {
  const { duration, collectDuration } = module.diagnostic();
  const tests = [...module.children.allTests()].length;
  const seconds = (duration + collectDuration) / 1000;
  return { file: fileOf(module), seconds, cpu: module.meta().cpuSeconds ?? 0, tests };
}

/** A test that blocks its process at once may not have been told of. */
function didNotFinish(test) {
  return test === undefined ? 'did not finish' : `did not finish, in "${test}"`;
}

function fileOf(module) {
  return relative(process.cwd(), module.moduleId);
}

function errorText({ name, message, diff, cause, stacks = [] }) {
  const place = stacks[0] ? `at ${relative(process.cwd(), stacks[0].file)}:${stacks[0].line}` : '';
  const because = cause?.message ? `because: ${cause.message}` : '';
  const lines = [`${name ?? 'Error'}: ${message}`, because, diff ?? '', place].join('\n').split('\n').filter(Boolean);
  const shown = lines.slice(0, LINES_PER_ERROR);
  if (lines.length > shown.length) shown.push(`… ${lines.length - shown.length} more lines`);
  return shown
    .map((line) => `  ${line.length > LETTERS_PER_LINE ? `${line.slice(0, LETTERS_PER_LINE)}…` : line}`)
    .join('\n');
}

function addTest(summary, file, test) {
  const result = test.result();
  const title = `${file}: ${test.fullName}`;
  if (result.state === 'passed') {
    summary.passed += 1;
  } else if (result.state === 'failed') {
    addFailure(summary, title);
  } else {
    summary.skipped += 1;
    const note = result.state === 'skipped' && result.note ? result.note : 'no reason given by the test';
    summary.skips.push(`${title} (${note})`);
  }
}

function addFailure(summary, text) {
  summary.failed += 1;
  summary.failures.push(text);
}
