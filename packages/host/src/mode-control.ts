import { service } from '@tenon/kernel';
import type { ExtensionFlags } from './extension-flags.ts';
import type { UserInterface } from './user-interface.ts';

/** How the plugin that starts a mode sets what `userInterface` and `extensionFlags` give to the others. */
export interface ModeControl {
  /** Sets the interface; without one, questions stay unanswered. */
  useInterface(ui?: UserInterface): void;
  /** Keeps the flags that the mode was started with. */
  setFlags(flags: ExtensionFlags): void;
  /** What ends the mode when somebody asks for that; nothing for one that ends by itself. */
  onEnd(end: (() => void) | undefined): void;
}

/** What the running mode sets. */
export const modeControl = service<ModeControl>('mode-control');
