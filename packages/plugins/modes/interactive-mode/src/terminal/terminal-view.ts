/** A program of the agent on the whole screen: the user sees its terminal and types into it. */
import { keyHints, type Theme } from '@tenon/components';
import type { LiveTerminal } from '@tenon/host';
import { CURSOR_MARKER, readKey } from '@tenon/screen';
import type { Accelerators } from '@tenon/native';
import type { Dialog, Seat } from '../seat.ts';
import { keyBytes } from './key-bytes.ts';

/** What the view needs. */
export interface TerminalViewParts extends Pick<Seat, 'isKey' | 'keysOf'> {
  readonly terminal: LiveTerminal;
  theme(): Theme;
  readonly text: Accelerators['text'];
  rows(): number;
  /** The user goes back to the conversation; the program runs on. */
  onLeave(): void;
  requestFrame(): void;
}

/** Columns of the title that a narrow screen keeps. */
const LEAST_TITLE = 8;

const PASTE = /^\u001b\[200~([^]*)\u001b\[201~$/; // oxlint-disable-line no-control-regex -- the brackets of a paste

/** Shows a terminal. Two keys are the screen's own, `terminal.leave` and `terminal.stop`: all others are the program's. */
export class TerminalView implements Dialog {
  /** Escape belongs to the program: editors live by it. */
  readonly ownsEscape = true;
  readonly #parts: TerminalViewParts;
  readonly #unwatch: () => void;
  #size = '';

  constructor(parts: TerminalViewParts) {
    this.#parts = parts;
    this.#unwatch = parts.terminal.onChange(() => parts.requestFrame());
  }

  render(width: number): string[] {
    return this.renderScreen(width, this.#parts.rows());
  }

  /** All rows of the screen: one for the title, the rest for the program. */
  renderScreen(width: number, height: number): string[] {
    const { terminal, theme, text } = this.#parts;
    const room = Math.max(1, height - 1);
    if (this.#size !== `${width}x${room}`) {
      this.#size = `${width}x${room}`;
      terminal.resize(width, room);
    }
    const look = theme();
    const keys = keyHints(this.#parts, [
      ['terminal.leave', 'leaves it running'],
      ['terminal.stop', 'ends it'],
    ]);
    const help = keys === '' ? '' : ` · ${keys}`;
    // A long command must not hide the way out.
    const name = text.truncate(
      text.sanitize(terminal.title).replaceAll(/\s+/g, ' '),
      Math.max(LEAST_TITLE, width - 2 - text.width(help)),
    );
    const title = text.truncate(`${look.fg('accent', '▣')} ${look.bold(name)}${look.fg('dim', help)}`, width);
    const caret = terminal.caret();
    const rows = terminal
      .rows()
      .slice(0, room)
      .map((row, index) => {
        const clean = text.sanitize(row, { keepStyle: true });
        return caret?.row === index ? withCaret(clean, caret.column, text) : clean;
      });
    return [title, ...rows];
  }

  handleInput(data: string): void {
    const { terminal, onLeave } = this.#parts;
    const pasted = PASTE.exec(data)?.[1];
    if (pasted !== undefined) return terminal.write(terminal.bracketsPastes ? data : asTyped(pasted));
    if (this.#parts.isKey(data, 'terminal.leave')) return onLeave();
    if (this.#parts.isKey(data, 'terminal.stop')) return terminal.stop();
    const key = readKey(data);
    if (key?.event === 'release') return;
    terminal.write(key ? keyBytes(key, data, terminal.sendsApplicationKeys) : data);
  }

  /** Stops watching. */
  close(): void {
    this.#unwatch();
  }
}

/** A keyboard ends lines with Enter. */
const asTyped = (text: string): string => text.replaceAll(/\r?\n/g, '\r');

function withCaret(row: string, column: number, text: Accelerators['text']): string {
  const width = text.width(row);
  if (column >= width) return `${row}${' '.repeat(column - width)}${CURSOR_MARKER}`;
  return `${text.slice(row, 0, column)}${CURSOR_MARKER}${text.slice(row, column, width)}`;
}
