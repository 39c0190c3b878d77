/** `ctx.ui`: what Tenon's modes can show is passed on; what draws on a terminal is turned down in a friendly way. */
import type { Bridge, SessionScope } from '../protocol.ts';
import { theme } from './shims/theme.ts';

type Notice = (what: string, instead: string) => void;

interface Component {
  render?(width: number): string[];
  dispose?(): void;
}

const WIDGET_WIDTH = 80;
const NO_SCREEN = 'This mode has no screen that extensions can draw on; the call ends as if the user had cancelled.';
const NO_EFFECT = 'The call has no effect.';

/** Makes `ctx.ui` for a place. `refuse` tells the user once about what cannot be done. */
export function createUi(bridge: Bridge, place: SessionScope, refuse: Notice): Record<string, unknown> {
  const ask = (method: string, ...args: unknown[]) => bridge.call('ui', place, method, ...args);
  // Nobody waits for these; when Tenon is gone there is nobody to tell either.
  const tell = (method: string, ...args: unknown[]) => void ask(method, ...args).catch(() => undefined);
  const ignored = (what: string) => () => refuse(`ui.${what}()`, NO_EFFECT);
  return {
    theme,
    select: async (title: unknown, options: unknown, dialog?: unknown) => {
      const labels = (Array.isArray(options) ? options : []).map(labelOf);
      return (await ask('select', text(title), labels, dialogOf(dialog))) ?? undefined;
    },
    confirm: async (title: unknown, message: unknown, dialog?: unknown) =>
      (await ask('confirm', text(title), text(message), dialogOf(dialog))) === true,
    input: async (title: unknown, placeholder?: unknown, dialog?: unknown) =>
      (await ask('input', text(title), optional(placeholder), dialogOf(dialog))) ?? undefined,
    editor: async (title: unknown, prefill?: unknown, dialog?: unknown) =>
      (await ask('editor', text(title), optional(prefill), dialogOf(dialog))) ?? undefined,
    notify: (message: unknown, kind?: unknown) => tell('notify', text(message), kind ?? 'info'),
    setStatus: (key: unknown, status?: unknown) => tell('setStatus', text(key), optional(status)),
    setWidget: (key: unknown, content?: unknown) => tell('setWidget', text(key), widgetLines(content)),
    setTitle: (title: unknown) => tell('setTitle', text(title)),
    setEditorText: (value: unknown) => tell('setEditorText', text(value)),
    pasteToEditor: (value: unknown) => tell('setEditorText', text(value)),
    getEditorText: () => '',
    custom: async () => {
      refuse('ui.custom()', NO_SCREEN);
      return undefined;
    },
    setFooter: ignored('setFooter'),
    setHeader: ignored('setHeader'),
    setEditorComponent: ignored('setEditorComponent'),
    getEditorComponent: () => undefined,
    addAutocompleteProvider: ignored('addAutocompleteProvider'),
    onTerminalInput: () => {
      refuse('ui.onTerminalInput()', NO_EFFECT);
      return () => undefined;
    },
    setWorkingMessage: (message?: unknown) => tell('setStatus', 'working', optional(message)),
    setWorkingVisible: () => undefined,
    setWorkingIndicator: () => undefined,
    setHiddenThinkingLabel: () => undefined,
    getAllThemes: () => [],
    getTheme: () => undefined,
    setTheme: () => ({ success: false, error: 'Themes of pi cannot be switched here.' }),
    getToolsExpanded: () => false,
    setToolsExpanded: () => undefined,
    requestRender: () => undefined,
  };
}

function labelOf(option: unknown): string {
  return typeof option === 'object' && option !== null && 'label' in option ? text(option.label) : text(option);
}

function dialogOf(dialog: unknown): Record<string, unknown> | undefined {
  if (typeof dialog !== 'object' || dialog === null) return undefined;
  const { signal, timeout } = dialog as { signal?: unknown; timeout?: unknown };
  return {
    ...(signal instanceof AbortSignal && { signal }),
    ...(typeof timeout === 'number' && { timeoutMs: timeout }),
  };
}

/** Lines as they are; a component is drawn once. */
function widgetLines(content: unknown): string[] | undefined {
  if (content === undefined || content === null) return undefined;
  if (typeof content === 'function') {
    const component = (content as (tui: unknown, theme: unknown) => Component)(SCREEN, theme);
    const lines = component?.render?.(WIDGET_WIDTH) ?? [];
    component?.dispose?.();
    return lines.map(text);
  }
  return (Array.isArray(content) ? content : [content]).map(text);
}

/** What components of widgets ask of the terminal around them. */
const SCREEN = {
  requestRender: () => undefined,
  invalidate: () => undefined,
  terminal: { columns: WIDGET_WIDTH, rows: 24, write: () => undefined },
};

function text(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined || value === null ? '' : String(value);
}

function optional(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : text(value);
}
