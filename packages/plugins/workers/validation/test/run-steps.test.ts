/** Validation with real programs in the real sandbox. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UNCONFINED } from '@tenon/sandbox/api';
import { gitRepository } from '@tenon/test-kit/git-repository';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { until } from '@tenon/test-kit/waiting';
import { expect, test } from 'vitest';
import type { ValidationPlan } from '../src/api.ts';
import { planValidation } from '../src/plan.ts';
import { runSteps } from '../src/run-steps.ts';

const signal = new AbortController().signal;
const unconfined = async () => UNCONFINED;

function planOf(root: string, ...commands: readonly string[]): ValidationPlan {
  return {
    by: 'override',
    root,
    reason: '',
    steps: commands.map((command) => ({ title: command, argv: ['/bin/sh', '-c', command], cwd: root })),
  };
}

test('the scripts of a real npm project are run, and what they print is passed on', async () => {
  const folder = join(temporaryFolder('validation'), 'shop');
  gitRepository(folder, {
    'package.json': JSON.stringify({
      name: 'shop',
      scripts: { build: 'node -e "console.log(process.env.CI)"', test: 'node -e "process.exit(3)"' },
    }),
  });
  const seen: string[] = [];
  const result = await runSteps(await planValidation({ cwd: folder }, {}), unconfined, {
    signal,
    output: (text) => void seen.push(text),
  });
  expect(result.state).toBe('failed');
  expect(result.steps.map(({ title, code }) => [title, code])).toEqual([
    ['build', 0],
    ['test', 3],
  ]);
  expect(seen.join('')).toMatch(/\$ npm run build\n[^]*\n1\n/);
});

test('the first step that fails is the last that runs', async () => {
  const folder = temporaryFolder('validation');
  const result = await runSteps(planOf(folder, 'echo one', 'exit 4', 'touch never'), unconfined, { signal });
  expect(result.steps.map(({ code }) => code)).toEqual([0, 4]);
  expect(result.steps[0]?.tail).toBe('one\n');
  expect(existsSync(join(folder, 'never'))).toBe(false);
});

test('a step whose program is missing is skipped and says so; alone it proves nothing', async () => {
  const root = temporaryFolder('validation');
  const steps = [{ title: 'x', argv: ['tenon-no-such-program'], cwd: root }];
  const result = await runSteps({ by: 'simple', root, reason: '', steps }, unconfined, { signal });
  expect(result.state).toBe('skipped');
  expect(result.steps[0]?.skipped).toBe('The program tenon-no-such-program is not installed.');
});

test('cancelling ends the step and what it has started', async () => {
  const folder = temporaryFolder('validation');
  const stop = new AbortController();
  const running = runSteps(planOf(folder, 'sleep 300 & echo $! > child; wait'), unconfined, { signal: stop.signal });
  await until(() => existsSync(join(folder, 'child')) && readFileSync(join(folder, 'child'), 'utf8').endsWith('\n'));
  const child = Number(readFileSync(join(folder, 'child'), 'utf8'));
  stop.abort();
  expect((await running).state).toBe('cancelled');
  await until(() => {
    try {
      process.kill(child, 0);
      return false;
    } catch {
      return true;
    }
  });
});

test('only the end of long output is kept', async () => {
  const folder = temporaryFolder('validation');
  const result = await runSteps(planOf(folder, 'seq 1 100000'), unconfined, { signal });
  expect(result.steps[0]?.tail.length).toBe(8_000);
  expect(result.steps[0]?.tail.endsWith('100000\n')).toBe(true);
});
