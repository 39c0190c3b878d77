/** Lines of pi-tui that say that something goes on. */
import { getEditorKeybindings } from './keybindings.ts';
import { type Style, Text } from './tui-basics.ts';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 120;

interface Screen {
  requestRender?(): void;
}

/** A line that says that something goes on. */
export class Loader extends Text {
  readonly #screen: Screen | undefined;
  readonly #spinner: Style;
  readonly #color: Style;
  #message: string;
  #frame = 0;
  #timer: NodeJS.Timeout | undefined;
  constructor(screen?: Screen, spinner?: Style, color?: Style, message = 'Loading…') {
    super('', 1, 0);
    this.#screen = screen;
    this.#spinner = typeof spinner === 'function' ? spinner : String;
    this.#color = typeof color === 'function' ? color : String;
    this.#message = String(message);
    this.start();
  }
  start(): void {
    this.stop();
    this.#show();
    // Where nobody draws, nothing has to move.
    if (!this.#screen?.requestRender) return;
    this.#timer = setInterval(() => {
      this.#frame++;
      this.#show();
    }, FRAME_MS);
    this.#timer.unref();
  }
  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
  setMessage(message: string): void {
    this.#message = String(message);
    this.#show();
  }
  override dispose(): void {
    this.stop();
  }
  override render(width: number): string[] {
    return ['', ...super.render(width)];
  }
  #show(): void {
    const frame = FRAMES[this.#frame % FRAMES.length] ?? '';
    this.setText(`${this.#spinner(frame)} ${this.#color(this.#message)}`);
    this.#screen?.requestRender?.();
  }
}

/** The same, with Esc to stop it. */
export class CancellableLoader extends Loader {
  readonly #controller = new AbortController();
  onAbort: (() => void) | undefined;
  get signal(): AbortSignal {
    return this.#controller.signal;
  }
  get aborted(): boolean {
    return this.#controller.signal.aborted;
  }
  override handleInput(data: string): void {
    if (!getEditorKeybindings().matches(data, 'selectCancel') || this.aborted) return;
    this.#controller.abort();
    this.onAbort?.();
  }
}
