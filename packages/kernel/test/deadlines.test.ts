import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createKernel, hook, type Kernel, type PluginContext, service } from '../src/index.ts';
import { inlineCandidate } from '../src/testing.ts';

const store = service<{ get(): string }>('store');
const outer = hook<'first', string, string>('outer', 'first', { deadlineMs: 100 });
const sleep = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));
const forever = () => new Promise<never>(() => undefined);
const stateOf = (kernel: Kernel, id: string) => kernel.status().find((status) => status.id === id)?.state;
const messages = (kernel: Kernel) => kernel.diagnostics().map(({ error }) => error.message);

/** Lets the fake time pass until the work is done; tells how long that took. */
async function timed<T>(work: Promise<T>): Promise<{ result: PromiseSettledResult<T>; ms: number }> {
  const started = performance.now();
  const end: { at?: number } = {};
  const settled = Promise.allSettled([work]).then(([result]) => ((end.at = performance.now()), result));
  for (let step = 0; end.at === undefined && step < 5_000; step++) await vi.advanceTimersByTimeAsync(1);
  return { result: await settled, ms: (end.at ?? Infinity) - started };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  // The kernel's clock.
  vi.spyOn(process, 'uptime').mockImplementation(() => performance.now() / 1000);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** A provider of `store` that takes its time. */
const slowStore = (ms: number, starts = { count: 0 }) =>
  inlineCandidate(
    {
      id: 'disk',
      async activate(ctx) {
        starts.count++;
        ctx.provide(store, { get: () => 'kept' });
        await (Number.isFinite(ms) ? sleep(ms) : forever());
      },
    },
    { provides: ['store'] },
  );

const handling = (id: string, handler: (ctx: PluginContext, signal: AbortSignal) => unknown) =>
  inlineCandidate(
    { id, activate: (ctx) => void ctx.on(outer, (_, { signal }) => handler(ctx, signal) as Promise<string>) },
    { handles: ['outer'] },
  );

describe('a deadline inside another one', () => {
  it('is what is left of the outer one, and only the handler that used the time up is blamed', async () => {
    const links = fc.array(fc.record({ deadlineMs: fc.integer({ min: 20, max: 400 }), workMs: fc.nat({ max: 120 }) }), {
      minLength: 1,
      maxLength: 5,
    });
    await fc.assert(
      fc.asyncProperty(links, async (chain) => {
        const hooks = chain.map(({ deadlineMs }, at) => hook<'first', null, string>(`h${at}`, 'first', { deadlineMs }));
        // Each handler works, then runs the next hook; the last one hangs.
        const kernel = createKernel();
        chain.forEach(({ workMs }, at) => {
          const [own, next] = [hooks[at], hooks[at + 1]];
          const handler = async (ctx: PluginContext, signal: AbortSignal) => {
            await sleep(workMs);
            return next ? `${at} after ${await ctx.run(next, null, signal)}` : forever();
          };
          kernel.install(
            inlineCandidate(
              { id: `p${at}`, activate: (ctx) => void (own && ctx.on(own, (_, { signal }) => handler(ctx, signal))) },
              { handles: [`h${at}`] },
            ),
          );
        });
        for (const { id } of kernel.status()) await kernel.activate(id);
        // Who should be late, and when the outermost has its answer at the latest.
        let [start, end, culprit] = [0, Infinity, 0];
        for (const [at, { deadlineMs, workMs }] of chain.entries()) {
          end = Math.min(start + deadlineMs, end - 3);
          culprit = at;
          start += workMs;
          fc.pre(Math.abs(start - end) > 2); // which of two timers of the same moment comes first is no law
          if (start > end) break;
        }
        const [first] = hooks;
        const { ms } = await timed(first ? kernel.run(first, null) : Promise.resolve(undefined));
        expect(ms).toBeLessThanOrEqual((chain[0]?.deadlineMs ?? 0) + 1);
        expect(ms).toBeGreaterThanOrEqual(end - 1);
        expect(kernel.diagnostics().map(({ error }) => [error.code, error.details['plugin']])).toEqual([
          ['KERNEL_DEADLINE', `p${culprit}`],
        ]);
      }),
      { numRuns: 40 },
    );
  });

  it('names the chain of those who had the time before', async () => {
    const inner = hook<'first', null, string>('inner', 'first');
    const kernel = createKernel();
    kernel.install(
      handling('patient', async (ctx, signal) => {
        await sleep(40);
        return (await ctx.run(inner, null, signal)) ?? 'went on';
      }),
      inlineCandidate({ id: 'hung', activate: (ctx) => void ctx.on(inner, forever) }, { handles: ['inner'] }),
    );
    const { result } = await timed(kernel.run(outer, 'x'));
    expect(result).toMatchObject({ value: 'went on' });
    expect(messages(kernel)).toEqual([
      'A handler for hook "inner" of plugin "hung" did not finish within 57 ms, ' +
        'which is what was left to the handler of plugin "patient" for hook "outer" (100 ms).',
    ]);
  });

  it('ends with its call: what a handler leaves running has all its time', async () => {
    const kernel = createKernel();
    let later: Promise<unknown> | undefined;
    kernel.install(
      slowStore(500),
      handling('starter', (ctx, signal) => {
        later = sleep(50).then(() => ctx.find(store, signal));
        return sleep(10);
      }),
    );
    await timed(kernel.run(outer, 'x'));
    expect((await timed(later as Promise<unknown>)).result).toMatchObject({ status: 'fulfilled' });
  });

  it('costs no timer when the handler answers at once', async () => {
    const kernel = createKernel();
    kernel.install(handling('quick', () => 'at once'));
    await kernel.activate('quick');
    const timer = vi.spyOn(globalThis, 'setTimeout');
    expect(await kernel.run(outer, 'x')).toBe('at once');
    expect(timer).not.toHaveBeenCalled();
    timer.mockRestore();
  });
});

describe('a start', () => {
  it('counts what it needs as part of its time, and blames the one that hangs', async () => {
    const kernel = createKernel({ limits: { activateMs: 200 } });
    const middle = service<number>('middle');
    kernel.install(
      slowStore(Infinity),
      inlineCandidate(
        { id: 'middle', needs: { store }, activate: (ctx) => void ctx.provide(middle, 1) },
        { provides: ['middle'] },
      ),
      inlineCandidate({ id: 'top', needs: { middle }, activate: () => undefined }),
    );
    const { result, ms } = await timed(kernel.activate('top'));
    expect(ms).toBeLessThanOrEqual(201);
    expect(result).toMatchObject({ status: 'rejected', reason: { details: { plugin: 'disk' } } });
    expect((result as PromiseRejectedResult).reason.message).toContain(
      'left to the start of plugin "middle" (197 ms), inside the start of plugin "top" (200 ms)',
    );
    expect(stateOf(kernel, 'top')).toBe('failed');
    expect(messages(kernel)).toHaveLength(1);
  });

  it('gives what it looks up in activate() the rest of its time', async () => {
    const kernel = createKernel({ limits: { activateMs: 200 } });
    kernel.install(
      slowStore(Infinity),
      inlineCandidate({
        id: 'user',
        async activate(ctx) {
          await sleep(150);
          await ctx.find(store);
        },
      }),
    );
    const { result, ms } = await timed(kernel.activate('user'));
    expect(ms).toBeLessThanOrEqual(201);
    expect((result as PromiseRejectedResult).reason.message).toContain(
      'activate() of plugin "disk" did not finish within 47 ms, which is what was left to the start of plugin "user"',
    );
  });

  it('that failed because its caller was in a hurry may be tried again, and does not fail for those who have time', async () => {
    const starts = { count: 0 };
    const kernel = createKernel();
    let hurried: unknown;
    kernel.install(
      slowStore(300, starts),
      handling('hurried', (ctx, signal) =>
        ctx.find(store, signal).catch((fault: unknown) => (hurried = fault) && 'no'),
      ),
    );
    const unhurried = sleep(10).then(() => kernel.find(store));
    const { result, ms } = await timed(kernel.run(outer, 'x'));
    expect([result, ms <= 100]).toMatchObject([{ value: 'no' }, true]);
    expect(hurried).toMatchObject({ code: 'KERNEL_DEADLINE', details: { plugin: 'disk' } });
    expect((await timed(unhurried)).result).toMatchObject({ status: 'fulfilled' });
    expect(stateOf(kernel, 'disk')).toBe('active');
    expect(starts.count).toBe(2);
    expect(messages(kernel)).toEqual([]);
  });

  it('goes on for the others when one of those who wait for it has no time left', async () => {
    const starts = { count: 0 };
    const kernel = createKernel();
    kernel.install(
      slowStore(300, starts),
      handling('hurried', (ctx, signal) => ctx.find(store, signal).catch(() => 'no')),
    );
    const unhurried = kernel.find(store);
    expect((await timed(kernel.run(outer, 'x'))).result).toMatchObject({ value: 'no' });
    expect((await timed(unhurried)).result).toMatchObject({ status: 'fulfilled' });
    expect(starts.count).toBe(1);
  });
});
