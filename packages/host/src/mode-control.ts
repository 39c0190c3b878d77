import { service } from '@tenon/kernel';
import type { LaunchFlags } from './launch-flags.ts';
import type { UserInterface } from './user-interface.ts';

/** How the plugin that starts a mode sets what `userInterface` and `launchFlags` give to the others. */
export interface ModeControl {
  /** Puts an interface in place; without one nobody can be asked. */
  useInterface(ui?: UserInterface): void;
  /** Keeps the flags that the mode was started with. */
  setFlags(flags: LaunchFlags): void;
}

/** What the running mode sets. */
export const modeControl = service<ModeControl>('mode-control');
