/** A seat on a real screen that draws on a terminal of xterm.js; keys go in as a terminal sends them. */
import { onTestFinished } from 'vitest';
import headless from '@xterm/headless';
import { MainScreen, type Terminal, type TerminalHandlers } from '@tenon/screen';
import { until } from '@tenon/test-kit/waiting';
import { Keymap } from '../src/keys/keymap.ts';
import type { DialogSeat } from '../src/dialogs/index.ts';
import type { Dialog } from '../src/seat.ts';
import { text, theme } from './cards-style.ts';

class Emulator implements Terminal {
  readonly #xterm: InstanceType<typeof headless.Terminal>;
  readonly columns: number;
  readonly rows: number;
  #handlers: TerminalHandlers | undefined;

  constructor(columns: number, rows: number) {
    this.columns = columns;
    this.rows = rows;
    this.#xterm = new headless.Terminal({ cols: columns, rows, scrollback: 1000, allowProposedApi: true });
    this.#xterm.onData((data) => this.type(data));
  }

  open(handlers: TerminalHandlers): void {
    this.#handlers = handlers;
    this.#xterm.write('\x1b[?7l');
  }

  write(data: string): boolean {
    this.#xterm.write(data);
    return true;
  }

  close(): void {
    this.#handlers = undefined;
  }

  stopProcess(onContinue: () => void): void {
    onContinue();
  }

  type(data: string): void {
    this.#handlers?.onInput(Buffer.from(data));
  }

  async shown(): Promise<string[]> {
    await new Promise<void>((resolve) => this.#xterm.write('', resolve));
    const { active } = this.#xterm.buffer;
    const rows = Array.from(
      { length: this.rows },
      (_, at) =>
        active
          .getLine(active.baseY + at)
          ?.translateToString(true)
          .trimEnd() ?? '',
    );
    while (rows.at(-1) === '') rows.pop();
    return rows;
  }
}

/** What a test works with. */
export class Desk implements DialogSeat {
  readonly #terminal: Emulator;
  readonly #screen: MainScreen;
  readonly #dialogs: { readonly component: Dialog; close(): void }[] = [];
  readonly text = text;
  readonly theme = theme;
  readonly notices: string[] = [];
  draft = '';
  /** The clock of the dialogs: moved by hand, so that no test waits for real seconds. */
  time = 0;

  constructor(columns = 80, rows = 30) {
    this.#terminal = new Emulator(columns, rows);
    this.#screen = new MainScreen({
      terminal: this.#terminal,
      text,
      onError: (fault) => {
        throw fault;
      },
    });
    this.#screen.add({ render: (width) => this.#dialogs.at(-1)?.component.render(width) ?? ['the editor'] });
    this.#screen.setFocus({ render: () => [], handleInput: (data) => this.#key(data) });
    this.#screen.start();
    onTestFinished(() => this.#screen.stop());
  }

  readonly now = (): number => this.time;

  get rows(): number {
    return this.#screen.height;
  }

  #key(data: string): void {
    const front = this.#dialogs.at(-1);
    if (front && front.component.ownsEscape !== true && (data === '\x1b' || data === '\x03')) return front.close();
    front?.component.handleInput?.(data);
  }

  ask<T>(make: (done: (answer: T | undefined) => void) => Dialog, signal?: AbortSignal): Promise<T | undefined> {
    return new Promise((resolve) => {
      const done = (answer: T | undefined) => {
        const at = this.#dialogs.indexOf(entry);
        if (at < 0) return;
        this.#dialogs.splice(at, 1);
        this.requestFrame();
        resolve(answer);
      };
      const entry = { component: make(done), close: () => done(undefined) };
      this.#dialogs.push(entry);
      signal?.addEventListener('abort', entry.close, { once: true });
      this.requestFrame();
    });
  }

  notify(line: string): void {
    this.notices.push(line);
  }

  setDraft(draft: string): void {
    this.draft = draft;
  }

  requestFrame(): void {
    this.#screen.requestFrame();
  }

  readonly keymap = new Keymap();

  keysOf(action: string): readonly string[] {
    return this.keymap.keysOf(action);
  }

  isKey(data: string, action: string): boolean {
    return this.keymap.isKey(data, action);
  }

  /** The rows of the screen. */
  shown(): Promise<string[]> {
    return this.#terminal.shown();
  }

  /** Waits until the screen shows it. */
  async sees(what: string | RegExp): Promise<string[]> {
    let rows: string[] = [];
    const holds = async () => {
      rows = await this.shown();
      const all = rows.join('\n');
      return typeof what === 'string' ? all.includes(what) : what.test(all);
    };
    await until(holds, `the screen shows ${String(what)}`).catch((fault: unknown) => {
      throw new Error(`${String(fault)}\n${rows.join('\n')}`);
    });
    return rows;
  }

  /** Types keys, long after what is shown was drawn. */
  async type(...keys: readonly string[]): Promise<void> {
    this.time += 1000;
    for (const key of keys) {
      this.#terminal.type(key);
      // A lone escape is known by the silence after it.
      if (key === '\x1b') await new Promise((resolve) => setTimeout(resolve, 60));
    }
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Types keys at once. */
  typeAhead(...keys: readonly string[]): void {
    for (const key of keys) this.#terminal.type(key);
  }
}

export const KEY = { up: '\x1b[A', down: '\x1b[B', enter: '\r', escape: '\x1b', pageDown: '\x1b[6~', left: '\x1b[D' };
