import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { IdleMemory } from '../src/idle-memory.ts';

const LONG_MS = 60_000;
let now: { busy: boolean; taken: string[]; faults: unknown[] };
let open: IdleMemory[];

function watch(steps: readonly (() => unknown)[] = [() => now.taken.push('first'), () => now.taken.push('second')]) {
  const memory = new IdleMemory({
    isBusy: () => now.busy,
    steps,
    onFault: (fault) => now.faults.push(fault),
  });
  open.push(memory);
  return memory;
}

beforeEach(() => {
  vi.useFakeTimers();
  now = { busy: false, taken: [], faults: [] };
  open = [];
});

afterEach(() => {
  for (const memory of open) memory.close();
  vi.useRealTimers();
});

describe('memory of a mode that waits', () => {
  it('is given back step by step when nothing happens, and only once', async () => {
    watch();
    await vi.advanceTimersByTimeAsync(4_000);
    expect(now.taken).toEqual(['first']);
    await vi.advanceTimersByTimeAsync(LONG_MS);
    expect(now.taken).toEqual(['first', 'second']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is given back again after the next activity', async () => {
    const memory = watch();
    await vi.advanceTimersByTimeAsync(LONG_MS);
    memory.touch();
    memory.touch();
    await vi.advanceTimersByTimeAsync(LONG_MS);
    expect(now.taken).toEqual(['first', 'second', 'first', 'second']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is kept while something happens now and then', async () => {
    const memory = watch();
    for (let at = 0; at < 30; at++) {
      await vi.advanceTimersByTimeAsync(2_000);
      memory.touch();
    }
    expect(now.taken).toEqual([]);
  });

  it('is kept while work goes on that nothing is heard of', async () => {
    now.busy = true;
    watch();
    await vi.advanceTimersByTimeAsync(LONG_MS);
    expect(now.taken).toEqual([]);
    now.busy = false;
    await vi.advanceTimersByTimeAsync(LONG_MS);
    expect(now.taken).toEqual(['first', 'second']);
  });

  it('begins with the first step again when something happens between two', async () => {
    const memory = watch();
    await vi.advanceTimersByTimeAsync(4_000);
    memory.touch();
    await vi.advanceTimersByTimeAsync(LONG_MS);
    expect(now.taken).toEqual(['first', 'first', 'second']);
  });

  it('notices what happens while a step is taken', async () => {
    let finish: (() => void) | undefined;
    const memory = watch([() => new Promise<void>((resolve) => (finish = resolve)), () => now.taken.push('second')]);
    await vi.advanceTimersByTimeAsync(4_000);
    memory.touch();
    finish?.();
    await vi.advanceTimersByTimeAsync(4_000);
    expect(now.taken).toEqual([]);
    finish?.();
    await vi.advanceTimersByTimeAsync(LONG_MS);
    expect(now.taken).toEqual(['second']);
  });

  it('is left alone after a step that failed, and somebody is told', async () => {
    const memory = watch([
      () => {
        throw new Error('no such flag');
      },
    ]);
    await vi.advanceTimersByTimeAsync(LONG_MS);
    memory.touch();
    await vi.advanceTimersByTimeAsync(LONG_MS);
    expect(now.faults).toEqual([new Error('no such flag')]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is left alone when the mode has ended', async () => {
    const memory = watch();
    memory.close();
    memory.touch();
    await vi.advanceTimersByTimeAsync(LONG_MS);
    expect(now.taken).toEqual([]);
  });

  it('is really collected and returned by the steps of a mode', async () => {
    vi.useRealTimers();
    const { collectGarbage, returnMemory } = await import('../src/idle-memory.ts');
    let big: object | undefined = { bytes: new Array(1000).fill('x') };
    const weak = new WeakRef(big);
    big = undefined;
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    expect(weak.deref()).toBeUndefined();
    await returnMemory();
    expect(globalThis.gc).toBeUndefined();
  });
});
