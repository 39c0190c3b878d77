/**
 * Lets servers differ from the protocol they copy. The SDK checks every event against a strict schema and fails the whole answer for
 * a missing `created_at`; so each event is read here first, and completed from what came before it.
 */
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { Fields } from './values.ts';
import { isFields } from './values.ts';

/** Completes the events of one answer. */
export interface Mender {
  /** The events that one event means, complete; none when it means nothing to us. The same object when nothing was missing. */
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
    const type = response.headers.get('content-type') ?? '';
    const mender = menderOf();
    const events = new EventMender(mender, /application\/json/.test(type) && mender.whole !== undefined);
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
  readonly #asWhole: boolean;
  readonly #decoder = new TextDecoder();
  readonly #parser = createParser({ onEvent: (event) => this.#onEvent(event) });
  #out: string[] = [];
  #body = '';
  #isOver = false;

  constructor(mender: Mender, asWhole: boolean) {
    this.#mender = mender;
    this.#asWhole = asWhole;
  }

  take(bytes: Uint8Array): string {
    return this.#read(this.#decoder.decode(bytes, { stream: true }));
  }

  /** The last event counts also without the empty line that should follow it. */
  end(): string {
    const rest = this.#read(`${this.#decoder.decode()}${this.#asWhole ? '' : '\n\n'}`);
    const whole = this.#asWhole ? this.#wholeAnswer() : '';
    return rest + whole + (this.#isOver ? '' : this.#mender.end(false).map(frame).join(''));
  }

  #read(text: string): string {
    if (this.#asWhole) this.#body += text;
    else this.#parser.feed(text);
    const out = this.#out.join('');
    this.#out = [];
    return out;
  }

  #wholeAnswer(): string {
    const answer = parsed(this.#body);
    // What is no JSON is passed on: the SDK's error shows it.
    return isFields(answer) ? (this.#mender.whole?.(answer) ?? []).map(frame).join('') : `data: ${this.#body}\n\n`;
  }

  #onEvent({ data, event: type }: EventSourceMessage): void {
    if (data.trim() === DONE) {
      this.#isOver = true;
      this.#out.push(...this.#mender.end(true).map(frame), `data: ${DONE}\n\n`);
      return;
    }
    const event = parsed(data);
    if (event === undefined) return void this.#out.push(`data: ${data}\n\n`);
    // A comment, a keep-alive, a number: nothing that an answer is made of.
    if (!isFields(event)) return;
    for (const mended of this.#mender.take(event, type))
      this.#out.push(mended === event ? `data: ${data.replaceAll('\n', '\ndata: ')}\n\n` : frame(mended));
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
