/** The quick checks that `npm run check` and `npm test` share. Each is one program with a clear exit code. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { runCommand } from './setup/run-command.mjs';

/**
 * @typedef {{ name: string, command: string, args: string[], fix?: string, optional?: string }} CheckStep
 *   `optional` is the reason to skip the step when its program is missing
 * @typedef {{ name: string, state: 'passed' | 'failed' | 'skipped', seconds: number, output: string, reason?: string }} CheckResult
 */

/** @param {string} root @returns {CheckStep[]} */
export function checkSteps(root) {
  const bin = (name) => join(root, 'node_modules', '.bin', name);
  const steps = [
    { name: 'format', command: bin('oxfmt'), args: ['--check'], fix: 'npm run format' },
    { name: 'lint', command: bin('oxlint'), args: ['--deny-warnings'] },
    { name: 'types of the packages', command: bin('tsc'), args: ['-b'] },
    { name: 'types of the tests', command: bin('tsc'), args: ['-p', 'tsconfig.tests.json'] },
    { name: 'types of the page', command: bin('tsc'), args: ['-p', 'packages/plugins/modes/web/src/page'] },
    {
      name: 'format of the Rust code',
      command: 'cargo',
      args: ['fmt', '--all', '--check'],
      fix: 'cargo fmt --all',
      optional: 'cargo with rustfmt is not installed',
    },
  ];
  return steps.filter((step) => step.command !== 'cargo' || existsSync(join(root, 'Cargo.toml')));
}

/** Runs the steps, one after another, and says how each ended. @param {string} root @param {(line: string) => void} say @returns {Promise<CheckResult[]>} */
export async function runCheckSteps(root, say) {
  const results = [];
  for (const step of checkSteps(root)) {
    const result = await runStep(root, step);
    results.push(result);
    say(
      `${mark(result.state)} ${step.name} (${result.seconds.toFixed(1)} s)${result.reason ? `: ${result.reason}` : ''}`,
    );
    if (result.state === 'failed') say(result.output.trim());
    if (result.state === 'failed' && step.fix) say(`Correct it with: ${step.fix}`);
  }
  return results;
}

/** @param {'passed' | 'failed' | 'skipped'} state */
export function mark(state) {
  return { passed: 'ok  ', failed: 'FAIL', skipped: 'skip' }[state];
}

async function runStep(root, { name, command, args, optional }) {
  const started = Date.now();
  const { code, output, missing } = await runCommand(command, args, { cwd: root });
  const seconds = (Date.now() - started) / 1000;
  const absent = missing || (optional !== undefined && /no such (sub)?command|is not installed/.test(output));
  if (absent && optional) return { name, state: 'skipped', seconds, output, reason: optional };
  return { name, state: code === 0 ? 'passed' : 'failed', seconds, output };
}
