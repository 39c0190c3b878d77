/** A signal of our own that follows another one. Cheaper than `AbortSignal.any`, which every request would pay several times. */
export interface HangUp {
  readonly signal: AbortSignal;
  /** The work has ended by itself: its listeners need no abort, which would be costly. */
  settle(): void;
  /** Stops following; work that still runs for the signal is aborted. */
  end(): void;
}

/** Shared, because making an error costs more than the abort itself and this one is never read. */
const LEFT = new DOMException('The caller no longer wants the answer', 'AbortError');

/** Begins to follow a signal. */
export function hangUpWith(outer: AbortSignal): HangUp {
  const controller = new AbortController();
  const follow = () => controller.abort(outer.reason);
  if (outer.aborted) follow();
  else outer.addEventListener('abort', follow, { once: true });
  let isSettled = false;
  const settle = () => {
    isSettled = true;
    outer.removeEventListener('abort', follow);
  };
  return {
    signal: controller.signal,
    settle,
    end() {
      if (isSettled) return;
      settle();
      controller.abort(LEFT);
    },
  };
}

/** The result of work that others may share, or a rejection when the signal aborts first. The work itself goes on. */
export function beforeAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
