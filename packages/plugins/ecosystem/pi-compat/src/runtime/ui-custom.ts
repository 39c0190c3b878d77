/** `ctx.ui.custom()`: shows a component until it says that it is done. */
import type { SessionScope } from '../protocol.ts';
import { placementOf } from './overlay-options.ts';
import type { Callback } from './registrations.ts';
import type { RuntimeScreen } from './screen.ts';
import { getEditorKeybindings } from './shims/keybindings.ts';
import type { Drawable } from './shims/tui-basics.ts';
import { overlayHandle } from './tui-stand-in.ts';

interface CustomOptions {
  readonly overlay?: boolean;
  readonly overlayOptions?: Record<string, unknown> | (() => Record<string, unknown>);
  readonly onHandle?: (handle: unknown) => void;
}

/** Resolves with what the component gave to `done`; with nothing when the user or Tenon closed it. */
export function customComponent(
  screen: RuntimeScreen,
  place: SessionScope,
  factory: unknown,
  given: unknown,
  signal?: AbortSignal,
): Promise<unknown> {
  if (typeof factory !== 'function') return Promise.reject(new TypeError('ui.custom() needs a function'));
  const options = (given ?? {}) as CustomOptions;
  const shown = screen.begin(place);
  return new Promise((resolve, reject) => {
    let result: unknown;
    const stop = () => screen.close(shown);
    shown.closed = () => {
      signal?.removeEventListener('abort', stop);
      resolve(result);
    };
    const done = (value: unknown) => {
      if (shown.isClosed) return;
      result = value;
      stop();
    };
    if (signal?.aborted === true) return stop();
    signal?.addEventListener('abort', stop, { once: true });
    const make = async () => {
      const component = (await (factory as Callback)(
        shown.tui,
        screen.theme,
        getEditorKeybindings(),
        done,
      )) as Drawable;
      if (typeof component?.render !== 'function') throw new TypeError('ui.custom() needs a component with render()');
      if (options.overlay !== true) return screen.open(shown, component, 'dialog');
      const overlay = overlayOf(options, component);
      const { visible } = overlay;
      if (typeof visible === 'function')
        shown.isVisible = () => {
          const { columns, rows } = screen.state() ?? { columns: 80, rows: 24 };
          return (visible as Callback)(columns, rows) !== false;
        };
      const opened = screen.open(shown, component, 'overlay', {
        overlay: placementOf(overlay),
        takesKeys: overlay['nonCapturing'] !== true,
      });
      options.onHandle?.(overlayHandle(screen, shown));
      return opened;
    };
    make().catch((fault: unknown) => {
      screen.close(shown);
      reject(fault instanceof Error ? fault : new Error(String(fault)));
    });
  });
}

/** A component that names its width gets it, as in pi. */
function overlayOf({ overlayOptions }: CustomOptions, component: Drawable): Record<string, unknown> {
  const options = typeof overlayOptions === 'function' ? overlayOptions() : overlayOptions;
  if (options) return options;
  const { width } = component as { width?: unknown };
  return typeof width === 'number' ? { width } : {};
}
