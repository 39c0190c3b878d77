/** A seat for tests: a real screen on a terminal of xterm.js, keys in, text out, and everything else recorded. */
import { type AgentSession, agentFactory } from '@tenon/agent/api';
import type { Kernel } from '@tenon/kernel';
import type { ModeCall } from '@tenon/modes/api';
import { loadAccelerator } from '@tenon/native';
import { MainScreen, readKey, type Terminal, type TerminalHandlers } from '@tenon/screen';
import { sessionStore } from '@tenon/sessions/api';
import { createWorld, type WorldOptions } from '@tenon/test-kit/agent-world';
import { later } from '@tenon/test-kit/temporary';
import { until } from '@tenon/test-kit/waiting';
import headless from '@xterm/headless';
import { Keymap } from '../src/keys/keymap.ts';
import type { Dialog, Seat } from '../src/seat.ts';
import { plainTheme } from './plain-theme.ts';

const COLUMNS = 100;
const ROWS = 30;

class Emulator implements Terminal {
  readonly #xterm = new headless.Terminal({ cols: COLUMNS, rows: ROWS, scrollback: 1_000, allowProposedApi: true });
  #handlers: TerminalHandlers | undefined;
  readonly columns = COLUMNS;
  readonly rows = ROWS;

  write(data: string): boolean {
    this.#xterm.write(data);
    return true;
  }

  open(handlers: TerminalHandlers): void {
    this.#handlers = handlers;
  }

  close(last: string): void {
    this.#xterm.write(last);
  }

  stopProcess(onContinue: () => void): void {
    onContinue();
  }

  type(data: string): void {
    this.#handlers?.onInput(Buffer.from(data));
  }

  contents(): string {
    const buffer = this.#xterm.buffer.normal;
    const rows = Array.from({ length: buffer.length }, (_, at) => buffer.getLine(at)?.translateToString(true) ?? '');
    return rows.join('\n').trimEnd();
  }
}

const KEYS: Readonly<Record<string, string>> = {
  enter: '\r',
  escape: '\x1b',
  up: '\x1b[A',
  down: '\x1b[B',
  left: '\x1b[D',
  right: '\x1b[C',
  end: '\x1b[F',
  home: '\x1b[H',
  tab: '\t',
  backspace: '\x7f',
};

/** A seat and what a test does with it. */
export class TestSeat implements Seat {
  readonly ctx: Seat['ctx'];
  readonly call: ModeCall;
  readonly agent: AgentSession;
  readonly text: Seat['text'];
  readonly columns = COLUMNS;
  readonly rows = ROWS;
  theme = plainTheme;
  readonly notices: string[] = [];
  readonly printed: string[] = [];
  draft = '';
  shownSessions = 0;
  readonly #terminal = new Emulator();
  readonly #screen: MainScreen;
  readonly #faults: unknown[] = [];

  constructor(kernel: Kernel, agent: AgentSession, text: Seat['text']) {
    this.ctx = kernel;
    this.agent = agent;
    this.text = text;
    // Pickers use nothing of the call but its signal.
    this.call = { signal: new AbortController().signal } as ModeCall;
    this.#screen = new MainScreen({ terminal: this.#terminal, text, onError: (fault) => this.#faults.push(fault) });
    this.#screen.start();
    later(() => this.#screen.stop());
  }

  ask<T>(make: (done: (answer: T | undefined) => void) => Dialog, signal?: AbortSignal): Promise<T | undefined> {
    return new Promise((resolve) => {
      const finish = (answer: T | undefined) => {
        this.#screen.remove(shown);
        resolve(answer);
      };
      const dialog = make(finish);
      const shown: Dialog = {
        render: (width) => dialog.render(width),
        handleInput: (data) => {
          const key = readKey(data);
          const closes = key?.name === 'escape' || (key?.ctrl === true && key.name === 'c');
          if (closes && dialog.ownsEscape !== true) finish(undefined);
          else dialog.handleInput?.(data);
        },
      };
      signal?.addEventListener('abort', () => finish(undefined), { once: true });
      if (signal?.aborted) return finish(undefined);
      this.#screen.add(shown);
      this.#screen.setFocus(shown);
    });
  }

  askFullscreen<T>(make: (done: (answer: T | undefined) => void) => Dialog): Promise<T | undefined> {
    return this.ask(make);
  }

  notify(text: string): void {
    this.notices.push(text);
  }

  print(rows: readonly string[]): void {
    this.printed.push(...rows);
  }

  requestFrame(): void {
    this.#screen.requestFrame();
  }

  setDraft(text: string): void {
    this.draft = text;
  }

  readonly keymap = new Keymap();

  keysOf(action: string): readonly string[] {
    return this.keymap.keysOf(action);
  }

  isKey(data: string, action: string): boolean {
    return this.keymap.isKey(data, action);
  }

  showSession(): void {
    this.shownSessions += 1;
  }

  /** What the screen shows. */
  seen(): string {
    if (this.#faults.length > 0) throw this.#faults[0];
    return this.#terminal.contents();
  }

  /** Waits until the screen shows a text. */
  async sees(...texts: readonly string[]): Promise<void> {
    for (const text of texts) {
      await until(() => this.seen().includes(text), `the screen shows "${text}" (it shows:\n${this.seen()})`).catch(
        (fault: unknown) => {
          throw new Error(`no "${text}" on the screen, which shows:\n${this.seen()}\nnotices: ${this.notices}`, {
            cause: fault,
          });
        },
      );
    }
  }

  /** Waits until the screen no longer shows a text. */
  async losesSight(text: string): Promise<void> {
    await until(() => !this.seen().includes(text), `"${text}" leaves the screen`);
  }

  /** Presses keys by name; `ctrl+x` and text as it is. */
  press(...names: readonly string[]): void {
    for (const name of names) {
      const control = /^ctrl\+([a-z])$/.exec(name)?.[1];
      this.#terminal.type(
        control === undefined ? (KEYS[name] ?? name) : String.fromCodePoint(control.charCodeAt(0) - 0x60),
      );
    }
  }

  /** The row that is selected. */
  selected(): string {
    return (
      this.seen()
        .split('\n')
        .find((row) => row.startsWith('❯ ')) ?? ''
    );
  }
}

/** A real agent with a seat. */
export async function seatedWorld(options: WorldOptions = {}) {
  const world = await createWorld(options);
  const { kernel, cwd } = world;
  const store = await kernel.find(sessionStore);
  const factory = await kernel.find(agentFactory);
  const { agent } = await factory.create({ session: await store.create({ cwd }), cwd });
  later(() => agent.dispose());
  const seat = new TestSeat(kernel, agent, await loadAccelerator('text'));
  // As the screen does.
  agent.subscribe((event) => {
    if (event.type === 'session_switch') seat.showSession();
  });
  return { ...world, store, agent, seat };
}
