/** What other tools that run programs may use: the sink for their output. */
import type { TruncationMeta } from '@tenon/file-tools/api';

export { OutputSink, type SinkOptions, type SinkSummary, type SpillFile } from './output-sink.ts';
export { spillFile } from './spill-file.ts';

/** The `details` of `bash`. */
export interface BashDetails {
  /** Null when the command was stopped. */
  readonly exitCode: number | null;
  readonly outcome: 'exited' | 'cancelled' | 'timed-out';
  readonly timeoutSeconds: number;
  readonly requestedTimeoutSeconds?: number;
  readonly meta?: { readonly truncation: TruncationMeta };
}
