/** What other plugins may use: the extensions of pi and oh-my-pi that run, and what they draw. */
import { service } from '@tenon/kernel';
import type { ExtensionShape, ThoughtDrawing } from './protocol.ts';
import type { DrawOptions } from './runtime/render.ts';

export { errors } from './errors.ts';
export type { ExtensionShape, ThoughtDrawing } from './protocol.ts';
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

/** A key that an extension wants. */
export interface ExtensionShortcut {
  /** As pi names keys: `ctrl+shift+p`. */
  readonly key: string;
  readonly description?: string;
  /** The name of the extension. */
  readonly extension: string;
  /** Does what the extension wants to do; its faults are reported, not thrown. */
  run(session?: string): Promise<void>;
}

/** Where Markdown is shown. */
export interface MarkdownPlace {
  readonly messageType: 'user' | 'assistant' | 'thinking';
  /** True while more of it comes. */
  readonly isStreaming?: boolean;
}

/** The extensions of a folder. Those of a folder without a session are not loaded, and so not there. */
export interface PiExtensions {
  list(cwd: string): readonly RunningExtension[];
  /** The keys that extensions want; of two that want the same one the first counts. Read it for every key: it changes. */
  shortcuts(cwd: string): readonly ExtensionShortcut[];
  /** Whether an extension draws messages or entries of this type, the calls of this tool, or something below thoughts, or may: then drawing can still give nothing. */
  draws(cwd: string, what: 'message' | 'entry' | 'tool' | 'thought', name?: string): boolean;
  /** The lines that extensions put below a thought of the model that is over, one after the other. */
  drawThought(cwd: string, thought: ThoughtDrawing, options: DrawOptions): Promise<readonly string[] | undefined>;
  /** The lines of an entry without a message (`pi.appendEntry`), as an extension draws it. */
  drawEntry(cwd: string, type: string, entry: unknown, options: DrawOptions): Promise<readonly string[] | undefined>;
  /** Markdown as extensions want it shown; the same text when none changes it, or one fails. */
  transformMarkdown(cwd: string, text: string, about: MarkdownPlace): Promise<string>;
  /** The lines of a custom message as the extension draws it, with the colours of the screen; nothing when none does, or it fails. */
  drawMessage(
    cwd: string,
    type: string,
    message: unknown,
    options: DrawOptions,
  ): Promise<readonly string[] | undefined>;
  /** The lines of a tool's call or result as an extension draws them; `options.callId` keeps what belongs to one call together. */
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
