/**
 * JSON-RPC 2.0 in both directions over a channel. Besides methods it carries references: a function that was sent can be
 * called from the other side (`call`), an abort signal that was sent aborts there too (`abort`). References sent with the
 * arguments of a call end with that call; those in a result live until the other side lets go of them (`release`).
 */
import type { Duplex } from 'node:stream';
import { errors } from '../errors.ts';
import { Channel, type ChannelLimits, type Violation } from './channel.ts';
import { type AnyFunction, type Exporter, type Importer, marshal, unmarshal, type Wire } from './marshal.ts';
import { References } from './references.ts';

/** Answers a method. `params` are still in wire form, so that the method decides how long references live. */
export type Method = (params: Wire[], peer: Peer) => unknown;

/** The method of this name, and not something that every object has. */
export function ownMethod(methods: Readonly<Record<string, Method>> | undefined, name: string): Method | undefined {
  return methods && Object.hasOwn(methods, name) ? methods[name] : undefined;
}

/** How one side of a connection is set up. */
export interface PeerOptions {
  readonly stream: Duplex;
  readonly limits: ChannelLimits;
  /** Calls that may be under way in each direction. */
  readonly maxPending: number;
  /** Finds the code that answers a method. */
  method(name: string): Method | undefined;
  /** Notifications, which nobody answers. */
  readonly notices?: Readonly<Record<string, (params: Wire[]) => void>>;
  /** The name of the pack, for messages. */
  readonly plugin: string;
  /** Whether stack traces may be told to the other side. */
  readonly stacks: boolean;
  /** Told when calls begin to wait for the other side and when none does any more. */
  onBusy?(busy: boolean): void;
  onViolation(kind: Violation, reason: string): void;
  /** The stream ended. Calls go on waiting until `close` is called by whoever knows why. */
  onClose(): void;
}

/** How one call is made. */
export interface CallOptions {
  readonly deadlineMs?: number;
  /** The error when the deadline passes. */
  readonly onDeadline?: () => Error;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(reason: unknown): void;
  readonly timer: NodeJS.Timeout | undefined;
  readonly sent: number[];
}

/** One side of a connection. */
export class Peer {
  readonly references: References;
  readonly #options: PeerOptions;
  readonly #channel: Channel;
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 1;
  #serving = 0;
  #closedBy: Error | undefined;

  constructor(options: PeerOptions) {
    this.#options = options;
    this.references = new References({
      stacks: options.stacks,
      notify: (method, params) => this.notify(method, params),
      call: (id, args) => this.callReference(id, args),
    });
    this.#channel = new Channel(options.stream, options.limits, {
      onMessage: (message) => this.#receive(message),
      onViolation: (kind, reason) => options.onViolation(kind, reason),
      onClose: () => options.onClose(),
    });
  }

  /** Ends the connection; calls that wait fail with `reason`. */
  close(reason: Error): void {
    if (this.#closedBy) return;
    this.#closedBy = reason;
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(reason);
    }
    this.#waiting.clear();
    this.references.abandon(reason);
    this.#options.onBusy?.(false);
    this.#channel.close();
  }

  /** Why the other side gives no sign of life, if it is its own flood of messages that holds everything up. */
  get floodReason(): string | undefined {
    return this.#channel.isFlooded ? this.#channel.floodText : undefined;
  }

  /** Sends a notification. */
  notify(method: string, params: Wire[]): void {
    this.#channel.send({ jsonrpc: '2.0', method, params });
  }

  /** Calls a method of the other side. */
  request(method: string, args: readonly unknown[], options: CallOptions = {}): Promise<unknown> {
    return this.#ask(method, args, (params) => params, options);
  }

  /** Calls a function that the other side sent. */
  callReference(id: number, args: readonly unknown[], options: CallOptions = {}): Promise<unknown> {
    return this.#ask('call', args, (params) => [id, params], options);
  }

  #ask(
    method: string,
    args: readonly unknown[],
    shape: (params: Wire[]) => Wire[],
    options: CallOptions,
  ): Promise<unknown> {
    const { plugin, maxPending } = this.#options;
    if (this.#closedBy) return Promise.reject(this.#closedBy);
    if (this.#waiting.size >= maxPending)
      return Promise.reject(errors.create('PACK_HOST_BUSY', { plugin, limit: maxPending }));
    const sent = this.references.open();
    let params: Wire[];
    try {
      params = args.map((arg) => marshal(arg, sent));
    } catch (fault) {
      this.references.release(sent.ids);
      return Promise.reject(fault);
    }
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      const { deadlineMs, onDeadline } = options;
      const expire = () =>
        this.#settle(id)?.reject(onDeadline?.() ?? new DOMException('the call took too long', 'TimeoutError'));
      const timer =
        deadlineMs === undefined || !Number.isFinite(deadlineMs) ? undefined : setTimeout(expire, deadlineMs);
      this.#waiting.set(id, { resolve, reject, timer, sent: sent.ids });
      if (this.#waiting.size === 1) this.#options.onBusy?.(true);
      this.#channel.send({ jsonrpc: '2.0', id, method, params: shape(params) });
    });
  }

  #settle(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    if (!waiting) return undefined;
    this.#waiting.delete(id);
    clearTimeout(waiting.timer);
    this.references.release(waiting.sent);
    if (this.#waiting.size === 0) this.#options.onBusy?.(false);
    return waiting;
  }

  #receive(message: Record<string, unknown>): void {
    const { id, method } = message;
    if (typeof method === 'string') {
      const params = message['params'] ?? [];
      if (!Array.isArray(params)) throw new TypeError(`the parameters of "${method}" are no list`);
      if (typeof id === 'number') void this.#serve(id, method, params as Wire[]);
      else this.#notice(method, params as Wire[]);
      return;
    }
    if (typeof id !== 'number') throw new TypeError('a message has neither a method nor a number');
    const waiting = this.#settle(id);
    if (!waiting) return; // It came after the deadline.
    const { error } = message as { error?: { data?: Wire; message?: unknown } };
    try {
      const importer = this.references.importer('result');
      if (error)
        waiting.reject(error.data === undefined ? new Error(String(error.message)) : unmarshal(error.data, importer));
      else waiting.resolve(unmarshal((message['result'] ?? null) as Wire, importer));
    } catch (fault) {
      waiting.reject(fault);
      throw fault;
    }
  }

  #notice(method: string, params: Wire[]): void {
    if (this.references.handle(method, params)) return;
    const { notices = {} } = this.#options;
    const notice = Object.hasOwn(notices, method) ? notices[method] : undefined;
    if (!notice) throw new TypeError(`there is no notification "${method}"`);
    notice(params);
  }

  async #serve(id: number, method: string, params: Wire[]): Promise<void> {
    const { maxPending, plugin } = this.#options;
    const kept = this.references.open();
    let answer: Record<string, unknown>;
    this.#serving++;
    try {
      if (this.#serving > maxPending) throw errors.create('PACK_HOST_BUSY', { plugin, limit: maxPending });
      answer = { result: marshal(await this.#dispatch(method, params), kept) };
    } catch (fault) {
      // What was already exported for a result that failed half way will never be released by the other side.
      this.references.release(kept.ids);
      answer = { error: this.#failure(fault) };
    } finally {
      this.#serving--;
    }
    this.#channel.send({ jsonrpc: '2.0', id, ...answer });
  }

  #failure(fault: unknown): Record<string, unknown> {
    const error = fault instanceof Error || fault instanceof DOMException ? fault : new Error(String(fault));
    return { code: -32_000, message: error.message, data: marshal(error, this.references.open()) };
  }

  async #dispatch(method: string, params: Wire[]): Promise<unknown> {
    if (method === 'call') {
      const [reference, args] = params;
      if (typeof reference !== 'number' || !Array.isArray(args))
        throw new TypeError('a call needs a reference and arguments');
      return this.serveArguments(args, (values) => this.references.invoke(reference, values));
    }
    const serve = this.#options.method(method);
    if (!serve) throw new TypeError(`there is no method "${method}"`);
    return serve(params, this);
  }

  /** Runs `work` with the arguments of one call; what came by reference with them ends when it ends. */
  async serveArguments<T>(params: Wire[], work: (values: unknown[]) => T | Promise<T>): Promise<T> {
    const importer = this.references.importer('call');
    try {
      return await work(params.map((param) => unmarshal(param, importer)));
    } finally {
      importer.end();
    }
  }

  /** Makes a value whose functions keep working until the connection ends. */
  marshalKept(value: unknown): Wire {
    return marshal(value, this.references.open());
  }
}

export type { AnyFunction, Exporter, Importer, Wire };
