import type { AnswerBuilder, Model, StreamEvent } from '@tenon/models/api';
import { CutOffError } from '../failure.ts';
import { type Ending, finished } from '../finish.ts';
import type { Mender } from '../mending/mended-fetch.ts';
import { type Fields, isFields, UnreadableAnswer } from '../mending/values.ts';
import { EventLines } from './event-lines.ts';
import type { AnswerReader, DirectProtocol } from './protocol.ts';

const DONE = '[DONE]';
/** Words that are no JSON are shorter. */
const SHORT = 16;
const SHOWN = 200;

/** Turns the bytes of one answer into its events. */
export class AnswerStream {
  readonly #answer: AnswerBuilder;
  readonly #model: Model;
  readonly #mender: Mender;
  readonly #reader: AnswerReader;
  readonly #lines = new EventLines((data, name) => this.#onEvent(data, name));
  /** The pieces of an answer that comes as a whole. */
  readonly #body: Uint8Array[] | undefined;
  #out: StreamEvent[] = [];
  #isOver = false;

  constructor(protocol: DirectProtocol, answer: AnswerBuilder, model: Model, contentType: string | undefined) {
    this.#answer = answer;
    this.#model = model;
    this.#mender = protocol.mender();
    this.#reader = protocol.reader(answer);
    if (this.#mender.whole && /application\/json/.test(contentType ?? '')) this.#body = [];
  }

  /** True when the last event has come. What follows it means nothing. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** The events in the next bytes go into `out`, also those before a fault. */
  take(bytes: Uint8Array, out: StreamEvent[]): void {
    this.#out = out;
    if (this.#body) this.#body.push(bytes);
    else this.#lines.take(bytes);
  }

  /** The connection has ended. Throws when the answer is not whole. */
  end(out: StreamEvent[]): void {
    this.#out = out;
    if (this.#body) this.#takeWhole(Buffer.concat(this.#body).toString());
    else this.#lines.end();
    if (!this.#isOver) this.#close(false);
    if (!this.#isOver) throw new CutOffError('the answer ended before it was whole');
  }

  #takeWhole(text: string): void {
    const answer = parsed(text);
    if (!isFields(answer)) throw new UnreadableAnswer(`${shown(text)} is not an answer`);
    for (const event of this.#mender.whole?.(answer) ?? []) this.#read(event);
  }

  #onEvent(data: string, name: string | undefined): void {
    if (this.#isOver) return;
    if (data.length < SHORT) {
      const word = data.trim();
      if (word === DONE) return this.#close(true);
      if (word === '') return; // Keeps the connection open, and means nothing.
    }
    const event = parsed(data);
    // A number, a text: nothing that an answer is made of.
    if (isFields(event)) for (const mended of this.#mender.take(event, name)) this.#read(mended);
  }

  #close(isSaid: boolean): void {
    for (const event of this.#mender.end(isSaid)) this.#read(event);
    if (!this.#isOver) this.#finish(this.#reader.end(this.#out));
  }

  #read(event: Fields): void {
    if (!this.#isOver) this.#finish(this.#reader.take(event, this.#out));
  }

  #finish(ending: Ending | undefined): void {
    if (!ending) return;
    this.#out.push(...finished(this.#answer, this.#model, ending));
    this.#isOver = true;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // The position that the parser names says less than the text itself.
    throw new UnreadableAnswer(`${shown(text)} is not JSON`);
  }
}

function shown(text: string): string {
  return `\`${text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text}\``;
}
