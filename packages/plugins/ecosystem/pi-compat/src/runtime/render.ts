/** Draws messages and tools as the extension wants them: components live here, and only their lines cross. */
import { cutRows } from '../screen-limits.ts';
import type { ThoughtDrawing } from '../protocol.ts';
import type { Callback, ToolDefinition } from './registrations.ts';
import type { PiTheme } from './shims/theme.ts';

/** How something is to be drawn. */
export interface DrawOptions {
  readonly width: number;
  readonly expanded: boolean;
  readonly isPartial?: boolean;
  /** The call that is drawn; a renderer keeps its state and its last component for each. */
  readonly callId?: string;
}

/** What is known of a tool's call. */
export interface ToolDrawing {
  readonly args: unknown;
  readonly result?: unknown;
}

interface Remembered {
  readonly state: Record<string, unknown>;
  readonly last: { call?: unknown; result?: unknown };
}

/** More calls than this are forgotten, the oldest first. */
const MAX_CALLS = 200;

/** Draws for one extension. */
export class Renderers {
  readonly #theme: PiTheme;
  readonly #cwd: string;
  readonly #calls = new Map<string, Remembered>();

  constructor(theme: PiTheme, cwd: string) {
    this.#theme = theme;
    this.#cwd = cwd;
  }

  /** The lines of a message or an entry; nothing when the extension leaves it to Tenon. */
  message(renderer: Callback | undefined, message: unknown, options: DrawOptions): string[] | undefined {
    const { expanded, width } = options;
    return linesOf(renderer?.(message, { expanded, outputPad: 1 }, this.#theme), width);
  }

  /** What renderers put below a thought, one after the other; nothing when none has anything to say. */
  thought(renderers: readonly Callback[], thought: ThoughtDrawing, { width }: DrawOptions): string[] | undefined {
    // Drawn once, when the thought is over: there is nothing to ask for a second time.
    const context = { ...thought, requestRender: () => undefined };
    const rows = renderers.flatMap((render) => linesOf(render(context, this.#theme), width) ?? []);
    return rows.length === 0 ? undefined : cutRows(rows);
  }

  /** The lines of a tool's call or result. */
  tool(
    tool: Pick<ToolDefinition, 'renderCall' | 'renderResult'> | undefined,
    part: 'call' | 'result',
    data: ToolDrawing,
    options: DrawOptions,
  ): string[] | undefined {
    const { callId = '', width } = options;
    const about = { expanded: options.expanded, isPartial: options.isPartial === true };
    const { state, last } = this.#remembered(callId);
    const context = {
      ...about,
      args: data.args,
      toolCallId: callId,
      cwd: this.#cwd,
      state,
      lastComponent: last[part],
      invalidate: () => undefined,
      executionStarted: part === 'result',
      argsComplete: true,
      showImages: false,
      isError: (data.result as { isError?: unknown } | undefined)?.isError === true,
    };
    const drawn =
      part === 'result'
        ? tool?.renderResult?.(data.result, about, this.#theme, argsAndContext(data.args, context))
        : // oh-my-pi passes options before the theme, pi passes the theme and then a context: one value serves as both.
          tool?.renderCall?.(data.args, bothIn(this.#theme, about), bothIn(this.#theme, context));
    last[part] = drawn;
    return linesOf(drawn, width);
  }

  #remembered(callId: string): Remembered {
    const made: Remembered = this.#calls.get(callId) ?? { state: {}, last: {} };
    if (callId === '') return made;
    this.#calls.set(callId, made);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > MAX_CALLS && oldest !== undefined) this.#calls.delete(oldest);
    return made;
  }
}

function bothIn(theme: PiTheme, more: object): object {
  return Object.assign(Object.create(theme) as object, more);
}

/** The fourth argument is the input in oh-my-pi, and a context that holds it in pi. */
function argsAndContext(args: unknown, context: object): unknown {
  return typeof args === 'object' && args !== null ? { ...args, ...context, args } : context;
}

function linesOf(component: unknown, width: number): string[] | undefined {
  if (component === undefined || component === null) return undefined;
  if (typeof component === 'string') return cutRows(component.split('\n'));
  const render = (component as { render?: (columns: number) => unknown }).render;
  if (typeof render !== 'function') return undefined;
  const lines = render.call(component, width);
  return Array.isArray(lines) ? cutRows(lines.map(String)) : undefined;
}
