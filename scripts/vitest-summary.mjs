/**
 * The vitest reporter of this repository. It shows each failure when it happens and a line of progress each half minute, and
 * writes counts, failures and skips with their reasons to the file named by TENON_TEST_SUMMARY.
 */
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';

/**
 * What vitest did. `failedFiles` are the files to run again for an answer to "was it the load of the machine?"; a failure that
 * belongs to no file is in `failures` alone.
 * @typedef {{ passed: number, failed: number, skipped: number, failures: string[], skips: string[], failedFiles: string[] }} Summary
 */

const PROGRESS_MS = 30_000;
const LINES_PER_ERROR = 40;
const SLOWEST_SHOWN = 30;

const say = (text) => process.stdout.write(`${text}\n`);

export default class SummaryReporter {
  #files = 0;
  #ended = 0;
  #passed = 0;
  #failed = 0;
  #said = Date.now();

  onTestRunStart(specifications) {
    this.#files = specifications.length;
  }

  /** @param {import('vitest/node').TestCase} test */
  onTestCaseResult(test) {
    const { state, errors } = test.result();
    if (state === 'passed') this.#passed += 1;
    if (state !== 'failed') return;
    this.#failed += 1;
    say(`\nFAILED ${fileOf(test.module)}: ${test.fullName}`);
    for (const error of errors ?? []) say(errorText(error));
  }

  onTestModuleEnd(module) {
    this.#ended += 1;
    for (const error of module.errors()) say(`\nFAILED ${fileOf(module)}\n${errorText(error)}`);
    if (Date.now() - this.#said < PROGRESS_MS && this.#ended < this.#files) return;
    this.#said = Date.now();
    say(`${this.#ended} of ${this.#files} files: ${this.#passed} passed, ${this.#failed} failed`);
  }

  /** @param {readonly import('vitest/node').TestModule[]} modules @param {readonly import('vitest').SerializedError[]} errors */
  onTestRunEnd(modules, errors) {
    /** @type {Summary} */
    const summary = { passed: 0, failed: 0, skipped: 0, failures: [], skips: [], failedFiles: [] };
    for (const module of modules) {
      const file = fileOf(module);
      const before = summary.failed;
      for (const test of module.children.allTests()) addTest(summary, file, test);
      // A file that could not be loaded has no tests to fail.
      const loadErrors = [...module.errors(), ...[...module.children.allSuites()].flatMap((suite) => suite.errors())];
      for (const error of loadErrors) addFailure(summary, `${file}: ${error.message.split('\n')[0]}`);
      if (summary.failed > before) summary.failedFiles.push(file);
    }
    saySlowest(modules);
    for (const error of errors) {
      say(`\nFAILED outside of any test\n${errorText(error)}`);
      addFailure(summary, `outside of any test: ${error.message}`);
    }
    if (process.env.TENON_TEST_SUMMARY) writeFileSync(process.env.TENON_TEST_SUMMARY, JSON.stringify(summary));
  }
}

function saySlowest(modules) {
  const rows = modules.map((module) => ({ file: fileOf(module), seconds: module.diagnostic().duration / 1000 }));
  const slowest = rows.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST_SHOWN);
  say(`Slowest: ${slowest.map(({ file, seconds }) => `${file} ${seconds.toFixed(0)} s`).join(', ')}`);
}

function fileOf(module) {
  return relative(process.cwd(), module.moduleId);
}

function errorText({ name, message, diff, stacks = [] }) {
  const place = stacks[0] ? `at ${relative(process.cwd(), stacks[0].file)}:${stacks[0].line}` : '';
  const lines = [`${name ?? 'Error'}: ${message}`, diff ?? '', place].join('\n').split('\n').filter(Boolean);
  const shown = lines.slice(0, LINES_PER_ERROR);
  if (lines.length > shown.length) shown.push(`… ${lines.length - shown.length} more lines`);
  return shown.map((line) => `  ${line}`).join('\n');
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
