/** What other tools that run programs may use: the sink for their output. */
import type { TruncationMeta } from '@tenon/file-tools/api';

export { OutputSink, type SinkOptions, type SinkSummary, type SpillFile } from './output-sink.ts';
export { spillFile } from './spill-file.ts';

/** The `details` of `bash`. */
export interface BashDetails {
  /** Null when the command was stopped; absent, as `outcome`, when it goes on as a job. */
  readonly exitCode?: number | null;
  readonly outcome?: 'exited' | 'cancelled' | 'timed-out';
  /** The job that the command has become. */
  readonly async?: { readonly state: 'running'; readonly jobId: string; readonly type: 'bash' };
  readonly timeoutSeconds?: number;
  readonly requestedTimeoutSeconds?: number;
  readonly meta?: { readonly truncation: TruncationMeta };
}
