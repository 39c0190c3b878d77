/** What other plugins may use: the extensions of pi and oh-my-pi that run, and what they draw. */
import { service } from '@tenon/kernel';
import type { ExtensionShape } from './protocol.ts';
import type { DrawOptions } from './runtime/render.ts';

export { errors } from './errors.ts';
export type { ExtensionShape } from './protocol.ts';
export type { DrawOptions } from './runtime/render.ts';

/** An extension that runs. */
export interface RunningExtension {
  readonly name: string;
  readonly file: string;
  readonly level: 'user' | 'project';
  readonly trust: 'isolated' | 'unconfined' | 'in-process';
  readonly shape: ExtensionShape;
  /** The id of its process, which others may share; absent while none runs, and inside Tenon. */
  readonly process?: number;
}

/** The extensions of a folder. Those of a folder without a session are not loaded, and so not there. */
export interface PiExtensions {
  list(cwd: string): readonly RunningExtension[];
  /** The lines of a custom message as the extension draws it; nothing when none does. */
  drawMessage(
    cwd: string,
    type: string,
    message: unknown,
    options: DrawOptions,
  ): Promise<readonly string[] | undefined>;
  /** The lines of a tool's call or result as its extension draws them. */
  drawTool(
    cwd: string,
    name: string,
    part: 'call' | 'result',
    data: { readonly args: unknown; readonly result?: unknown },
    options: DrawOptions,
  ): Promise<readonly string[] | undefined>;
  /** Runs what an extension wants to do when a key is pressed; false when none wants anything. */
  pressKey(cwd: string, key: string, session?: string): Promise<boolean>;
}

/** The extensions of pi and oh-my-pi. */
export const piExtensions = service<PiExtensions>('pi-extensions');
