/** Waiting that ends. */

/** The value, or a rejection with the signal's reason as soon as it aborts; what was begun may go on. */
export function within<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** The value, or `otherwise` when it does not come in time or fails. */
export async function orElse<T, O>(work: Promise<T>, milliseconds: number, otherwise: O): Promise<T | O> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<O>((resolve) => (timer = setTimeout(() => resolve(otherwise), milliseconds)));
  try {
    // A page that fails to answer is as good as one that does not answer; callers say what that means.
    return await Promise.race([work.catch(() => otherwise), late]);
  } finally {
    clearTimeout(timer);
  }
}
