/** What the engine of runs and the exchange folder say to each other. */
import type { RunQuestion, RunSession } from '../run.ts';

/** What a worker says about the end of its session, in its signal file. */
export type Signal =
  | { readonly status: 'done'; readonly result?: unknown }
  | { readonly status: 'questions'; readonly questions: readonly Pick<RunQuestion, 'id' | 'text' | 'options'>[] }
  | { readonly status: 'error'; readonly error: string };

/** What was found where the signal file should be. A file that cannot be believed is refused with a notice for people. */
export interface FoundSignal {
  readonly signal?: Signal;
  readonly notice?: string;
}

/** A tool with lasting effects that earlier attempts have called. */
export interface SideEffect {
  readonly tool: string;
  /** The attempts that called it: 1, 2… */
  readonly attempts: readonly number[];
}

/** Why a worker is started once more. */
export type ResumeReason = Exclude<RunSession['reason'], 'start'>;

/** How a worker says how it ended: by a file, or at the end of its answer where it cannot write to the exchange folder. */
export type SignalBy = 'file' | 'answer';

/** What a prompt that goes on with a run is made of. */
export interface ResumeData {
  /** The exchange folder; the new session's number is `run.session`. */
  readonly folder: string;
  /** The worker does not remember the task: the prompt must hold all of it. */
  readonly isFresh: boolean;
  readonly signalBy?: SignalBy;
  readonly answers?: readonly RunQuestion[];
  readonly message?: string;
  /** Why the last attempt failed. */
  readonly error?: string;
  readonly sideEffects?: readonly SideEffect[];
}

/** What the worker is given. */
export interface Exchange {
  readonly systemPrompt: string;
  readonly prompt: string;
  /** Folders outside of its working folder that it reads and writes. */
  readonly folders: readonly string[];
}
