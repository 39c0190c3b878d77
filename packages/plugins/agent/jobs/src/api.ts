/** What other plugins may use of background work: how it is started, watched and stopped. */
import { service } from '@tenon/kernel';

/** Where a job stands. */
export type JobStatus = 'running' | 'completed' | 'failed' | 'cancelled';

/** A job as it is at one moment. */
export interface JobSnapshot {
  /** Short and unique within the session, for example `bash-1`. */
  readonly id: string;
  readonly session: string;
  /** What kind of work it is: `bash`, `task`… */
  readonly type: string;
  readonly label: string;
  readonly status: JobStatus;
  /** Whether the agent knows how it ended. */
  readonly isTold: boolean;
  readonly durationMs: number;
  /** What it gave back; while it runs, the newest part of its output. */
  readonly resultText?: string;
  /** Why it failed. */
  readonly errorText?: string;
}

/** What the work of a job is given. */
export interface JobRun {
  readonly id: string;
  /** Aborts when the job is cancelled, its session ends or the plugin is unloaded. */
  readonly signal: AbortSignal;
  /** Shows the newest output; each text replaces the one before. */
  progress(text: string): void;
}

/** What a job gave back. */
export interface JobOutcome {
  readonly text: string;
  readonly isError?: boolean;
}

/** Work to be done while the conversation goes on. */
export interface JobStart {
  readonly session: string;
  readonly type: string;
  /** One line that tells people and models which job this is. */
  readonly label: string;
  /** Does the work. A rejection makes the job fail with the error's text. */
  run(run: JobRun): Promise<JobOutcome>;
}

/** What became of a wish to cancel. */
export type CancelOutcome = 'cancelled' | 'not_found' | 'already_completed';

/** Background work by session. What ends unwatched is told to the session's agent, once. */
export interface Jobs {
  /** Begins the work at once. Throws `JOBS_TOO_MANY` when the session has as many running jobs as are allowed. */
  start(start: JobStart): JobSnapshot;
  /** Whether the session may start another job now. */
  hasRoom(session: string): boolean;
  /** All jobs of a session that are still known, oldest first. */
  list(session: string): readonly JobSnapshot[];
  get(session: string, id: string): JobSnapshot | undefined;
  /**
   * Resolves when the first of the running jobs among `ids` has ended, after `timeoutMs`, or when `signal` aborts; at
   * once when none of them runs, or when one has ended and was not told yet. What has ended then counts as told.
   */
  wait(
    session: string,
    ids: readonly string[],
    options: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<readonly JobSnapshot[]>;
  /** Says that the agent has seen how these jobs ended; they are not told again. */
  acknowledge(session: string, ids: readonly string[]): void;
  cancel(session: string, id: string): CancelOutcome;
  /** Cancels all jobs of a session and forgets them; resolves when they have stopped, or do not listen. */
  endSession(session: string): Promise<void>;
}

/** Background work. */
export const jobs = service<Jobs>('jobs');

export { errors } from './errors.ts';
