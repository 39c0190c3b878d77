/** What servers say about files: bounded, and with a way to wait for what belongs to a version. */
import type { Diagnostic } from 'vscode-languageserver-protocol';

/** The most that is kept about one file, and the most files. */
export const MAX_PER_FILE = 1_000;
const MAX_FILES = 2_000;

/** What was published about a file. */
export interface Published {
  readonly items: readonly Diagnostic[];
  readonly version: number | undefined;
  /** Counts up with every publication of the server. */
  readonly serial: number;
}

/** The diagnostics that one server has published. */
export class DiagnosticsStore {
  readonly #files = new Map<string, Published>();
  readonly #waiting = new Set<() => void>();
  #serial = 0;

  /** Takes in a publication. What is no diagnostic is left out. */
  publish(path: string, items: unknown, version: unknown): void {
    const kept = usable(items);
    this.#files.delete(path);
    this.#files.set(path, {
      items: kept,
      version: typeof version === 'number' ? version : undefined,
      serial: ++this.#serial,
    });
    for (const oldest of this.#files.keys()) {
      if (this.#files.size <= MAX_FILES) break;
      this.#files.delete(oldest);
    }
    for (const wake of this.#waiting) wake();
  }

  get(path: string): Published | undefined {
    return this.#files.get(path);
  }

  get serial(): number {
    return this.#serial;
  }

  forget(path: string): void {
    this.#files.delete(path);
  }

  /** Wakes everybody who waits: the server has ended. */
  wake(): void {
    for (const wake of this.#waiting) wake();
  }

  /** Waits until `holds` gives something or the signal aborts. */
  async until<T>(holds: () => T | undefined, signal: AbortSignal): Promise<T | undefined> {
    for (;;) {
      const found = holds();
      if (found !== undefined || signal.aborted) return found;
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.#waiting.delete(wake);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        this.#waiting.add(wake);
        signal.addEventListener('abort', wake);
      });
    }
  }
}

/** The diagnostics of a list from outside, as many as are kept. */
export function usable(items: unknown): readonly Diagnostic[] {
  if (!Array.isArray(items)) return [];
  const kept = items.slice(0, MAX_PER_FILE).filter((item: Partial<Diagnostic> | null) => {
    const start = item?.range?.start;
    const message = typeof item?.message === 'object' ? item.message?.value : item?.message;
    return typeof message === 'string' && Number.isInteger(start?.line) && Number.isInteger(start?.character);
  });
  return kept as Diagnostic[];
}
