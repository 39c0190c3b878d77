import { StallError } from './failure.ts';
import { environmentFetch } from './proxy.ts';

/** How it shows that the server had closed a kept connection before the request came. */
const CLOSED_BEFORE = /ECONNRESET|EPIPE|UND_ERR_SOCKET/;

/**
 * Small servers close connections after seconds, and that is noticed only by the next request on one. It never reached
 * anybody, so it is sent once more at once; a server that is really down refuses that one, too.
 */
async function onOpenSocket(input: Parameters<typeof fetch>[0], init: RequestInit): Promise<Response> {
  try {
    return await environmentFetch(input, init);
  } catch (fault) {
    const cause = fault instanceof Error ? (fault.cause as { code?: unknown } | undefined) : undefined;
    const isClosed = CLOSED_BEFORE.test(String(cause?.code)) && typeof init.body === 'string' && !init.signal?.aborted;
    if (!isClosed) throw fault;
    return environmentFetch(input, init);
  }
}

/** A fetch that gives up when nothing comes for `stallMs`: neither headers nor another piece of the body. */
export function watchedFetch(stallMs: number): typeof fetch {
  return async (input, init) => {
    // Follows the caller's signal by hand: `AbortSignal.any` costs several times as much, for every request.
    const watchdog = new AbortController();
    const outer = init?.signal;
    const follow = () => watchdog.abort(outer?.reason);
    if (outer?.aborted) follow();
    else outer?.addEventListener('abort', follow, { once: true });
    const stalled = () =>
      watchdog.abort(
        new StallError(`nothing came for ${Math.round(stallMs / 100) / 10} s, the connection was given up`),
      );
    let timer = setTimeout(stalled, stallMs);
    const end = () => {
      clearTimeout(timer);
      outer?.removeEventListener('abort', follow);
    };
    let response: Response;
    try {
      response = await onOpenSocket(input, { ...init, signal: watchdog.signal });
    } catch (fault) {
      end();
      throw fault;
    }
    if (!response.body) {
      end();
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
            if (!done) return controller.enqueue(value);
            end();
            controller.close();
          } catch (fault) {
            end();
            controller.error(watchdog.signal.aborted ? watchdog.signal.reason : fault);
          } finally {
            clearTimeout(timer);
          }
        },
        cancel(reason) {
          end();
          return reader.cancel(reason);
        },
      },
      { highWaterMark: 0 },
    );
    // An answer is read as a stream: another body is enough, and costs much less than another response.
    if (response.ok) return Object.defineProperty(response, 'body', { value: body, configurable: true });
    const { status, statusText, headers } = response;
    return new Response(body, { status, statusText, headers });
  };
}
