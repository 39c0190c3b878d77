/** One connection to a debug adapter: requests with time limits, events, and requests of the adapter's own. */
import { messageOf } from '@tenon/kernel';
import { errors } from '../errors.ts';
import type { DapChannel } from './channel.ts';

/** Limits of one request. */
export interface RequestLimits {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** What an adapter may ask and tell. */
export interface AdapterListener {
  event(name: string, body: Readonly<Record<string, unknown>>): void;
  /** Answers a request of the adapter. A rejection is told to the adapter. */
  request(command: string, args: Readonly<Record<string, unknown>>): Promise<object>;
  end(reason: string): void;
}

interface Pending {
  readonly command: string;
  resolve(body: Readonly<Record<string, unknown>>): void;
  reject(fault: unknown): void;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const recordOf = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});

/** Talks to one adapter. */
export class DapClient {
  readonly #name: string;
  readonly #channel: DapChannel;
  readonly #listener: AdapterListener;
  readonly #pending = new Map<number, Pending>();
  #sequence = 0;
  #endReason: string | undefined;

  constructor(name: string, channel: DapChannel, listener: AdapterListener) {
    this.#name = name;
    this.#channel = channel;
    this.#listener = listener;
    channel.listen({ message: (message) => this.#take(message), end: (reason) => this.#finish(reason) });
  }

  /** Why no request can be sent any more. */
  get endReason(): string | undefined {
    return this.#endReason;
  }

  /** Sends a request; gives the body of the answer. */
  request(command: string, args: object, { timeoutMs, signal }: RequestLimits): Promise<Record<string, unknown>> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      if (this.#endReason !== undefined) return reject(this.#ended());
      const seq = ++this.#sequence;
      const settle = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        this.#pending.delete(seq);
      };
      const abort = () => {
        settle();
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        settle();
        reject(errors.create('DEBUG_TIMEOUT', { command, seconds: String(Math.round(timeoutMs / 1000)) }));
      }, timeoutMs);
      signal?.addEventListener('abort', abort, { once: true });
      this.#pending.set(seq, {
        command,
        resolve: (body) => (settle(), resolve(body)),
        reject: (fault) => (settle(), reject(fault)),
      });
      this.#channel.send({ seq, type: 'request', command, arguments: args });
    });
  }

  /** Ends the connection. */
  close(): void {
    this.#channel.close();
  }

  #take(message: unknown): void {
    if (!isRecord(message)) return; // An adapter that sends nonsense gets no answer; its requests time out.
    if (message['type'] === 'response') this.#settle(message);
    else if (message['type'] === 'event' && typeof message['event'] === 'string')
      this.#listener.event(message['event'], recordOf(message['body']));
    else if (message['type'] === 'request' && typeof message['command'] === 'string')
      void this.#answer(message['command'], message['seq'], recordOf(message['arguments']));
  }

  #settle(message: Record<string, unknown>): void {
    const pending = this.#pending.get(Number(message['request_seq']));
    if (pending === undefined) return; // It came too late, or was never asked for.
    if (message['success'] === true) pending.resolve(recordOf(message['body']));
    else
      pending.reject(errors.create('DEBUG_REQUEST_FAILED', { command: pending.command, reason: refusalText(message) }));
  }

  async #answer(command: string, requestSeq: unknown, args: Record<string, unknown>): Promise<void> {
    const head = { type: 'response', request_seq: requestSeq, command };
    try {
      const body = await this.#listener.request(command, args);
      this.#channel.send({ seq: ++this.#sequence, ...head, success: true, body });
    } catch (fault) {
      this.#channel.send({ seq: ++this.#sequence, ...head, success: false, message: messageOf(fault) });
    }
  }

  #ended() {
    return errors.create('DEBUG_ADAPTER_ENDED', { adapter: this.#name, reason: this.#endReason ?? 'it was closed' });
  }

  #finish(reason: string): void {
    if (this.#endReason !== undefined) return;
    this.#endReason = reason;
    for (const pending of [...this.#pending.values()]) pending.reject(this.#ended());
    this.#listener.end(reason);
  }
}

/** Adapters say why in `body.error.format`, with variables in it, or in `message`. */
function refusalText(message: Record<string, unknown>): string {
  const error = recordOf(recordOf(message['body'])['error']);
  const format = error['format'];
  const variables = recordOf(error['variables']);
  const long =
    typeof format === 'string'
      ? format.replace(/\{(\w+)\}/g, (whole, name: string) => String(variables[name] ?? whole))
      : '';
  const short = typeof message['message'] === 'string' ? message['message'] : '';
  return [long, short].find((text) => text.trim() !== '')?.trim() ?? 'it gave no reason.';
}
