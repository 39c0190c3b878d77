/** Gives what `work` gives, unless `ms` pass first (then `onTimeout`'s error) or `signal` aborts (then its reason). */
export async function withDeadline<T>(
  work: (signal: AbortSignal) => T | Promise<T>,
  options: { ms: number; signal?: AbortSignal | undefined; onTimeout: () => Error },
): Promise<T> {
  options.signal?.throwIfAborted();
  const controller = new AbortController();
  const outer = options.signal;
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  const interrupted = new Promise<never>((_, reject) => {
    const stop = (reason: unknown) => {
      controller.abort(reason);
      reject(reason instanceof Error ? reason : new Error(String(reason)));
    };
    if (outer) {
      onAbort = () => stop(outer.reason);
      outer.addEventListener('abort', onAbort, { once: true });
    }
    if (Number.isFinite(options.ms)) timer = setTimeout(() => stop(options.onTimeout()), options.ms);
  });
  // When the work wins, nobody listens to the other promise any more.
  interrupted.catch(() => undefined);
  try {
    return await Promise.race([work(controller.signal), interrupted]);
  } finally {
    clearTimeout(timer);
    if (onAbort) outer?.removeEventListener('abort', onAbort);
  }
}
