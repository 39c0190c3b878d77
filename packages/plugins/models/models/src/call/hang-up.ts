/** A signal of our own that follows another one. Cheaper than `AbortSignal.any`, which every request would pay several times. */
export interface HangUp {
  readonly signal: AbortSignal;
  /** The work has ended by itself: whoever listens to the signal need not be told any more, which costs more than one thinks. */
  settle(): void;
  /** Stops following; whoever still works for the signal is told to stop. */
  end(): void;
}

/** Shared, because the making of an error costs more than the abort itself and nobody reads this one. */
const LEFT = new DOMException('Whoever wanted the answer has left', 'AbortError');

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
