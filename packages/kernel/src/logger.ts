/** Writes structured records that carry their owner's name. */
export interface Logger {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
  /** A logger for another owner that writes to the same place. */
  withOwner(owner: string): Logger;
}

const drop = (): void => undefined;

/** A logger that writes nothing: for kernels whose program keeps no log. */
export const silentLogger: Logger = {
  debug: drop,
  info: drop,
  warn: drop,
  error: drop,
  withOwner: () => silentLogger,
};
