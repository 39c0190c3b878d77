/** What components get as `tui`: the parts of pi's TUI that make sense when somebody else draws. */
import type { Callback } from './registrations.ts';
import { placementOf } from './overlay-options.ts';
import type { RuntimeScreen, Shown } from './screen.ts';
import { matchesKey } from './shims/keys.ts';
import type { Drawable } from './shims/tui-basics.ts';

/** The stand-in, as far as other parts of the runtime use it. */
export interface Tui {
  requestRender(): void;
  readonly terminal: { readonly columns: number; readonly rows: number; readonly [name: string]: unknown };
  /** Gives the screen a key that an editor does not want; false when the screen does not want it either. */
  passKey(data: string): boolean;
  readonly [name: string]: unknown;
}

const ASSUMED = { columns: 80, rows: 24 };

/** Makes the stand-in for one component. */
export function createTui(screen: RuntimeScreen, own: () => Shown): Tui {
  const overlays: { hide(): void }[] = [];
  const size = () => screen.state() ?? ASSUMED;
  const requestRender = () => screen.changed(own());
  const refused = (what: string) => () =>
    screen.parts.refuse(what, 'Components are drawn by Tenon; the terminal itself is out of reach.');
  return {
    requestRender,
    invalidate: () => {
      own().component?.invalidate?.();
      requestRender();
    },
    terminal: {
      get columns() {
        return size().columns;
      },
      get rows() {
        return size().rows;
      },
      kittyProtocolActive: false,
      write: refused('tui.terminal.write()'),
      hideCursor: () => undefined,
      showCursor: () => undefined,
      setTitle: (title: unknown) =>
        void screen.parts.bridge.call('ui', own().scope, 'setTitle', String(title)).catch(() => undefined), // nobody waits for a title
    },
    children: [],
    addChild: refused('tui.addChild()'),
    removeChild: () => undefined,
    setFocus: (component: Drawable | null) => {
      const shown = own();
      const hadFocus = shown.isFocused;
      screen.focus(shown, false);
      shown.target = component ?? shown.component;
      if (hadFocus || !shown.component) screen.focus(shown, true);
      requestRender();
    },
    showOverlay: (component: Drawable, options?: Record<string, unknown>) => {
      const handle = showOverlay(screen, own(), component, options);
      overlays.push(handle);
      return handle;
    },
    hideOverlay: () => overlays.pop()?.hide(),
    hasOverlay: () => overlays.length > 0,
    addInputListener: (listener: Callback) => screen.listen(own().scope, listener),
    start: refused('tui.start()'),
    stop: refused('tui.stop()'),
    getShowHardwareCursor: () => true,
    setShowHardwareCursor: () => undefined,
    passKey: (data) => {
      const keys = ['escape', 'ctrl+c', ...(screen.state()?.ownKeys ?? [])];
      if (!keys.some((key) => matchesKey(data, key))) return false;
      screen.tell(own().scope, 'pass', own().id, data);
      return true;
    },
  };
}

/** How an extension handles an overlay of its own. */
export function overlayHandle(screen: RuntimeScreen, shown: Shown): Record<string, unknown> & { hide(): void } {
  let isHidden = false;
  return {
    hide: () => screen.close(shown),
    setHidden: (hidden: boolean) => {
      isHidden = hidden === true;
      screen.tell(shown.scope, 'hidden', shown.id, isHidden);
    },
    isHidden: () => isHidden,
    focus: () => screen.tell(shown.scope, 'focus', shown.id, true),
    unfocus: () => screen.tell(shown.scope, 'focus', shown.id, false),
    isFocused: () => shown.isFocused,
  };
}

function showOverlay(
  screen: RuntimeScreen,
  parent: Shown,
  component: Drawable,
  options: Record<string, unknown> = {},
): ReturnType<typeof overlayHandle> {
  const shown = screen.begin(parent.scope);
  const { visible } = options;
  if (typeof visible === 'function')
    shown.isVisible = () => {
      const { columns, rows } = screen.state() ?? ASSUMED;
      return (visible as Callback)(columns, rows) !== false;
    };
  screen
    .open(shown, component, 'overlay', { overlay: placementOf(options), takesKeys: options['nonCapturing'] !== true })
    .catch((fault: unknown) => screen.parts.fault('tui.showOverlay()', fault));
  return overlayHandle(screen, shown);
}
