import { plain } from './plain.ts';
import type { Callback } from './registrations.ts';

/** `pi.events`: a bus that all extensions of a folder share. What is told by another one arrives a moment later, as a copy. */
export class EventBus {
  readonly #listeners = new Map<string, Set<Callback>>();
  readonly #tellOthers: (channel: string, data: unknown) => void;
  readonly #fault: (where: string, fault: unknown) => void;
  readonly #noteListening: () => void;

  constructor(
    tellOthers: (channel: string, data: unknown) => void,
    fault: (where: string, fault: unknown) => void,
    noteListening: () => void = () => undefined,
  ) {
    this.#tellOthers = tellOthers;
    this.#fault = fault;
    this.#noteListening = noteListening;
  }

  emit = (channel: string, data?: unknown): void => {
    this.deliver(channel, data);
    this.#tellOthers(channel, plain(data));
  };

  on = (channel: string, listener: Callback): (() => void) => {
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners.add(listener));
    this.#noteListening();
    return () => void listeners.delete(listener);
  };

  off = (channel: string, listener: Callback): void => {
    this.#listeners.get(channel)?.delete(listener);
  };

  clear = (): void => this.#listeners.clear();

  /** Tells those who listen here. */
  deliver(channel: string, data: unknown): void {
    for (const listener of [...(this.#listeners.get(channel) ?? [])]) {
      void (async () => listener(data))().catch((fault: unknown) => this.#fault(`the bus channel "${channel}"`, fault));
    }
  }
}
