/** What a handler gets beside its input. */
interface Call {
  readonly signal: AbortSignal;
}

/** A signal that is made when somebody looks at it. Most handlers never do, and making one costs more than they do. */
function lazyCall(): { readonly call: Call; stop(reason: unknown): void } {
  let controller: AbortController | undefined;
  let stopped: { readonly reason: unknown } | undefined;
  return {
    call: {
      get signal() {
        controller ??= new AbortController();
        if (stopped) controller.abort(stopped.reason);
        return controller.signal;
      },
    },
    stop(reason) {
      stopped = { reason };
      controller?.abort(reason);
    },
  };
}

/** Gives what `work` gives, unless `ms` pass first (then `onTimeout`'s error) or `signal` aborts (then its reason). */
export function withDeadline<T>(
  work: (call: Call) => T | Promise<T>,
  options: { ms: number; signal?: AbortSignal | undefined; onTimeout: () => Error },
): T | Promise<T> {
  options.signal?.throwIfAborted();
  const { call, stop } = lazyCall();
  const answer = work(call);
  // What is there at once cannot come too late.
  return isPromise(answer) ? inTime(answer, stop, options) : answer;
}

/** True for what has to be waited for. */
export function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as Promise<T> | undefined | null)?.then === 'function';
}

async function inTime<T>(
  answer: Promise<T>,
  stopWork: (reason: unknown) => void,
  { ms, signal: outer, onTimeout }: { ms: number; signal?: AbortSignal | undefined; onTimeout: () => Error },
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  const interrupted = new Promise<never>((_, reject) => {
    const stop = (reason: unknown) => {
      stopWork(reason);
      reject(reason instanceof Error ? reason : new Error(String(reason)));
    };
    if (outer) {
      onAbort = () => stop(outer.reason);
      outer.addEventListener('abort', onAbort, { once: true });
    }
    if (Number.isFinite(ms)) timer = setTimeout(() => stop(onTimeout()), ms);
  });
  // When the work wins, nobody listens to the other promise any more.
  interrupted.catch(() => undefined);
  try {
    return await Promise.race([answer, interrupted]);
  } finally {
    clearTimeout(timer);
    if (onAbort) outer?.removeEventListener('abort', onAbort);
  }
}
