/** True for what has to be waited for. */
export function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as Promise<T> | undefined | null)?.then === 'function';
}

/** Gives what `work` gives, unless `ms` pass first (then `onTimeout`'s error) or `signal` aborts (then its reason). */
export function withDeadline<T>(
  work: (call: { readonly signal: AbortSignal }) => T | Promise<T>,
  { ms, signal: outer, onTimeout }: { ms: number; signal?: AbortSignal | undefined; onTimeout: () => Error },
): T | Promise<T> {
  outer?.throwIfAborted();
  let controller: AbortController | undefined;
  let stopped: { readonly reason: unknown } | undefined;
  const answer = work({
    // Made when somebody looks at it. Most handlers never do, and making one costs more than they do.
    get signal() {
      controller ??= new AbortController();
      if (stopped) controller.abort(stopped.reason);
      return controller.signal;
    },
  });
  // What is there at once cannot come too late.
  if (!isPromise(answer)) return answer;
  let stop: (reason: unknown) => void = () => undefined;
  const interrupted = new Promise<never>((_, reject) => {
    stop = (reason) => {
      stopped = { reason };
      controller?.abort(reason);
      reject(reason instanceof Error ? reason : new Error(String(reason)));
    };
  });
  // When the work wins, nobody listens to the other promise any more.
  interrupted.catch(() => undefined);
  const onAbort = () => stop(outer?.reason);
  outer?.addEventListener('abort', onAbort, { once: true });
  const timer = Number.isFinite(ms) ? setTimeout(() => stop(onTimeout()), ms) : undefined;
  return Promise.race([answer, interrupted]).finally(() => {
    clearTimeout(timer);
    outer?.removeEventListener('abort', onAbort);
  });
}
