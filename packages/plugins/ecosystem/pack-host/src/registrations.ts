/**
 * What a pack has registered, seen from Tenon. A registration outlives the host process that made it: after a restart the
 * pack registers anew, and the same stand-ins then lead to the functions of the new process.
 */
import type { Disposable } from '@tenon/kernel';
import { errors } from './errors.ts';
import { type AnyFunction, unmarshal, type Wire } from './wire/marshal.ts';

/** A connection to one host process, as far as registrations care. */
export interface Caller {
  callReference(id: number, args: readonly unknown[]): Promise<unknown>;
}

/** Gives the current connection; starts the host if it is down. `until` says whether the caller can be used already. */
export type Connect<C extends Caller> = (isBound: (caller: C) => boolean) => Promise<C>;

interface Registered<C> {
  readonly key: string;
  /** The functions inside the value, by their place in it. */
  functions: Map<string, number>;
  boundTo: C | undefined;
  disposable: Disposable | undefined;
}

/** The registrations of one pack. */
export class Registrations<C extends Caller> {
  readonly #plugin: string;
  readonly #connect: Connect<C>;
  readonly #records = new Map<string, Registered<C>>();
  /** How many registrations of the same name this host process has made. */
  #counts = new Map<string, number>();

  constructor(plugin: string, connect: Connect<C>) {
    this.#plugin = plugin;
    this.#connect = connect;
  }

  /** A new host process begins to register. */
  restart(): void {
    this.#counts = new Map();
  }

  /** Takes a registration; `publish` is called unless an earlier process of the same pack made it already. */
  async take(
    name: string,
    wire: Wire,
    caller: C,
    publish: (value: unknown) => Disposable | Promise<Disposable>,
  ): Promise<string> {
    const count = this.#counts.get(name) ?? 0;
    this.#counts.set(name, count + 1);
    const key = `${name}#${count}`;
    const known = this.#records.get(key);
    const record: Registered<C> = known ?? { key, functions: new Map(), boundTo: undefined, disposable: undefined };
    record.boundTo = caller;
    record.functions = new Map();
    const value = unmarshal(wire, {
      importFunction: (id, path) => {
        record.functions.set(path, id);
        return this.#standIn(record, path);
      },
      importSignal: () => new AbortController().signal,
    });
    this.#records.set(key, record);
    if (!known) record.disposable = await publish(value);
    return key;
  }

  /** Undoes a registration at the pack's wish. */
  async drop(key: string): Promise<void> {
    const record = this.#records.get(key);
    this.#records.delete(key);
    await record?.disposable?.dispose();
  }

  #standIn(record: Registered<C>, path: string): AnyFunction {
    return async (...args) => {
      const caller = await this.#connect((current) => record.boundTo === current);
      const id = record.boundTo === caller ? record.functions.get(path) : undefined;
      if (id !== undefined) return caller.callReference(id, args);
      const reason = `it was restarted and did not register ${record.key.split('#')[0]} again`;
      throw errors.create('PACK_HOST_STOPPED', { plugin: this.#plugin, reason });
    };
  }
}
