import { setTimeout as delay } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import type { CoreAddon } from '../src/addon.ts';
import { findAddon } from '../src/loader.ts';
import { callNative, callNativeSync, linkLimits, NativeError } from '../src/task.ts';

const { addon, attempts } = findAddon();
const reasons = attempts.map((attempt) => attempt.reason).join('; ');

describe.skipIf(!addon)(`the task wrapper around the addon${addon ? '' : ` (skipped: ${reasons})`}`, () => {
  const native = addon as CoreAddon;
  const beat = (limits: Parameters<typeof callNative>[2]) =>
    callNative(native, (cancel) => native.__beatForTests(cancel), limits);

  it('rejects at once with the reason of the signal when the caller aborts', async () => {
    const controller = new AbortController();
    const reason = new Error('the user pressed escape');
    const call = beat({ signal: controller.signal });
    await delay(5);
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
  });

  it('does not start work for a signal that is already aborted', async () => {
    const reason = new Error('too late');
    let started = false;
    const call = callNative(native, () => Promise.resolve((started = true)), { signal: AbortSignal.abort(reason) });
    await expect(call).rejects.toBe(reason);
    expect(started).toBe(false);
  });

  it('stops the work itself, not only the waiting for it', async () => {
    let work: Promise<number> | undefined;
    const controller = new AbortController();
    const call = callNative(native, (cancel) => (work = native.__beatForTests(cancel)), { signal: controller.signal });
    await delay(5);
    controller.abort();
    await expect(call).rejects.toThrow();
    await expect(work).rejects.toMatchObject({ code: 'Cancelled', message: 'the operation was aborted' });
  });

  it('rejects with a TimeoutError when the time is up', async () => {
    await expect(beat({ timeoutMs: 20 })).rejects.toMatchObject({
      name: 'TimeoutError',
      message: expect.stringContaining('20 ms'),
    });
  });

  it('lets Rust notice the deadline by itself while this thread is busy', async () => {
    let work: Promise<number> | undefined;
    const call = callNative(native, (cancel) => (work = native.__beatForTests(cancel)), { timeoutMs: 10 });
    await Promise.resolve();
    const until = Date.now() + 150;
    while (Date.now() < until);
    await expect(call).rejects.toMatchObject({ name: 'TimeoutError' });
    await expect(work).rejects.toMatchObject({ code: 'Cancelled' });
  });

  it('turns a panic into a rejected promise that names the operation and the place', async () => {
    const call = callNative(native, () => native.__panicForTests());
    await expect(call).rejects.toBeInstanceOf(NativeError);
    await expect(call).rejects.toMatchObject({
      kind: 'panic',
      message: expect.stringMatching(/^panicForTests: internal error at .*task\.rs:\d+:\d+: asked to panic$/),
    });
    // The process and its thread pool are still there.
    await expect(beat({ timeoutMs: 5 })).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('maps wrong arguments of the raw function to a failure', async () => {
    const call = callNative(native, () => native.__beatForTests('no handle' as never));
    await expect(call).rejects.toMatchObject({ name: 'NativeError', kind: 'failure' });
    expect(() => callNativeSync(() => new native.CancelHandle('soon' as never))).toThrow(NativeError);
  });

  it('removes its listener from the signal when the work ends', async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    const watched = Object.create(signal, {
      aborted: { get: () => false },
      addEventListener: { value: () => (listeners += 1) },
      removeEventListener: { value: () => (listeners -= 1) },
    }) as AbortSignal;
    await callNative(native, () => Promise.resolve(1), { signal: watched, timeoutMs: 1000 });
    expect(listeners).toBe(0);
  });
});

describe('the limits of a JavaScript twin', () => {
  it('abort with the same reasons as native calls', async () => {
    const reason = new Error('stop');
    const controller = new AbortController();
    const linked = linkLimits({ signal: controller.signal, timeoutMs: 60_000 });
    controller.abort(reason);
    expect(linked.signal.reason).toBe(reason);
    linked.dispose();

    const timed = linkLimits({ timeoutMs: 1 });
    await delay(20);
    expect(timed.signal.reason).toMatchObject({ name: 'TimeoutError' });
    timed.dispose();
  });

  it('refuse a time limit that is not a number of milliseconds', () => {
    expect(() => linkLimits({ timeoutMs: Number.NaN })).toThrow(RangeError);
    expect(() => linkLimits({ timeoutMs: -1 })).toThrow(RangeError);
    expect(linkLimits({ timeoutMs: Infinity }).signal.aborted).toBe(false);
  });
});
