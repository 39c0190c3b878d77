/** Masks secrets in the events of a worker, also where a text comes in parts and a secret is cut in two. */
import type { WorkerEvent } from '@tenon/workers/api';
import type { SecretMask } from './mask.ts';

type TextEvent = Extract<WorkerEvent, { type: 'text' | 'thinking' }>;

/** Follows the events of one process. */
export class EventMask {
  readonly #mask: SecretMask;
  /** The end of a text that goes on and may be the beginning of a secret. */
  #held: TextEvent | undefined;

  constructor(mask: SecretMask) {
    this.#mask = mask;
  }

  /** The events without secrets. The end of the last text may come with the next call. */
  push(events: readonly WorkerEvent[]): readonly WorkerEvent[] {
    return this.#mask.isEmpty ? events : events.flatMap((event) => this.#next(event));
  }

  /** Nothing more comes. */
  end(): readonly WorkerEvent[] {
    const held = this.#held;
    this.#held = undefined;
    return held === undefined ? [] : [this.#mask.value(held)];
  }

  #next(event: WorkerEvent): readonly WorkerEvent[] {
    if (!isDelta(event)) return [...this.end(), this.#mask.value(event)];
    const before = this.#held?.type === event.type ? [] : this.end();
    const text = (this.#held?.text ?? '') + event.text;
    const length = this.#mask.wholeLength(text);
    this.#held = length === text.length ? undefined : { ...event, text: text.slice(length) };
    const whole = length === 0 ? [] : [{ ...event, text: this.#mask.text(text.slice(0, length)) }];
    return [...before, ...whole];
  }
}

function isDelta(event: WorkerEvent): event is TextEvent {
  return (event.type === 'text' || event.type === 'thinking') && event.delta === true;
}
