import type { TenonError } from './errors.ts';
import { kernelErrors } from './kernel-errors.ts';

/** The time that a call has. What it calls in turn gets at most what is left of it. */
export interface Allowance {
  /** Whose time it is, for messages. */
  of(): string;
  readonly ms: number;
  readonly endsAt: number;
  /** The call around it, when that one had less time left than this one would have got. */
  readonly outer: Allowance | undefined;
}

/** On whose behalf something is done. */
export interface Caller {
  readonly plugin?: string | undefined;
  /** Ends the work early; the signal of a running handler also carries the time that the handler has left. */
  readonly signal?: AbortSignal | undefined;
  /** The time of a start, which has no signal. */
  readonly within?: Allowance | undefined;
}

/** An inner call ends this much earlier than the one around it, which can then still say who was slow. */
const MARGIN_MS = 3;

/** The time of the call that a signal belongs to, while that call runs. */
const allowances = new WeakMap<AbortSignal, Allowance>();

/** True for what has to be waited for. */
export function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as Promise<T> | undefined | null)?.then === 'function';
}

/** Milliseconds on a clock that only goes forward. `performance` would load ten modules of Node before the first request. */
export const now = (): number => process.uptime() * 1000;

/** `ms` for a call, or less when the caller has less left. */
export function allow(of: () => string, ms: number, { signal, within }: Caller): Allowance {
  const began = now();
  const outer = within ?? (signal && allowances.get(signal));
  const rest = outer ? Math.max(0, outer.endsAt - began - MARGIN_MS) : Infinity;
  return rest < ms ? { of, ms: rest, endsAt: began + rest, outer } : { of, ms, endsAt: began + ms, outer: undefined };
}

/** The error for something that was late: how long it had, and in whose time. */
export function lateError(what: string, plugin: string, { ms, outer }: Allowance): TenonError {
  const chain: string[] = [];
  for (let around = outer; around; around = around.outer) chain.push(`${around.of()} (${Math.round(around.ms)} ms)`);
  const inside = chain.length === 0 ? '' : `, which is what was left to ${chain.join(', inside ')}`;
  return kernelErrors.create('KERNEL_DEADLINE', { what, plugin, ms: Math.round(ms), left: inside });
}

/** How long work may take, and on whose behalf it is done. */
export interface Limit extends Caller {
  /** Asked for when something can be late: most work answers at once, and should cost no more than that. */
  allowance(): Allowance;
  /** The error for work that is late. */
  late(allowance: Allowance): Error;
}

/** Gives what `work` gives, unless its time is up first (then the error of `late`) or the signal aborts (then its reason). */
export function withDeadline<T>(
  work: (call: { readonly signal: AbortSignal }) => T | Promise<T>,
  limit: Limit,
): T | Promise<T> {
  limit.signal?.throwIfAborted();
  const call = new LimitedCall(limit);
  let answer: T | Promise<T>;
  try {
    answer = work(call);
  } catch (fault) {
    call.end();
    throw fault;
  }
  if (isPromise(answer)) return call.wait(answer);
  // What is there at once cannot come too late.
  call.end();
  return answer;
}

/** One call under a deadline. A class, because an object literal with a getter costs twenty times as much to make. */
class LimitedCall {
  readonly #limit: Limit;
  #allowance: Allowance | undefined;
  #controller: AbortController | undefined;
  #stopped: { readonly reason: unknown } | undefined;
  #isOver = false;

  constructor(limit: Limit) {
    this.#limit = limit;
  }

  /** Made when somebody looks at it. Most handlers never do, and making one costs more than they do. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (!this.#isOver) allowances.set(this.#controller.signal, this.#time());
    }
    if (this.#stopped) this.#controller.abort(this.#stopped.reason);
    return this.#controller.signal;
  }

  #time(): Allowance {
    return (this.#allowance ??= this.#limit.allowance());
  }

  /** What the call leaves running in the background has no deadline any more. */
  end(): void {
    this.#isOver = true;
    if (this.#controller) allowances.delete(this.#controller.signal);
  }

  /** The answer, if it comes in time. */
  wait<T>(answer: Promise<T>): Promise<T> {
    const { signal: outer } = this.#limit;
    // Not `race` and `finally`: they make eight promises of one, for each handler of each hook.
    return new Promise<T>((resolve, reject) => {
      const last =
        <V>(settle: (value: V) => void) =>
        (value: V) => {
          this.end();
          clearTimeout(timer);
          outer?.removeEventListener('abort', onAbort);
          settle(value);
        };
      const stop = last((reason: unknown) => {
        this.#stopped = { reason };
        this.#controller?.abort(reason);
        reject(reason instanceof Error ? reason : new Error(String(reason)));
      });
      const onAbort = () => stop(outer?.reason);
      outer?.addEventListener('abort', onAbort, { once: true });
      const rest = this.#time().endsAt - now();
      const timer = Number.isFinite(rest) ? setTimeout(() => stop(this.#limit.late(this.#time())), rest) : undefined;
      answer.then(last(resolve), last(reject));
    });
  }
}
