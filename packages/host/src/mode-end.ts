import { service } from '@tenon/kernel';

/** Ends the running mode; asked for by an extension (`ctx.shutdown()`). */
export interface ModeEnd {
  /** The mode ends when the agent has nothing left to do. Without a mode that goes on by itself, nothing happens. */
  request(): void;
}

/** Ends the running mode. Not for packs. */
export const modeEnd = service<ModeEnd>('mode-end');
