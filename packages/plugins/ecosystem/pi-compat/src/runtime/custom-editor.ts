/** Parts of pi's own screen that extensions build on. */
import type { PiTheme } from './shims/theme.ts';
import { Container, type Style, Text } from './shims/tui-basics.ts';
import { Editor } from './shims/tui-editor.ts';
import { CancellableLoader } from './shims/tui-loader.ts';

/** The editor that leaves Tenon's own keys to Tenon. */
export class CustomEditor extends Editor {
  onEscape: (() => void) | undefined;
  onCtrlD: (() => void) | undefined;
  readonly actionHandlers = new Map<string, () => void>();
  constructor(tui?: Editor['tui'], theme?: { readonly borderColor?: Style }, _keybindings?: unknown, options?: object) {
    super(tui, theme, options);
  }
  onAction(action: string, handler: () => void): void {
    this.actionHandlers.set(action, handler);
  }
  override handleInput(data: string): void {
    const { passKey } = (this.tui ?? {}) as { passKey?: (data: string) => boolean };
    // Ctrl-D deletes as long as there is something to delete.
    const isForScreen = data !== '\u0004' || this.getText() === '';
    if (isForScreen && passKey?.(data) === true) return;
    super.handleInput(data);
  }
}

/** The parts that need the theme. */
export function themedParts(theme: PiTheme): Record<string, unknown> {
  /** A line across the screen. */
  class DynamicBorder extends Text {
    readonly #color: Style;
    constructor(color?: Style) {
      super();
      this.#color = typeof color === 'function' ? color : (text) => theme.fg('border', text);
    }
    override render(width: number): string[] {
      return [this.#color('─'.repeat(Math.max(1, width)))];
    }
  }

  /** A loader between two lines. */
  class BorderedLoader extends Container {
    readonly #loader: CancellableLoader;
    constructor(tui?: { requestRender?(): void }, _theme?: unknown, message = 'Working…') {
      super();
      const accent: Style = (text) => theme.fg('accent', text);
      const muted: Style = (text) => theme.fg('muted', text);
      this.#loader = new CancellableLoader(tui, accent, muted, String(message));
      for (const part of [
        new DynamicBorder(),
        this.#loader,
        new Text(muted('esc to cancel'), 1, 0),
        new DynamicBorder(),
      ])
        this.addChild(part);
    }
    get signal(): AbortSignal {
      return this.#loader.signal;
    }
    get aborted(): boolean {
      return this.#loader.aborted;
    }
    set onAbort(callback: (() => void) | undefined) {
      this.#loader.onAbort = callback;
    }
    setMessage(message: string): void {
      this.#loader.setMessage(message);
    }
    override handleInput(data: string): void {
      this.#loader.handleInput(data);
    }
    override dispose(): void {
      this.#loader.dispose();
    }
  }
  return { DynamicBorder, BorderedLoader };
}
