/** What other plugins may use of `bash`. */
import type { Truncation } from '@tenon/tools/api';

/** The `details` of `bash`. */
export interface BashDetails {
  /** Null when the command was stopped; absent, as `outcome`, when it goes on as a job. */
  readonly exitCode?: number | null;
  readonly outcome?: 'exited' | 'cancelled' | 'timed-out';
  /** The job that the command has become. */
  readonly async?: { readonly state: 'running'; readonly jobId: string; readonly type: 'bash' };
  readonly timeoutSeconds?: number;
  readonly requestedTimeoutSeconds?: number;
  readonly meta?: { readonly truncation: Truncation };
  /** Set when the sandbox refused something, and nobody allowed a second run. */
  readonly refused?: { readonly by: string; readonly reason: string; readonly hasRun: true };
}
