/** The log: structured records, without secrets. */
export { createLogger, LOG_LEVELS, type LogLevel, type LogRecord, type LogSink } from './logger.ts';
export { createRedactor, MASK, type Redactor, secretHider, secretValuesOf } from './redact.ts';
