/** The places of the screen that extensions may take: header, footer, editor, and widgets beside it. */
import type { SessionScope } from '../protocol.ts';
import { text } from './plain.ts';
import type { Callback } from './registrations.ts';
import type { Place, RuntimeScreen, Shown } from './screen.ts';
import { getEditorKeybindings } from './shims/keybindings.ts';
import { componentThemes } from './shims/theme.ts';
import type { Drawable } from './shims/tui-basics.ts';

const WIDGET_WIDTH = 80;
const BRANCH_MS = 2_000;

/** What was put in a place, by its name; one table for each extension. */
const taken = new WeakMap<RuntimeScreen, Map<string, { readonly shown: Shown; readonly factory: unknown }>>();

/** The methods of `ctx.ui` that take a place. */
export function componentPlaces(
  screen: RuntimeScreen,
  scope: SessionScope,
  {
    tell,
    refuse,
    noEffect,
  }: {
    tell(method: string, ...args: unknown[]): void;
    refuse(what: string, instead: string): void;
    readonly noEffect: string;
  },
): Record<string, unknown> {
  const places = taken.get(screen) ?? new Map<string, { shown: Shown; factory: unknown }>();
  taken.set(screen, places);
  const leave = (name: string) => {
    const entry = places.get(name);
    places.delete(name);
    if (entry) screen.close(entry.shown);
  };
  const take = (name: string, place: Place, factory: unknown, make: (shown: Shown) => unknown) => {
    leave(name);
    const shown = screen.begin(scope);
    places.set(name, { shown, factory });
    const show = async () => {
      const component = (await make(shown)) as Drawable;
      if (typeof component?.render !== 'function') throw new TypeError('a component needs render()');
      await screen.open(shown, component, place);
    };
    show()
      .catch((fault: unknown) => screen.parts.fault(`the component of ${name}`, fault))
      .finally(() => places.get(name)?.shown === shown && places.delete(name));
  };
  const part = (what: string, place: 'header' | 'footer', more: (shown: Shown) => unknown[]) => (factory?: unknown) => {
    if (typeof factory !== 'function') return leave(place);
    if (!screen.state()) return refuse(`ui.${what}()`, noEffect);
    take(place, place, factory, (shown) => (factory as Callback)(shown.tui, screen.theme, ...more(shown)));
  };
  return {
    setHeader: part('setHeader', 'header', () => []),
    setFooter: part('setFooter', 'footer', (shown) => [footerData(screen, shown)]),
    setEditorComponent: (factory?: unknown) => {
      if (typeof factory !== 'function') return leave('editor');
      if (!screen.state()) return refuse('ui.setEditorComponent()', noEffect);
      take('editor', 'editor', factory, async (shown) => {
        const theme = componentThemes(screen.theme).getEditorTheme();
        return connected(screen, shown, await (factory as Callback)(shown.tui, theme, getEditorKeybindings()));
      });
    },
    getEditorComponent: () => places.get('editor')?.factory,
    setWidget: (key: unknown, content?: unknown, options?: unknown) => {
      const above = (options as { placement?: unknown } | undefined)?.placement !== 'belowEditor';
      const name = `widget ${text(key)}`;
      if (content === undefined || content === null) {
        leave(name);
        return tell('setWidget', text(key), undefined);
      }
      const isComponent = typeof content === 'function';
      if (!screen.state() || (above && !isComponent)) {
        leave(name);
        return tell('setWidget', text(key), isComponent ? drawnOnce(screen, content as Callback) : linesOf(content));
      }
      const lines = isComponent ? [] : linesOf(content);
      take(name, { widget: text(key), above }, content, (shown) =>
        isComponent ? (content as Callback)(shown.tui, screen.theme) : { render: () => lines },
      );
    },
  };
}

function linesOf(content: unknown): string[] {
  return (Array.isArray(content) ? content : [content]).map(text);
}

/** Where there is no screen, a component is drawn once. */
function drawnOnce(screen: RuntimeScreen, factory: Callback): string[] {
  const around = {
    requestRender: () => undefined,
    invalidate: () => undefined,
    terminal: { columns: WIDGET_WIDTH, rows: 24, write: () => undefined },
  };
  const component = factory(around, screen.theme) as Partial<Drawable> | undefined;
  const lines = component?.render?.(WIDGET_WIDTH) ?? [];
  component?.dispose?.();
  return lines.map(text);
}

/** What an editor says reaches the screen. */
function connected(screen: RuntimeScreen, shown: Shown, editor: unknown): unknown {
  if (typeof editor !== 'object' || editor === null) return editor;
  const fields = editor as Record<string, unknown>;
  fields['onSubmit'] = (value: unknown) => screen.tell(shown.scope, 'submit', shown.id, text(value));
  fields['onChange'] = (value: unknown) => {
    screen.tell(shown.scope, 'edited', shown.id, text(value));
    screen.changed(shown);
  };
  return editor;
}

/** What footers know beside the session: the branch of git, and what extensions say in the status line. */
function footerData(screen: RuntimeScreen, shown: Shown): Record<string, unknown> {
  const ask = () =>
    (screen.parts.bridge.ask('footer', shown.scope) ?? {}) as {
      branch?: string;
      statuses?: Record<string, string>;
      providers?: number;
    };
  return {
    getGitBranch: () => ask().branch ?? null,
    getExtensionStatuses: () => new Map(Object.entries(ask().statuses ?? {})),
    getAvailableProviderCount: () => ask().providers ?? 0,
    onBranchChange: (callback: Callback) => {
      let before = ask().branch;
      const timer = setInterval(() => {
        if (shown.isClosed) return clearInterval(timer);
        const { branch } = ask();
        if (branch === before) return;
        before = branch;
        callback();
      }, BRANCH_MS);
      timer.unref();
      return () => clearInterval(timer);
    },
  };
}
