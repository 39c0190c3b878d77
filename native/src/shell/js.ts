import type { ShellAccelerator } from './contract.ts';
import { JsPty } from './js-pty.ts';
import { JsSession } from './js-session.ts';
import { overEngines } from './session.ts';

/** The shell accelerator without the addon: the same driven bash over Node's own processes, slower to answer. */
export function createJs(): ShellAccelerator {
  return overEngines({
    openSession: (options, onEvent) => new JsSession(options, onEvent),
    openPty: (options, onEvent) => new JsPty(options, onEvent),
  });
}
