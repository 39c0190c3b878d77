import type { StreamEvent } from '../stream.ts';

type Delta = Extract<StreamEvent, { delta: string }>;

/** How deltas are joined. */
export interface BatchOptions {
  /** Deltas of one block are joined for this long; 0 passes everything on at once. */
  readonly intervalMs: number;
  /** More than this many characters or events are not held: the provider has to wait for the consumer. */
  readonly maxHeld?: number;
}

const MAX_EVENTS = 64;

/**
 * Joins deltas of the same block that come close together, and slows the provider down to the consumer's speed.
 * The first delta passes at once, so that the user sees the answer begin.
 */
export async function* batchDeltas(
  source: AsyncIterable<StreamEvent>,
  { intervalMs, maxHeld = 64 * 1024 }: BatchOptions,
): AsyncGenerator<StreamEvent> {
  const queue: StreamEvent[] = [];
  let pending: Delta | undefined;
  let ended = false;
  let fault: { readonly thrown: unknown } | undefined;
  let wakeConsumer = () => {};
  let wakeSource = () => {};
  const consumer = { hasLeft: false };

  const take = (event: StreamEvent): void => {
    if (!isDelta(event)) {
      if (pending) queue.push(pending);
      pending = undefined;
      queue.push(event);
    } else if (pending?.type === event.type && pending.contentIndex === event.contentIndex) {
      pending = { ...event, delta: pending.delta + event.delta };
    } else {
      if (pending) queue.push(pending);
      pending = event;
    }
  };
  const isFull = () => queue.length >= MAX_EVENTS || (pending?.delta.length ?? 0) >= maxHeld;

  const pump = (async () => {
    try {
      for await (const event of source) {
        take(event);
        wakeConsumer();
        while (isFull() && !consumer.hasLeft) await new Promise<void>((resolve) => (wakeSource = resolve));
        if (consumer.hasLeft) return;
      }
    } catch (thrown) {
      fault = { thrown };
    } finally {
      ended = true;
      wakeConsumer();
    }
  })();

  let last = 0;
  try {
    for (;;) {
      const wait = pending && !ended && !isFull() ? last + intervalMs - Date.now() : 0;
      const next = queue.shift() ?? (wait <= 0 ? pending : undefined);
      if (next) {
        if (next === pending) pending = undefined;
        if (isDelta(next)) last = Date.now();
        wakeSource();
        yield next;
      } else if (!pending && ended) break;
      else {
        await new Promise<void>((resolve) => {
          const timer = pending ? setTimeout(resolve, wait) : undefined;
          wakeConsumer = () => {
            // More of the same delta is no reason to wake early.
            if (queue.length === 0 && pending && !ended && !isFull() && timer !== undefined) return;
            clearTimeout(timer);
            resolve();
          };
        });
      }
    }
    if (fault) throw fault.thrown;
  } finally {
    consumer.hasLeft = true;
    wakeSource();
    if (ended) await pump;
  }
}

function isDelta(event: StreamEvent): event is Delta {
  return 'delta' in event;
}
