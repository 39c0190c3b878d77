/** A vitest reporter that writes counts, failures and skips with their reasons to the file named by TENON_TEST_SUMMARY. */
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';

/** What vitest did. @typedef {{ passed: number, failed: number, skipped: number, failures: string[], skips: string[] }} Summary */

export default class SummaryReporter {
  /** @param {readonly import('vitest/node').TestModule[]} modules @param {readonly import('vitest').SerializedError[]} errors */
  onTestRunEnd(modules, errors) {
    const path = process.env.TENON_TEST_SUMMARY;
    if (!path) return;
    /** @type {Summary} */
    const summary = { passed: 0, failed: 0, skipped: 0, failures: [], skips: [] };
    for (const module of modules) {
      const file = relative(process.cwd(), module.moduleId);
      for (const test of module.children.allTests()) addTest(summary, file, test);
      // A file that could not be loaded has no tests to fail.
      const loadErrors = [...module.errors(), ...[...module.children.allSuites()].flatMap((suite) => suite.errors())];
      for (const error of loadErrors) addFailure(summary, `${file}: ${error.message.split('\n')[0]}`);
    }
    for (const error of errors) addFailure(summary, `outside of any test: ${error.message}`);
    writeFileSync(path, JSON.stringify(summary));
  }
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
