/** Whether somebody can see the page. */

/** A short look at another tab is no reason to begin anew. */
const HIDDEN_MS = 2_000;

/** Resolves when the page is in view, or when `signal` aborts. */
export async function inView(signal: AbortSignal): Promise<void> {
  if (document.visibilityState === 'visible' || signal.aborted) return;
  await new Promise<void>((resolve) => {
    const look = () => {
      if (document.visibilityState !== 'visible' && !signal.aborted) return;
      removeEventListener('visibilitychange', look, true);
      signal.removeEventListener('abort', look);
      resolve();
    };
    addEventListener('visibilitychange', look, true);
    signal.addEventListener('abort', look);
  });
}

/** A signal that aborts when nobody has seen the page for a while; `end` stops watching. */
export function outOfView(): { readonly signal: AbortSignal; end(): void } {
  const hidden = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    clearTimeout(timer);
    if (document.visibilityState !== 'visible') timer = setTimeout(() => hidden.abort(), HIDDEN_MS);
  };
  addEventListener('visibilitychange', look, true);
  look();
  return {
    signal: hidden.signal,
    end() {
      clearTimeout(timer);
      removeEventListener('visibilitychange', look, true);
    },
  };
}
