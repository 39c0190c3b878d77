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
