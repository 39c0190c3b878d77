/**
 * A terminal at the end of a slow line: what is written is applied later, its answers come later, and it changes its size
 * before the program hears of it.
 */
import type { Terminal, TerminalHandlers } from '../../src/index.ts';
import { Emulator, type RowsOnResize } from './emulator.ts';

export class LateTerminal implements Terminal {
  readonly shown: Emulator;
  columns: number;
  rows: number;
  #handlers: TerminalHandlers | undefined;
  readonly #written: string[] = [];
  readonly #answers: Uint8Array[] = [];

  constructor(columns: number, rows: number, answers = true, onResize: RowsOnResize = 'broken') {
    this.shown = new Emulator(columns, rows, answers, onResize);
    this.columns = columns;
    this.rows = rows;
  }

  /** Whether writes or answers are on their way. */
  get isBehind(): boolean {
    return this.#written.length + this.#answers.length > 0;
  }

  write(data: string): boolean {
    this.#written.push(data);
    return true;
  }

  open(handlers: TerminalHandlers): void {
    this.#handlers = handlers;
    this.shown.open({ ...handlers, onInput: (part) => this.#answers.push(part), onResize: () => {} });
  }

  close(last: string): void {
    this.#written.push(last);
    this.#handlers = undefined;
  }

  stopProcess(onContinue: () => void): void {
    onContinue();
  }

  /** Applies the oldest writes. */
  async deliver(count = Infinity): Promise<void> {
    for (const data of this.#written.splice(0, Math.min(count, this.#written.length))) this.shown.write(data);
    await this.shown.settle();
  }

  /** Hands over the answers that the terminal has given. */
  answer(): void {
    for (const part of this.#answers.splice(0)) this.#handlers?.onInput(part);
  }

  /** The program hears which size the terminal has. */
  tell(): void {
    this.columns = this.shown.columns;
    this.rows = this.shown.rows;
    this.#handlers?.onResize();
  }
}
