import type { Logger } from '@tenon/kernel';
import { createRedactor, type Redactor } from './redact.ts';

/** From the chattiest to the gravest. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** How grave a log record is. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** One structured log record, already redacted. */
export interface LogRecord {
  readonly time: string;
  readonly level: LogLevel;
  /** The plugin that wrote it, or `kernel`. */
  readonly owner: string;
  readonly message: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** Where log records go. */
export type LogSink = (record: LogRecord) => void;

/** Makes a logger. Records below `level` cost nothing; secrets are masked before the sink sees a record. */
export function createLogger(options: { owner: string; sink: LogSink; level?: LogLevel; redact?: Redactor }): Logger {
  const { owner, sink, level = 'info', redact = createRedactor() } = options;
  const threshold = LOG_LEVELS.indexOf(level);
  const write = (at: LogLevel) => (message: string, fields?: Record<string, unknown>) => {
    if (LOG_LEVELS.indexOf(at) < threshold) return;
    sink(redact({ time: new Date().toISOString(), level: at, owner, message, ...(fields && { fields }) }));
  };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    withOwner: (next) => createLogger({ owner: next, sink, level, redact }),
  };
}
