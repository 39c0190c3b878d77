/** Draws messages and tools as the extension wants them: components live here, and only their lines cross. */
import type { Callback, ToolDefinition } from './registrations.ts';
import { theme } from './shims/theme.ts';

/** How something is to be drawn. */
export interface DrawOptions {
  readonly width: number;
  readonly expanded: boolean;
  readonly isPartial?: boolean;
}

/** The lines of a message; nothing when the extension leaves it to Tenon. */
export function drawMessage(
  renderer: Callback | undefined,
  message: unknown,
  options: DrawOptions,
): string[] | undefined {
  return linesOf(renderer?.(message, { expanded: options.expanded }, theme), options.width);
}

/** The lines of a tool's call or result. */
export function drawTool(
  tool: ToolDefinition | undefined,
  part: 'call' | 'result',
  data: { readonly args: unknown; readonly result?: unknown },
  options: DrawOptions,
): string[] | undefined {
  const about = { expanded: options.expanded, isPartial: options.isPartial === true };
  const context = {
    ...about,
    args: data.args,
    state: {},
    invalidate: () => undefined,
    showImages: false,
    isError: false,
  };
  if (part === 'result')
    return linesOf(tool?.renderResult?.(data.result, about, theme, argsAndContext(data.args, context)), options.width);
  // oh-my-pi passes options before the theme, pi passes the theme and then a context: one value serves as both.
  return linesOf(
    tool?.renderCall?.(data.args, Object.assign(Object.create(theme) as object, about), theme),
    options.width,
  );
}

/** The fourth argument is the input in oh-my-pi, and a context that holds it in pi. */
function argsAndContext(args: unknown, context: object): unknown {
  return typeof args === 'object' && args !== null ? { ...context, ...args, args } : context;
}

function linesOf(component: unknown, width: number): string[] | undefined {
  if (component === undefined || component === null) return undefined;
  if (typeof component === 'string') return component.split('\n');
  const render = (component as { render?: (columns: number) => unknown }).render;
  if (typeof render !== 'function') return undefined;
  const lines = render.call(component, width);
  return Array.isArray(lines) ? lines.map(String) : undefined;
}
