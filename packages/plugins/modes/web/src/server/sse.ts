/** Streams of events to clients (`text/event-stream`). */
import type { LoggedEvent } from './event-log.ts';

/** A connection on which nothing happens is told so, that proxies keep it and a dead one is noticed. */
const BEAT_MS = 15_000;
/** What is written ahead of a client that reads slowly. Events can be large, so bytes count. */
const AHEAD_BYTES = 64 * 1024;
const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
};

/** Thrown by a source: the connection ends here, and a client that comes back is told why. */
export class StreamCut extends Error {}

/** The answer that streams events until the client goes or `signal` aborts. `undefined` tells the client to load everything anew; the last event is `over`. */
export function eventStream(
  events: (signal: AbortSignal) => AsyncIterable<LoggedEvent | undefined>,
  signal: AbortSignal,
  beatMs = BEAT_MS,
): Response {
  const encoder = new TextEncoder();
  const gone = new AbortController();
  const until = AbortSignal.any([gone.signal, signal]);
  let iterator: AsyncIterator<LoggedEvent | undefined>;
  let beat: ReturnType<typeof setInterval>;
  const stop = () => {
    gone.abort();
    clearInterval(beat);
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        iterator = events(until)[Symbol.asyncIterator]();
        controller.enqueue(encoder.encode(': connected\n\n'));
        beat = setInterval(() => {
          if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(': beat\n\n'));
        }, beatMs);
        beat.unref();
      },
      // Asked only when the client has room: one that does not read costs no memory.
      async pull(controller) {
        let next: IteratorResult<LoggedEvent | undefined>;
        try {
          next = await iterator.next();
        } catch (fault) {
          // The client loses its connection and comes back; nothing beats for it meanwhile.
          stop();
          if (!(fault instanceof StreamCut)) throw fault;
          return controller.close();
        }
        const { value, done } = next;
        if (!done && value) return controller.enqueue(encoder.encode(textOf(value)));
        // A server that ends is not the end of what it tells: who follows comes back to the next one.
        if (done && signal.aborted) {
          stop();
          return controller.close();
        }
        // Told, so that a client which lost its connection does not take that for the end.
        controller.enqueue(encoder.encode(`event: ${done ? 'over' : 'reset'}\ndata: {}\n\n`));
        stop();
        controller.close();
      },
      cancel: stop,
    },
    { highWaterMark: AHEAD_BYTES, size: ({ byteLength }) => byteLength },
  );
  return new Response(body, { headers: HEADERS });
}

function textOf({ id, type, json }: LoggedEvent): string {
  return `id: ${id}\nevent: ${type}\ndata: ${json}\n\n`;
}
