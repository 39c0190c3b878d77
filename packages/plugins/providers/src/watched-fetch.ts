import { StallError } from './failure.ts';
import { environmentFetch } from './proxy.ts';

/** A fetch that gives up when nothing comes for `stallMs`: neither headers nor another piece of the body. */
export function watchedFetch(stallMs: number): typeof fetch {
  return async (input, init) => {
    const watchdog = new AbortController();
    const stalled = () =>
      watchdog.abort(
        new StallError(`nothing came for ${Math.round(stallMs / 100) / 10} s, the connection was given up`),
      );
    let timer = setTimeout(stalled, stallMs);
    const signal = init?.signal ? AbortSignal.any([init.signal, watchdog.signal]) : watchdog.signal;
    let response: Response;
    try {
      response = await environmentFetch(input, { ...init, signal });
    } catch (fault) {
      clearTimeout(timer);
      throw fault;
    }
    if (!response.body) {
      clearTimeout(timer);
      return response;
    }
    const reader = response.body.getReader();
    // Written by hand and not as a TransformStream: it must read only when asked, so that a slow consumer slows the provider.
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          clearTimeout(timer);
          timer = setTimeout(stalled, stallMs);
          try {
            const { done, value } = await reader.read();
            if (done) controller.close();
            else controller.enqueue(value);
          } catch (fault) {
            controller.error(watchdog.signal.aborted ? watchdog.signal.reason : fault);
          } finally {
            clearTimeout(timer);
          }
        },
        cancel: (reason) => reader.cancel(reason),
      },
      { highWaterMark: 0 },
    );
    const { status, statusText, headers } = response;
    return new Response(body, { status, statusText, headers });
  };
}
