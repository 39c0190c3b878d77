/** What extensions of pi bring to the screen beside components: shortcuts, and drawings of messages, calls and thoughts. */
import { matchesKey } from '@tenon/components';
import { type ExtensionShortcut, type PiExtensions, piExtensions, type ThoughtDrawing } from '@tenon/pi-compat/api';
import type { CustomMessage } from '@tenon/sessions/api';
import type { Seat } from './seat.ts';
import type { DrawnRows } from './transcript/drawn-block.ts';

/** Letters and digits are for writing: an extension gets function keys and keys with a modifier. */
const SHORTCUT = /\+|^f\d+$/;

/** A call that has ended. */
export interface EndedCall {
  readonly name: string;
  readonly input: unknown;
  readonly result: unknown;
}

/** The extensions of the folder, once they are known. */
export class ExtensionLink {
  readonly #cwd: string;
  readonly #isExpanded: () => boolean;
  #service: PiExtensions | undefined;

  constructor(cwd: string, isExpanded: () => boolean) {
    this.#cwd = cwd;
    this.#isExpanded = isExpanded;
  }

  /** Finds the service; without it nothing is drawn. */
  async connect(ctx: Seat['ctx']): Promise<void> {
    this.#service = await ctx.findOptional(piExtensions);
  }

  /** The shortcut that a key is, if one is it. */
  shortcut(data: string): ExtensionShortcut | undefined {
    return this.#service?.shortcuts(this.#cwd).find(({ key }) => SHORTCUT.test(key) && matchesKey(data, key));
  }

  /** A message of an extension as it draws it. */
  drawMessage(message: CustomMessage, width: number): DrawnRows | undefined {
    const { customType } = message;
    if (!this.#service?.draws(this.#cwd, 'message', customType)) return undefined;
    return this.#service.drawMessage(this.#cwd, customType, message, { width, expanded: this.#isExpanded() });
  }

  /** What extensions put below a thought that is over. */
  drawThought(thought: ThoughtDrawing, width: number): DrawnRows | undefined {
    if (!this.#service?.draws(this.#cwd, 'thought')) return undefined;
    return this.#service.drawThought(this.#cwd, thought, { width, expanded: this.#isExpanded() });
  }

  /** The call and the result as an extension draws them, one below the other. */
  drawCall(callId: string, { name, input, result }: EndedCall, width: number): DrawnRows | undefined {
    const service = this.#service;
    if (!service?.draws(this.#cwd, 'tool', name)) return undefined;
    const options = { width, expanded: this.#isExpanded(), callId };
    const parts = (['call', 'result'] as const).map((part) =>
      service.drawTool(this.#cwd, name, part, { args: input, result }, options),
    );
    return Promise.all(parts).then((rows) => (rows.some(Boolean) ? rows.flatMap((part) => part ?? []) : undefined));
  }
}
