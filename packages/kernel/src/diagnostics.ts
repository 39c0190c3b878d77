import type { TenonError } from './errors.ts';

/** A finding that names its plugin, file and key. */
export interface Diagnostic {
  readonly severity: 'error' | 'warning';
  readonly error: TenonError;
}

/** How many findings are kept, the newest; a plugin that fails in a loop must not fill the memory. */
const MAX_KEPT = 1_000;

/** Collects findings so that start-up can report all of them together. */
export class Diagnostics {
  readonly #kept = new Map<string, Diagnostic>();
  readonly #onReport: (diagnostic: Diagnostic) => void;

  constructor(onReport: (diagnostic: Diagnostic) => void) {
    this.#onReport = onReport;
  }

  /** Keeps a finding. The same sentence is kept once. */
  report(error: TenonError, severity: Diagnostic['severity'] = 'error'): void {
    const identity = `${severity} ${error.code} ${error.message}`;
    if (this.#kept.has(identity)) return;
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(identity, { severity, error });
    this.#onReport({ severity, error });
  }

  /** What was found so far, oldest first. */
  list(): readonly Diagnostic[] {
    return [...this.#kept.values()];
  }

  /** Forgets what is about `plugin`, because it is about to be tried again. */
  forget(plugin: string): void {
    for (const [identity, { error }] of this.#kept) if (error.details['plugin'] === plugin) this.#kept.delete(identity);
  }
}
