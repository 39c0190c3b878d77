/** What a terminal would show, as text. */
import headless from '@xterm/headless';
import { styledRow } from './styled-row.ts';

type Terminal = InstanceType<typeof headless.Terminal>;
type ScreenBuffer = Terminal['buffer']['active'];

const MAX_SCROLLBACK = 10_000;

/** A terminal that nobody looks at. */
export class Screen {
  readonly #terminal: Terminal;

  constructor(columns: number, rows: number) {
    this.#terminal = new headless.Terminal({
      cols: columns,
      rows,
      scrollback: MAX_SCROLLBACK,
      allowProposedApi: true,
    });
  }

  /** Takes in raw output; resolves when it is on the screen. The bytes are copied. */
  write(bytes: Uint8Array): Promise<void> {
    const copy = Uint8Array.from(bytes);
    return new Promise((resolve) => this.#terminal.write(copy, resolve));
  }

  /** Another size; what was written is broken anew. */
  resize(columns: number, rows: number): void {
    this.#terminal.resize(Math.max(2, columns), Math.max(1, rows));
  }

  /** What can be seen now, with its styles. */
  styledRows(): string[] {
    const { active } = this.#terminal.buffer;
    return Array.from({ length: this.#terminal.rows }, (_, row) => styledRow(active.getLine(active.viewportY + row)));
  }

  /** Where the cursor is. */
  caret(): { readonly row: number; readonly column: number } {
    const { active } = this.#terminal.buffer;
    return { row: active.cursorY, column: active.cursorX };
  }

  /** Whether the program wants arrow keys in application form. */
  get sendsApplicationKeys(): boolean {
    return this.#terminal.modes.applicationCursorKeysMode;
  }

  /** Whether the program wants brackets around pastes. */
  get bracketsPastes(): boolean {
    return this.#terminal.modes.bracketedPasteMode;
  }

  /** Answers that the program asked its terminal for. */
  onAnswer(listener: (data: string) => void): void {
    this.#terminal.onData(listener);
  }

  /** What can be seen now. */
  visible(): string {
    const { active } = this.#terminal.buffer;
    return linesOf(active, active.viewportY, active.viewportY + this.#terminal.rows);
  }

  /** All that has been shown and not overwritten. What a full-screen program has left on its own screen comes last. */
  text(): string {
    const { normal, active } = this.#terminal.buffer;
    const all = linesOf(normal, 0, normal.length);
    return active.type === 'alternate' ? [all, this.visible()].filter(Boolean).join('\n') : all;
  }

  dispose(): void {
    this.#terminal.dispose();
  }
}

function linesOf(buffer: ScreenBuffer, from: number, to: number): string {
  const lines: string[] = [];
  for (let at = from; at < to; at++) {
    const line = buffer.getLine(at);
    const text = line?.translateToString(true) ?? '';
    // A line that was too long for the screen is one line all the same.
    if (line?.isWrapped && lines.length > 0) lines[lines.length - 1] += text;
    else lines.push(text);
  }
  return lines.join('\n').trimEnd();
}
