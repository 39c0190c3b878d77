/** What calls touch whose input is still being written. */
import { setTimeout } from 'node:timers/promises';
import type { AssistantMessage } from '@tenon/models/api';
import { ANYTHING, type Tool, type ToolScope, type TouchCall, type Touches, touchesOf } from '@tenon/tools/api';

/** An answer must not wait for a tool in another process. */
const PATIENCE_MS = 500;

/** Asks tools about unfinished inputs. */
export class PartialTouches {
  readonly #tool: (name: string) => Pick<Tool, 'touches'> | undefined;
  readonly #call: TouchCall;

  constructor(tool: (name: string) => Pick<Tool, 'touches'> | undefined, scope: ToolScope) {
    this.#tool = tool;
    this.#call = { signal: new AbortController().signal, scope, partial: true };
  }

  /** Lets the tool of a call load what it reads inputs with, so that it answers at once from then on. */
  async prepare(content: AssistantMessage['content'][number] | undefined): Promise<void> {
    const tool = content?.type === 'toolCall' ? this.#tool(content.name) : undefined;
    if (!tool) return;
    try {
      const touches = touchesOf(tool, {}, this.#call);
      if (touches instanceof Promise) await Promise.race([touches, setTimeout(PATIENCE_MS, undefined, { ref: false })]);
    } catch {
      // An empty input need not make sense; what was to be loaded is loaded.
    }
  }

  /** What a call touches so far. Nothing waits for a tool that cannot answer at once: then it may be anything. */
  of(name: string, input: Readonly<Record<string, unknown>>): Touches {
    const tool = this.#tool(name);
    if (!tool) return ANYTHING;
    try {
      const touches = touchesOf(tool, input, this.#call);
      if (!(touches instanceof Promise)) return touches;
      touches.catch(() => undefined); // Its answer would come too late.
      return ANYTHING;
    } catch {
      return {}; // The input does not make sense yet.
    }
  }
}
