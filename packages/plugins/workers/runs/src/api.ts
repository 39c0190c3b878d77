/** What others may use of runs: what a run is, how one is started and steered, and the store that keeps them. */
import { hook, service } from '@tenon/kernel';
import type { Run, RunEvent, RunNews, RunOutput, RunQuestion, RunRequest, RunSession, RunState } from './run.ts';
import type { RunStore } from './store/run-store.ts';

export { ENDED_STATES } from './run.ts';
export type * from './run.ts';
export { runStores } from './store/run-store.ts';
export type * from './store/run-store.ts';
export { RunWatchers } from './store/run-watchers.ts';
export { runQueues } from './store/run-queue.ts';
export type * from './store/run-queue.ts';
export { runKeeping } from './keeper/keeping.ts';
export type { KeepingOptions, RunKeeping } from './keeper/keeping.ts';
export { errors } from './errors.ts';

/** Which runs a list holds. */
export interface RunFilter {
  readonly states?: readonly RunState[];
  /** Only runs of the repository or folder around this path. */
  readonly cwd?: string;
  readonly limit?: number;
}

/** Everything that is known about a run. */
export interface RunDetails {
  readonly run: Run;
  readonly sessions: readonly RunSession[];
  readonly questions: readonly RunQuestion[];
}

/** How a run's work was taken over. */
export interface AppliedRun {
  readonly files: readonly string[];
  /** A sentence for people. */
  readonly text: string;
}

/** What a run has changed so far. */
export interface RunDiff {
  readonly files: readonly string[];
  /** A unified diff. */
  readonly text: string;
  /** True when the end is missing because it is too long. */
  readonly isCut: boolean;
}

/** How a person takes over a worker's session. */
export interface HijackTarget {
  readonly run: Run;
  readonly worker: string;
  readonly session: string;
  readonly cwd: string;
  /** The command line that opens it, as words. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Runs of workers. */
export interface Runs {
  /** Records the run, makes sure that a keeper is there, and gives it back before the worker has started. */
  start(request: RunRequest): Promise<Run>;
  /** By id, alias or a beginning of either that only one has. Throws `RUNS_UNKNOWN` with a suggestion. */
  find(name: string): Promise<Run>;
  details(run: Run): Promise<RunDetails>;
  list(filter?: RunFilter): Promise<readonly Run[]>;
  /** Everything that the run has written and done so far, then what comes, until it has ended or waits and `untilIdle` is set. */
  follow(
    run: Run,
    options: {
      readonly signal: AbortSignal;
      readonly untilIdle?: boolean;
      readonly after?: number;
      readonly live?: boolean;
    },
  ): AsyncIterable<RunNews>;
  /** Answers open questions; when none is open any more, the worker goes on. */
  answer(run: Run, answers: Readonly<Record<string, string>>): Promise<Run>;
  /** Sends a message to the worker's thread: first in, first out, one at a time. */
  send(run: Run, text: string): Promise<Run>;
  /** Tries again what failed, with a warning about what earlier attempts have already done. */
  retry(run: Run): Promise<Run>;
  cancel(run: Run): Promise<Run>;
  /** Forgets a run that has ended. Its worktree goes only if it holds no work, unless `force`. Its output stays unless `force`. */
  remove(run: Run, options?: { readonly force?: boolean }): Promise<{ readonly kept: readonly string[] }>;
  /** Removes what is clean and over: worktrees, scratch folders. Gives what it did, or would do. */
  collect(options: {
    readonly dryRun: boolean;
  }): Promise<readonly { readonly path: string; readonly reason: string; readonly isRemoved: boolean }[]>;
  /** Takes the run's changes over into the folder that it came from. Nothing is changed there when they do not fit. */
  apply(run: Run): Promise<AppliedRun>;
  /** What the run has changed in its worktree, committed or not; undefined when it has none. */
  diff(run: Run): Promise<RunDiff | undefined>;
  /** Stops the worker between two of its tool calls and says how its session is opened. */
  hijack(run: Run, options: { readonly signal: AbortSignal }): Promise<HijackTarget>;
  /** How the session of a run would be opened; nothing is stopped. */
  candidate(run: Run): Promise<HijackTarget>;
  /** The person has left the session: with 0 the run goes on by itself. */
  release(run: Run, exitCode: number): Promise<Run>;
}

/** Runs of workers. */
export const runs = service<Runs>('runs');

/** A worker has written something. Told only after it was stored, and from nowhere else. */
export const runOutput = hook<'notify', RunOutput>('run.output', 'notify');

/** Something became of a run: it started, waits, switched accounts, ended. Told only after it was stored. */
export const runEvent = hook<'notify', RunEvent>('run.event', 'notify');

/** Opens the store that the settings name. */
export type OpenStore = () => Promise<RunStore>;
