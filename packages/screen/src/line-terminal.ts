/** A terminal that knows no sequences: it shows lines, and gives a line when Enter is pressed. */
import type { ReadStream, WriteStream } from 'node:tty';
import { StringDecoder } from 'node:string_decoder';
import { ProcessTerminal, type Terminal, type TerminalHandlers } from './terminal.ts';

const CTRL_C = Buffer.from('\x03');
// oxlint-disable-next-line no-control-regex -- controls are what this is about
const CONTROLS = /[\x00-\x1f\x7f]/g;

/** The terminal of this process, left as it is: it shows what is typed by itself, and line by line. */
export class LineTerminal implements Terminal {
  readonly #input: ReadStream;
  readonly #output: WriteStream;
  readonly #size: ProcessTerminal;
  #undo: (() => void)[] = [];
  #decoder = new StringDecoder('utf8');
  #line = '';
  /** What a line stands for, as keys; set by the screen. */
  keysOf: (line: string) => string = (line) => line;

  constructor(input: ReadStream = process.stdin, output: WriteStream = process.stdout) {
    this.#input = input;
    this.#output = output;
    this.#size = new ProcessTerminal(input, output);
  }

  get columns(): number {
    return this.#size.columns;
  }

  get rows(): number {
    return this.#size.rows;
  }

  write(data: string): boolean {
    return this.#output.write(data);
  }

  open(handlers: TerminalHandlers): void {
    if (this.#undo.length > 0) return;
    if (this.#input.isRaw) this.#input.setRawMode(false);
    this.#on(this.#input, 'data', (part: Uint8Array) => this.#take(part, handlers));
    // Ctrl-D in an empty line. Nothing more is drawn then, and the cursor stands behind the question.
    this.#on(this.#input, 'end', () => {
      this.#output.write('\n');
      handlers.onGone(new Error('the input ended'));
    });
    this.#on(this.#input, 'error', (error: Error) => handlers.onGone(error));
    this.#on(this.#output, 'error', (error: Error) => handlers.onGone(error));
    this.#on(this.#output, 'drain', () => handlers.onDrain());
    this.#on(this.#output, 'resize', () => handlers.onResize());
    // The terminal makes a signal of Ctrl-C here; for the screen it is a key as any other.
    this.#on(process, 'SIGINT', () => handlers.onInput(CTRL_C));
    this.#input.resume();
  }

  close(last: string): void {
    if (this.#undo.length === 0) return;
    for (const undo of this.#undo.splice(0)) undo();
    this.#input.pause();
    this.#output.write(last);
  }

  lend(): () => void {
    return this.#size.lend();
  }

  stopProcess(onContinue: () => void): void {
    this.#size.stopProcess(onContinue);
  }

  #take(part: Uint8Array, handlers: TerminalHandlers): void {
    const lines = (this.#line + this.#decoder.write(Buffer.from(part))).split(/\r?\n/);
    this.#line = lines.pop() ?? '';
    for (const line of lines) handlers.onInput(Buffer.from(this.keysOf(line.replaceAll(CONTROLS, ' '))));
  }

  #on<T>(emitter: NodeJS.EventEmitter, event: string, listener: (value: T) => void): void {
    emitter.on(event, listener);
    this.#undo.push(() => emitter.off(event, listener));
  }
}
