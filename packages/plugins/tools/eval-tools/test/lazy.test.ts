/** What is loaded when: every session ends, and most of them without a cell. */
import { sessionShutdown, sessionSwitch } from '@tenon/agent/api';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type EvalBench, openEvalBench } from './support/eval-bench.ts';

const loads = vi.hoisted(() => ({ count: 0 }));
vi.mock('../src/cell-runner.ts', (original) => {
  loads.count++;
  return original();
});

let bench: EvalBench;
beforeEach(async () => void (bench = await openEvalBench()));
afterEach(() => bench.dispose());

describe('what runs cells', () => {
  it('is loaded by the first cell, and not by the end of a session that had none', async () => {
    const place = { session: 'one', cwd: bench.root };
    await bench.kernel.run(sessionSwitch, { ...place, previous: 'none', reason: 'new' });
    await bench.kernel.run(sessionShutdown, place);
    expect(bench.kernel.status().find(({ id }) => id === 'eval-tools')?.state).toBe('installed');
    expect(loads.count).toBe(0);
    expect(await bench.cells('*** Cell js\n6 * 7')).toBe('42');
    expect(loads.count).toBe(1);
  });
});
