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
  readonly #byId = new Map<string, Diagnostic>();
  readonly #onReport: (diagnostic: Diagnostic) => void;

  constructor(onReport: (diagnostic: Diagnostic) => void) {
    this.#onReport = onReport;
  }

  /** Keeps a finding. The same sentence is kept once. */
  report(error: TenonError, severity: Diagnostic['severity'] = 'error'): void {
    const identity = `${severity} ${error.code} ${error.message}`;
    if (this.#byId.has(identity)) return;
    const [oldest] = this.#byId.keys();
    if (this.#byId.size >= MAX_KEPT && oldest !== undefined) this.#byId.delete(oldest);
    this.#byId.set(identity, { severity, error });
    this.#onReport({ severity, error });
  }

  /** What was found so far, oldest first. */
  list(): readonly Diagnostic[] {
    return [...this.#byId.values()];
  }

  /** Forgets what is about `plugin`, because it is about to be tried again. */
  forget(plugin: string): void {
    for (const [identity, { error }] of this.#byId) if (error.details['plugin'] === plugin) this.#byId.delete(identity);
  }
}
