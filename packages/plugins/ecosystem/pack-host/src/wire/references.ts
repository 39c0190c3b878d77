import { errors } from '../errors.ts';
import { type AnyFunction, type Exporter, type Importer, marshal, unmarshal, type Wire } from './marshal.ts';

/** More references than this are a leak. */
const MAX_REFERENCES = 20_000;

/** An exporter that remembers what it exported. */
export interface OpenExporter extends Exporter {
  readonly ids: number[];
}

/** An importer whose signals can be let go. */
export interface ClosableImporter extends Importer {
  end(): void;
}

/** What this side lent to the other by number, and what it borrowed. */
export class References {
  readonly #lent = new Map<number, AnyFunction | { signal: AbortSignal; stop: () => void }>();
  readonly #borrowedSignals = new Map<number, AbortController>();
  readonly #stacks: boolean;
  readonly #notify: (method: string, params: Wire[]) => void;
  readonly #call: (id: number, args: readonly unknown[]) => Promise<unknown>;
  /** Tells the other side when nobody here can use a borrowed function any more. */
  readonly #collected = new FinalizationRegistry<number>((id) => this.#notify('release', [id]));
  #next = 1;

  constructor(parts: {
    stacks: boolean;
    notify: (method: string, params: Wire[]) => void;
    call: (id: number, args: readonly unknown[]) => Promise<unknown>;
  }) {
    this.#stacks = parts.stacks;
    this.#notify = parts.notify;
    this.#call = parts.call;
  }

  /** An exporter for one message. */
  open(): OpenExporter {
    const ids: number[] = [];
    const lend = (what: AnyFunction | { signal: AbortSignal; stop: () => void }): number => {
      if (this.#lent.size >= MAX_REFERENCES)
        throw new RangeError(`more than ${MAX_REFERENCES} functions are lent to the other side`);
      const id = this.#next++;
      this.#lent.set(id, what);
      ids.push(id);
      return id;
    };
    return {
      ids,
      stacks: this.#stacks,
      exportFunction: lend,
      exportSignal: (signal) => {
        const abort = () => this.#notify('abort', [id, marshal(signal.reason, this.open())]);
        const id = lend({ signal, stop: () => signal.removeEventListener('abort', abort) });
        signal.addEventListener('abort', abort, { once: true });
        return id;
      },
    };
  }

  /** An importer: for the arguments of a call, or for a result, which lives as long as somebody holds it. */
  importer(life: 'call' | 'result'): ClosableImporter {
    const signals: number[] = [];
    let ended = false;
    return {
      importFunction: (id) => {
        const borrowed: AnyFunction = (...args) => {
          if (ended) return Promise.reject(errors.create('PACK_HOST_RELEASED'));
          return this.#call(id, args);
        };
        if (life === 'result') this.#collected.register(borrowed, id);
        return borrowed;
      },
      importSignal: (id, aborted, reason) => {
        if (aborted) return AbortSignal.abort(reason);
        const controller = this.#borrowedSignals.get(id) ?? new AbortController();
        this.#borrowedSignals.set(id, controller);
        signals.push(id);
        return controller.signal;
      },
      end: () => {
        ended = true;
        for (const id of signals) this.#borrowedSignals.delete(id);
      },
    };
  }

  /** Takes back what was lent. */
  release(ids: readonly number[]): void {
    for (const id of ids) {
      const lent = this.#lent.get(id);
      if (typeof lent === 'object') lent.stop();
      this.#lent.delete(id);
    }
  }

  /** Calls a function that was lent. */
  invoke(id: number, args: unknown[]): unknown {
    const lent = this.#lent.get(id);
    if (typeof lent !== 'function') throw errors.create('PACK_HOST_RELEASED');
    return lent(...args);
  }

  /** Handles the notifications about references; false for any other. */
  handle(method: string, params: Wire[]): boolean {
    const [id, reason] = params;
    if (method === 'release') this.release(params.filter((param) => typeof param === 'number'));
    else if (method === 'abort' && typeof id === 'number') {
      this.#borrowedSignals.get(id)?.abort(unmarshal(reason ?? null, this.importer('call')));
      this.#borrowedSignals.delete(id);
    } else return false;
    return true;
  }

  /** Ends everything lent and borrowed: signals that came from the other side abort, since nobody can abort them now. */
  abandon(reason: Error): void {
    this.release([...this.#lent.keys()]);
    for (const controller of this.#borrowedSignals.values()) controller.abort(reason);
    this.#borrowedSignals.clear();
  }

  /** How many references are lent, for leak checks. */
  get lent(): number {
    return this.#lent.size;
  }
}
