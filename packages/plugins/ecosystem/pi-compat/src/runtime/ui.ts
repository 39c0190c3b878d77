/** `ctx.ui`: dialogs and notices go to the mode; components go to its screen, where it has one. */
import type { SessionScope } from '../protocol.ts';
import { text } from './plain.ts';
import { customComponent } from './ui-custom.ts';
import { componentPlaces } from './ui-places.ts';
import type { Callback } from './registrations.ts';
import type { RuntimeScreen } from './screen.ts';

const NO_SCREEN = 'This mode has no screen that extensions can draw on; the call ends as if the user had cancelled.';
const NO_EFFECT = 'This mode has no screen that extensions can draw on; the call has no effect.';

/** Makes `ctx.ui` for a place. Dialogs that it opened are closed when the signal aborts. */
export function createUi(screen: RuntimeScreen, place: SessionScope, signal?: AbortSignal): Record<string, unknown> {
  const { bridge, refuse } = screen.parts;
  const ask = (method: string, ...args: unknown[]) => bridge.call('ui', place, method, ...args);
  // Nobody waits for these; when Tenon is gone there is nobody to tell either.
  const tell = (method: string, ...args: unknown[]) => void ask(method, ...args).catch(() => undefined);
  const tellScreen = (what: string, ...args: unknown[]) => screen.tell(place, what, ...args);
  const hasScreen = () => screen.state() !== undefined;
  const now = (what: string, otherwise: unknown) => bridge.ask('screenNow', what) ?? otherwise;
  const ui: Record<string, unknown> = {
    theme: screen.theme,
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
    setTitle: (title: unknown) => tell('setTitle', text(title)),
    setEditorText: (value: unknown) => tell('setEditorText', text(value)),
    pasteToEditor: (value: unknown) =>
      hasScreen() ? tellScreen('paste', text(value)) : tell('setEditorText', text(value)),
    getEditorText: () => String(now('editorText', '')),
    custom: async (factory: unknown, options?: unknown) => {
      if (hasScreen()) return customComponent(screen, place, factory, options, signal);
      refuse('ui.custom()', NO_SCREEN);
      return undefined;
    },
    onTerminalInput: (listener: Callback) => {
      if (hasScreen()) return screen.listen(place, listener);
      refuse('ui.onTerminalInput()', NO_EFFECT);
      return () => undefined;
    },
    addAutocompleteProvider: (wrap: Callback) => {
      if (hasScreen()) screen.complete(place, wrap);
      else refuse('ui.addAutocompleteProvider()', NO_EFFECT);
    },
    setWorkingMessage: (message?: unknown) =>
      hasScreen() ? tellScreen('working', optional(message)) : tell('setStatus', 'working', optional(message)),
    setWorkingVisible: () => undefined,
    setWorkingIndicator: () => undefined,
    setHiddenThinkingLabel: () => undefined,
    getAllThemes: () => (screen.state()?.themes ?? []).map((name) => ({ name, path: undefined })),
    // Colours of a theme that is not in use are not known here; its name is enough for `setTheme`.
    getTheme: (name: unknown) => (screen.state()?.themes.includes(text(name)) ? { name: text(name) } : undefined),
    setTheme: (wanted: unknown) => {
      const name = typeof wanted === 'string' ? wanted : text((wanted as { name?: unknown } | undefined)?.name);
      const isSet = hasScreen() && bridge.ask('setTheme', name) === true;
      return isSet ? { success: true } : { success: false, error: `There is no theme "${name}" here.` };
    },
    getToolsExpanded: () => now('toolsExpanded', false) === true,
    setToolsExpanded: (isExpanded: unknown) => tellScreen('expand', isExpanded === true),
    requestRender: () => undefined,
  };
  return Object.assign(ui, componentPlaces(screen, place, { tell, refuse, noEffect: NO_EFFECT }));
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

function optional(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : text(value);
}
