/** A failure to start that the run's record names. */
export class StartFault extends Error {
  readonly fault: 'not-installed' | 'bad-arguments' | 'quota' | 'other';

  constructor(fault: StartFault['fault'], message: string, cause?: unknown) {
    super(message, { cause });
    this.fault = fault;
  }
}
