/** A terminal of xterm.js that a screen draws on: what it shows, and what was written to it. */
import headless from '@xterm/headless';

import type { Terminal, TerminalHandlers } from '../../src/index.ts';

/** What a terminal does with its rows when its size changes: breaks those that are too wide, or cuts them; then rows do not come back from the scrollback either. */
export type RowsOnResize = 'broken' | 'cut';

export class Emulator implements Terminal {
  readonly #xterm: InstanceType<typeof headless.Terminal>;
  /** A terminal that answers no query. */
  isMute: boolean;
  readonly #onResize: RowsOnResize;
  readonly writes: string[] = [];
  /** Where images of iTerm2 were drawn: a line counted from the first of the scrollback. */
  readonly images: { line: number; column: number; rows: number }[] = [];
  /** How often a row of a drawn image was erased. */
  damages = 0;
  handlers: TerminalHandlers | undefined;

  /** `answers: false` is a terminal that answers no query. */
  constructor(columns: number, rows: number, answers = true, onResize: RowsOnResize = 'broken') {
    this.#xterm = new headless.Terminal({
      cols: columns,
      rows,
      scrollback: 100_000,
      allowProposedApi: true,
      // An old console of Windows is the one terminal without reflow that xterm.js can be.
      ...(onResize === 'cut' && { windowsPty: { backend: 'conpty', buildNumber: 1 } }),
    });
    this.isMute = !answers;
    this.#onResize = onResize;
    this.#xterm.parser.registerOscHandler(1337, (data) => {
      const { baseY, cursorX, cursorY } = this.#xterm.buffer.active;
      this.images.push({ line: baseY + cursorY, column: cursorX, rows: Number(/height=(\d+)/.exec(data)?.[1]) });
      return true;
    });
    this.#xterm.parser.registerCsiHandler({ final: 'K' }, () => {
      const line = this.#xterm.buffer.active.baseY + this.#xterm.buffer.active.cursorY;
      if (this.images.some((image) => line >= image.line && line < image.line + image.rows)) this.damages += 1;
      return false;
    });
    this.#xterm.onData((data) => {
      if (!this.isMute) this.handlers?.onInput(Buffer.from(data));
    });
  }

  get columns(): number {
    return this.#xterm.cols;
  }

  get rows(): number {
    return this.#xterm.rows;
  }

  write(data: string): boolean {
    this.writes.push(data);
    this.#xterm.write(data);
    return true;
  }

  open(handlers: TerminalHandlers): void {
    this.handlers = handlers;
    this.#xterm.write('\x1b[?7l');
  }

  close(last: string): void {
    this.#xterm.write(last);
    this.handlers = undefined;
  }

  stopProcess(onContinue: () => void): void {
    onContinue();
  }

  /** Waits until everything written is on the screen. */
  settle(): Promise<void> {
    return new Promise((resolve) => this.#xterm.write('', resolve));
  }

  resize(columns: number, rows: number): void {
    this.#xterm.resize(columns, rows);
    this.handlers?.onResize();
  }

  /** Scrollback and screen; what was broken by a narrower screen is one row, blank rows at the end are left out. */
  contents(): string[] {
    const buffer = this.#xterm.buffer.normal;
    const rows: string[] = [];
    for (let at = 0; at < buffer.length; at += 1) {
      const line = buffer.getLine(at);
      // Behind the last column of a cut row xterm.js keeps what it does not show.
      const row = line?.translateToString(true, 0, this.#onResize === 'cut' ? this.columns : undefined) ?? '';
      // That console guesses which rows belong together; ours never do.
      if (line?.isWrapped && this.#onResize === 'broken') rows[rows.length - 1] += row;
      else rows.push(row);
    }
    while (rows.at(-1)?.trimEnd() === '') rows.pop();
    return rows.map((row) => row.trimEnd());
  }

  /** Where the cursor is on the screen. */
  cursor(): { row: number; column: number } {
    const { cursorX, cursorY } = this.#xterm.buffer.active;
    return { row: cursorY, column: cursorX };
  }

  /** The text of one row of the screen. */
  screenRow(row: number): string {
    const buffer = this.#xterm.buffer.active;
    return buffer.getLine(buffer.baseY + row)?.translateToString(true) ?? '';
  }

  /** The text of all rows of the screen. */
  screenRows(): string[] {
    return Array.from({ length: this.rows }, (_, row) => this.screenRow(row).trimEnd());
  }

  /** Whether the alternate screen is shown. */
  get isAlternate(): boolean {
    return this.#xterm.buffer.active.type === 'alternate';
  }
}
