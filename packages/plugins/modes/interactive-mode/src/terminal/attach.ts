/** Shows terminals of programs, one at a time; those that wait, and those that the user left, come up again by a key. */
import type { LiveTerminal } from '@tenon/host';
import type { App } from '../app.ts';
import { TerminalView } from './terminal-view.ts';

/** The terminals of a run. */
export class TerminalDesk {
  readonly #app: App;
  readonly #open: LiveTerminal[] = [];
  #close: (() => void) | undefined;
  #shown: LiveTerminal | undefined;

  constructor(app: App) {
    this.#app = app;
  }

  /** A program has a terminal; the result takes it away. */
  attach(terminal: LiveTerminal): () => void {
    this.#open.push(terminal);
    this.show();
    return () => {
      const at = this.#open.indexOf(terminal);
      if (at >= 0) this.#open.splice(at, 1);
      if (this.#shown === terminal) this.#close?.();
    };
  }

  /** How many programs have one. */
  get count(): number {
    return this.#open.length;
  }

  /** Shows the newest, unless one is shown. */
  show(): void {
    const terminal = this.#open.at(-1);
    if (!terminal || this.#shown) return;
    this.#shown = terminal;
    let view: TerminalView | undefined;
    void this.#app
      .askFullscreen<void>((done) => {
        this.#close = () => done(undefined);
        view = new TerminalView({
          terminal,
          theme: () => this.#app.theme,
          text: this.#app.text,
          rows: () => this.#app.rows,
          isKey: (data, action) => this.#app.isKey(data, action),
          keysOf: (action) => this.#app.keysOf(action),
          onLeave: () => done(undefined),
          requestFrame: () => this.#app.requestFrame(),
        });
        return view;
      })
      .then(() => {
        view?.close();
        this.#shown = undefined;
        this.#close = undefined;
        if (this.#open.includes(terminal)) this.#app.notify(`${terminal.title} runs on; /terminal shows it again.`);
      });
  }
}
