import { describe, expect, it } from 'vitest';
import { createKernel, hook, type HookMode } from '../src/index.ts';
import type { Handler } from '../src/plugin.ts';
import { inlineCandidate } from '../src/testing.ts';

const told = hook<'notify', string>('told', 'notify');
const answer = hook<'first', string, number>('answer', 'first');
const shape = hook<'reduce', string>('shape', 'reduce');
const guard = hook<'gate', string>('guard', 'gate', { deadlineMs: 30 });

const handling = (
  id: string,
  token: ReturnType<typeof hook<HookMode, any, any>>,
  handler: Handler<any, any, any>,
  priority = 0,
) => inlineCandidate({ id, activate: (ctx) => void ctx.on(token, handler, { priority }) }, { handles: [token.id] });

const kernelWith = (...candidates: ReturnType<typeof handling>[]) => {
  const kernel = createKernel();
  kernel.install(...candidates);
  return kernel;
};

describe('notify', () => {
  it('reaches every handler although one fails, and names the plugin that failed', async () => {
    const heard: string[] = [];
    const kernel = kernelWith(
      handling('bad', told, () => {
        throw new Error('deaf');
      }),
      handling('good', told, (text: string) => void heard.push(text)),
    );
    await kernel.run(told, 'news');
    expect(heard).toEqual(['news']);
    expect(kernel.diagnostics()[0]?.error.message).toBe('A handler of plugin "bad" for hook "told" failed: deaf');
  });

  it('runs its handlers at the same time', async () => {
    let waiting = 0;
    let release: () => void = () => undefined;
    const both = new Promise<void>((resolve) => (release = resolve));
    const meet = async () => {
      if (++waiting === 2) release();
      await both;
    };
    await kernelWith(handling('a', told, meet), handling('b', told, meet)).run(told, '');
    expect(waiting).toBe(2);
  });
});

describe('strict notify', () => {
  it('reaches the handlers after one that throws at once, and fails then', async () => {
    const strict = hook<'notify', string>('strictly', 'notify', { strict: true });
    const heard: string[] = [];
    const kernel = kernelWith(
      handling('bad', strict, () => {
        throw new Error('deaf');
      }),
      handling('good', strict, (text: string) => void heard.push(text)),
    );
    await expect(kernel.run(strict, 'news')).rejects.toThrow('deaf');
    expect(heard).toEqual(['news']);
  });
});

describe('first', () => {
  it('takes the first answer by priority and passes over handlers that fail or do not know', async () => {
    const kernel = kernelWith(
      handling('late', answer, () => 1, -1),
      handling('silent', answer, () => undefined, 10),
      handling('broken', answer, () => Promise.reject(new Error('x')), 5),
      handling('knows', answer, (text: string) => text.length),
    );
    expect(await kernel.run(answer, 'four')).toBe(4);
    expect(kernel.diagnostics()).toHaveLength(1);
  });

  it('gives nothing when nobody answers', async () => {
    expect(await kernelWith().run(answer, '')).toBeUndefined();
  });
});

describe('reduce', () => {
  it('hands each handler the output of the one before, and keeps it when a handler fails or says nothing', async () => {
    const kernel = kernelWith(
      handling('one', shape, (text: string) => `${text}1`, 3),
      handling('mute', shape, () => undefined, 2),
      handling('broken', shape, () => Promise.reject(new Error('x')), 1),
      handling('two', shape, (text: string) => `${text}2`),
    );
    expect(await kernel.run(shape, '0')).toBe('012');
  });
});

describe('a strict hook', () => {
  const careful = hook<'reduce', string>('careful', 'reduce', { strict: true });

  it('fails when a handler fails, instead of going on without it', async () => {
    const kernel = kernelWith(handling('masker', careful, () => Promise.reject(new Error('cannot mask'))));
    await expect(kernel.run(careful, 'secret')).rejects.toThrow('"masker" for hook "careful" failed: cannot mask');
  });

  it('fails with the reason when a plugin that handles it cannot start', async () => {
    const kernel = kernelWith(
      inlineCandidate({ id: 'masker', activate: () => Promise.reject(new Error('asleep')) }, { handles: ['careful'] }),
    );
    await expect(kernel.run(careful, 'secret')).rejects.toThrow('asleep');
  });
});

describe('a hook that matters only to plugins that run', () => {
  const heard: string[] = [];
  const cleaner = (activate: () => Promise<void> | void = () => undefined) =>
    inlineCandidate(
      {
        id: 'cleaner',
        activate: async (ctx) => {
          ctx.on(told, (text) => void heard.push(text));
          await activate();
        },
      },
      { handlesWhenActive: ['told'] },
    );
  const stateOf = (kernel: ReturnType<typeof kernelWith>) => kernel.status().find(({ id }) => id === 'cleaner')?.state;

  it('starts none, and reaches one that was started for another reason', async () => {
    heard.length = 0;
    const kernel = kernelWith(cleaner());
    await kernel.run(told, 'before');
    expect([heard, stateOf(kernel)]).toEqual([[], 'installed']);
    await kernel.activate('cleaner');
    await kernel.run(told, 'after');
    expect(heard).toEqual(['after']);
    await kernel.unload('cleaner');
    await kernel.run(told, 'late');
    expect([heard, stateOf(kernel)]).toEqual([['after'], 'installed']);
  });

  it('waits for one that is starting', async () => {
    heard.length = 0;
    let go: (() => void) | undefined;
    const kernel = kernelWith(cleaner(() => new Promise<void>((resolve) => (go = resolve))));
    const starting = kernel.activate('cleaner');
    const run = kernel.run(told, 'meanwhile');
    await expect.poll(() => go).toBeDefined();
    expect(stateOf(kernel)).toBe('activating');
    go?.();
    await Promise.all([starting, run]);
    expect(heard).toEqual(['meanwhile']);
  });

  it('is not handled without being declared', async () => {
    const kernel = kernelWith(
      inlineCandidate({ id: 'cleaner', activate: () => undefined }, { handlesWhenActive: ['told'] }),
    );
    await expect(kernel.activate('cleaner')).rejects.toThrow('the handler for "told"');
  });
});

describe('gate', () => {
  it('allows when nobody objects', async () => {
    expect(await kernelWith(handling('calm', guard, () => undefined)).run(guard, 'x')).toEqual({ allowed: true });
  });

  it('refuses with the name and reason of the one who objects, and asks nobody after that', async () => {
    let asked = false;
    const kernel = kernelWith(
      handling('strict', guard, (input: string) => ({ deny: `no ${input}` }), 1),
      handling('later', guard, () => void (asked = true)),
    );
    expect(await kernel.run(guard, 'fire')).toEqual({ allowed: false, by: 'strict', reason: 'no fire', fault: false });
    expect(asked).toBe(false);
  });

  it.each<[string, Handler<any, any, any>]>([
    ['throws', () => Promise.reject(new Error('boom'))],
    ['hangs', () => new Promise(() => undefined)],
    ['gives an answer that is no verdict', () => true],
    ['gives null', () => null],
  ])('refuses when a handler %s', async (_, handler) => {
    expect(await kernelWith(handling('faulty', guard, handler)).run(guard, 'x')).toMatchObject({
      allowed: false,
      by: 'faulty',
      fault: true,
    });
  });

  it('refuses when a plugin that guards it cannot start', async () => {
    const kernel = kernelWith(
      inlineCandidate({ id: 'guardian', activate: () => Promise.reject(new Error('asleep')) }, { handles: ['guard'] }),
    );
    expect(await kernel.run(guard, 'x')).toMatchObject({ allowed: false, by: 'guardian', fault: true });
  });
});

describe('deadlines and cancellation', () => {
  it('names the handler that hangs, and keeps it listed as long as it hangs', async () => {
    const kernel = kernelWith(handling('hung', guard, () => new Promise(() => undefined)));
    await kernel.run(guard, 'x');
    expect(kernel.diagnostics()[0]?.error.message).toContain(
      'A handler for hook "guard" of plugin "hung" did not finish within 30 ms',
    );
    expect(kernel.pending()).toMatchObject([{ hook: 'guard', plugin: 'hung' }]);
  });

  it('gives an aborted signal to a handler that looks at it only after its deadline has passed', async () => {
    let seen: boolean | undefined;
    const late = async (_: string, call: { readonly signal: AbortSignal }) => {
      await new Promise((resolve) => setTimeout(resolve, 60));
      seen = call.signal.aborted;
    };
    await kernelWith(handling('late', guard, late)).run(guard, '');
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(seen).toBe(true);
  });

  it('starts a plugin that was installed after the hook had run, and forgets one that is gone', async () => {
    const heard: string[] = [];
    const kernel = kernelWith(handling('first', told, () => void heard.push('first')));
    await kernel.run(told, '');
    kernel.install(handling('second', told, () => void heard.push('second')));
    await kernel.run(told, '');
    await kernel.uninstall('first');
    await kernel.run(told, '');
    expect(heard).toEqual(['first', 'first', 'second', 'second']);
  });

  it('aborts the signal that a handler got when its deadline passes', async () => {
    let reason: unknown;
    const kernel = kernelWith(
      handling(
        'polite',
        guard,
        (_input: unknown, { signal }) =>
          new Promise((_, reject) => signal.addEventListener('abort', () => reject((reason = signal.reason)))),
      ),
    );
    await kernel.run(guard, 'x');
    expect(String(reason)).toContain('did not finish within 30 ms');
  });

  it("stops when the caller aborts, which is nobody's fault", async () => {
    const controller = new AbortController();
    const kernel = kernelWith(handling('slow', answer, () => new Promise(() => undefined)));
    const running = kernel.run(answer, 'x', controller.signal);
    setTimeout(() => controller.abort(new Error('enough')), 5);
    await expect(running).rejects.toThrow('enough');
    expect(kernel.diagnostics()).toEqual([]);
  });
});
