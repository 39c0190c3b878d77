/** Workers in the real sandbox. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chooseMechanism, sandboxes } from '@tenon/sandbox/api';
import { endKernel, separateFolders, startKernel } from '@tenon/test-kit/kernel';
import { later, temporaryFolder } from '@tenon/test-kit/temporary';
import { until } from '@tenon/test-kit/waiting';
import { describe, expect, test } from 'vitest';
import { processTable } from '../src/keeper/process-table.ts';
import { makeWorld } from './world.ts';

const { mechanism } = await chooseMechanism('auto');

async function sandboxedWorld() {
  const base = temporaryFolder('runs');
  const kernel = await startKernel({ folders: separateFolders(base), plugins: ['sandbox', 'settings'] });
  later(() => endKernel(kernel));
  return makeWorld({ sandboxes: () => kernel.find(sandboxes) }, base);
}

describe.skipIf(mechanism !== 'bubblewrap')('a worker in the sandbox', () => {
  test('writes in its folder and in the exchange, and sees nothing of Tenon', async () => {
    const world = await sandboxedWorld();
    const secret = join(world.parts.folders.data, 'secret');
    mkdirSync(world.parts.folders.data, { recursive: true });
    writeFileSync(secret, 'hidden');
    const run = await world.start(
      `echo x >made; cat ${secret}; echo y >${world.base}/outside; signal '{"session":1,"status":"done","result":"fine"}'`,
    );
    const done = await world.reaches(run, 'done');
    expect(done.result?.text).toBe('fine');
    expect(done.sandbox).toContain('bubblewrap');
    expect(readFileSync(join(world.work, 'made'), 'utf8')).toBe('x\n');
    expect(existsSync(join(world.base, 'outside'))).toBe(false);
    expect(await world.output(run)).not.toContain('hidden');
  });

  test('is ended with everything that it has started, also what hides its environment', async () => {
    const world = await sandboxedWorld();
    const run = await world.start(
      `(env -i setsid sh -c 'while :; do sleep 0.123; done' &); say text ready; sleep 1000`,
    );
    await until(async () => (await world.output(run)).includes('ready'));
    const before = new Set(
      (await processTable()).filter(({ run: mark }) => mark === `${run.id}:1`).map(({ pid }) => pid),
    );
    expect(before.size).toBeGreaterThan(0);
    await world.service.cancel(run);
    await world.reaches(run, 'cancelled');
    expect((await processTable()).filter(({ pid }) => before.has(pid))).toEqual([]);
    const commands = (await processTable()).map(({ pid }) => commandOf(pid));
    expect(commands.filter((command) => command.includes('0.123'))).toEqual([]);
  });

  test('can be left out, which the record says', async () => {
    const world = await sandboxedWorld();
    const run = await world.start(`echo y >${world.base}/outside; say done`, { sandbox: 'off' });
    expect((await world.reaches(run, 'done')).sandbox).toContain('off: the request says so');
    expect(existsSync(join(world.base, 'outside'))).toBe(true);
  });
});

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return ''; // It has ended meanwhile.
  }
}
