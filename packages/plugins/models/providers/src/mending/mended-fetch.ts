/**
 * Lets servers differ from the protocol they copy. The SDK checks every event against a strict schema and fails the whole answer for
 * a missing field that nobody reads; so each event is read here first, and completed from what came before it.
 */
import { EventLines } from '../direct/event-lines.ts';
import { type Fields, isFields } from './values.ts';

/** Completes the events of one answer. */
export interface Mender {
  /** The events that one event means, complete; none when it means nothing to us. */
  take(event: Fields, type: string | undefined): readonly Fields[];
  /** What is still missing at the end. `said` is true when the server itself said that this is the end (`[DONE]`). */
  end(said: boolean): readonly Fields[];
  /** The events of an answer that came as a whole, from a server that does not stream. */
  whole?(answer: Fields): readonly Fields[];
}

/** A fetch whose event streams are mended. */
export function mendedFetch(fetch: typeof globalThis.fetch, menderOf: () => Mender): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (!response.ok || !response.body) return response;
    const events = new EventMender(menderOf());
    return Object.defineProperty(response, 'body', { value: mended(response.body, events), configurable: true });
  };
}

/** Reads only when asked, so that a slow consumer slows the provider. */
function mended(body: ReadableStream<Uint8Array>, events: EventMender): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          const { done, value } = await reader.read();
          const text = done ? events.end() : events.take(value);
          if (text !== '') controller.enqueue(encoder.encode(text));
          if (done) return controller.close();
          if (text !== '') return;
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

const DONE = '[DONE]';

class EventMender {
  readonly #mender: Mender;
  readonly #lines = new EventLines((data, name) => this.#onEvent(data, name));
  #out: string[] = [];
  #isOver = false;

  constructor(mender: Mender) {
    this.#mender = mender;
  }

  take(bytes: Uint8Array): string {
    this.#lines.take(bytes);
    return this.#taken();
  }

  end(): string {
    this.#lines.end();
    if (!this.#isOver) this.#out.push(...this.#mender.end(false).map(frame));
    return this.#taken();
  }

  #taken(): string {
    const out = this.#out.join('');
    this.#out = [];
    return out;
  }

  #onEvent(data: string, name: string | undefined): void {
    if (data.trim() === DONE) {
      this.#isOver = true;
      this.#out.push(...this.#mender.end(true).map(frame), `data: ${DONE}\n\n`);
      return;
    }
    const event = parsed(data);
    if (event === undefined) return void this.#out.push(`data: ${data}\n\n`);
    // A comment, a keep-alive, a number: nothing that an answer is made of.
    if (isFields(event)) this.#out.push(...this.#mender.take(event, name).map(frame));
  }
}

function frame(event: Fields): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // Passed on as it is: the SDK's error quotes it.
  }
}
