/**
 * The one language that the output of every CLI becomes. Texts, inputs and outputs are as the CLI wrote them, so whoever shows
 * them on a terminal makes them plain first; messages and names of tools are plain already.
 */

/**
 * Tokens of one process: what the provider counted. `input` is the whole prompt: what was read from a cache or written to one
 * is part of it. `output` is all that the model wrote: `reasoning` is part of it.
 */
export interface WorkerUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
}

/** What processes have used together. */
export interface WorkerTotals {
  readonly usage: WorkerUsage;
  /** US dollars, as the CLI says; undefined when it says nothing. */
  readonly cost?: number;
}

/** What kind of failure it was; decides whether another account, a wait or a person can help. */
export type WorkerFault =
  | 'not-installed'
  | 'login-needed'
  | 'auth'
  | 'rate-limit'
  | 'quota'
  | 'overloaded'
  | 'network'
  | 'context'
  | 'session-unknown'
  | 'bad-arguments'
  | 'timeout'
  | 'idle-timeout'
  | 'output-limit'
  | 'killed'
  | 'schema'
  | 'other';

/** Something that a worker did or said. */
export type WorkerEvent =
  | { readonly type: 'session'; readonly id: string; readonly model?: string }
  /** `delta`: part of a text that goes on. */
  | { readonly type: 'text'; readonly text: string; readonly delta?: boolean }
  | { readonly type: 'thinking'; readonly text: string; readonly delta?: boolean }
  | { readonly type: 'tool-start'; readonly id: string; readonly name: string; readonly input?: unknown }
  | {
      readonly type: 'tool-end';
      readonly id: string;
      readonly name?: string;
      readonly isError: boolean;
      readonly output?: string;
    }
  /** What one model call used; the outcome has the sum of this process. */
  | { readonly type: 'usage'; readonly usage: WorkerUsage }
  /** The CLI tries again by itself. */
  | { readonly type: 'retry'; readonly fault: WorkerFault; readonly message: string; readonly attempt?: number }
  | { readonly type: 'limit'; readonly remaining?: number; readonly resetsAt?: string; readonly window?: string }
  | { readonly type: 'warning'; readonly message: string }
  | {
      readonly type: 'error';
      readonly fault: WorkerFault;
      readonly message: string;
      readonly status?: number;
      readonly retryAt?: string;
    };

/** How a process ended. */
export interface WorkerExit {
  /** Absent when it was ended by a signal or nobody saw it end. */
  readonly code?: number;
  readonly signal?: string;
  /** Set when Tenon has ended it. `account-limit`: its vendor kept refusing this account, and another one is free. */
  readonly stoppedFor?: 'cancel' | 'timeout' | 'idle-timeout' | 'output-limit' | 'account-limit' | 'hijack';
}

/** Something that a person has to decide before the worker can go on. */
export interface WorkerQuestion {
  /** Short and unique in its process; letters, digits, dots and dashes. */
  readonly id: string;
  readonly text: string;
  readonly options?: readonly string[];
}

/** What one process came to. */
export interface WorkerOutcome {
  /** True when the CLI itself said that it had finished, and it ended well. */
  readonly isDone: boolean;
  readonly session?: string;
  /** The final answer. */
  readonly text: string;
  /** The final answer as data, when a schema was asked for and it matches. */
  readonly structured?: unknown;
  /** Of this process alone, also where the CLI reports sums. */
  readonly usage: WorkerUsage;
  readonly cost?: number;
  /** The CLI's own sums after this process, for the next one's `before`. */
  readonly totals: WorkerTotals;
  readonly error?: {
    readonly fault: WorkerFault;
    readonly message: string;
    readonly status?: number;
    readonly retryAt?: string;
  };
  /** What the CLI itself could ask nobody: calls that need approval. The answers are given to `prepare` of the next process. */
  readonly questions?: readonly WorkerQuestion[];
  /** The last events, which become known only at the end. */
  readonly events: readonly WorkerEvent[];
}
