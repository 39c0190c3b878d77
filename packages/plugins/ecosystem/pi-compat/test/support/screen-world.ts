/** A real screen on a terminal of xterm.js, as the place where extensions show their components. */
import headless from '@xterm/headless';
import type {
  ComponentOptions,
  ComponentPlace,
  ComponentScreen,
  RemoteComponent,
  RemoteEditor,
  ScreenTheme,
  ShownComponent,
  ShownEditor,
} from '@tenon/host';
import { loadAccelerator } from '@tenon/native';
import { type Component, MainScreen, type Terminal, type TerminalHandlers } from '@tenon/screen';
import { until } from '@tenon/test-kit/waiting';

class Emulator implements Terminal {
  readonly #xterm: InstanceType<typeof headless.Terminal>;
  handlers: TerminalHandlers | undefined;
  frames = 0;
  constructor(columns: number, rows: number) {
    this.#xterm = new headless.Terminal({ cols: columns, rows, allowProposedApi: true });
    this.#xterm.onData((data) => this.handlers?.onInput(Buffer.from(data)));
  }
  get columns(): number {
    return this.#xterm.cols;
  }
  get rows(): number {
    return this.#xterm.rows;
  }
  write(data: string): boolean {
    this.frames++;
    this.#xterm.write(data);
    return true;
  }
  open(handlers: TerminalHandlers): void {
    this.handlers = handlers;
  }
  close(): void {
    this.handlers = undefined;
  }
  stopProcess(onContinue: () => void): void {
    onContinue();
  }
  resize(columns: number, rows: number): void {
    this.#xterm.resize(columns, rows);
    this.handlers?.onResize();
  }
  contents(): string {
    const { normal } = this.#xterm.buffer;
    const rows = Array.from({ length: normal.length }, (_, at) => normal.getLine(at)?.translateToString(true) ?? '');
    return rows.join('\n').trimEnd();
  }
  /** The colour of the first character of a text on the screen, of the 256; nothing when it has the terminal's own. */
  colorOf(text: string): number | undefined {
    const { normal } = this.#xterm.buffer;
    for (let at = 0; at < normal.length; at++) {
      const line = normal.getLine(at);
      const column = line?.translateToString(true).indexOf(text) ?? -1;
      const cell = column < 0 ? undefined : line?.getCell(column);
      if (cell) return cell.isFgDefault() ? undefined : cell.getFgColor();
    }
    return undefined;
  }
}

/** The colours of the screen at first. */
export const DARK: ScreenTheme = {
  name: 'dark',
  isDark: true,
  colors: { accent: '\u001b[38;5;42m', muted: '\u001b[38;5;8m', selectedBg: '\u001b[48;5;4m' },
};
const LIGHT: ScreenTheme = { name: 'light', isDark: false, colors: { accent: '\u001b[38;5;21m' } };

/** A screen with an editor of one line, on which components can be shown. */
export class TestScreen implements ComponentScreen {
  readonly terminal: Emulator;
  readonly sent: string[] = [];
  readonly passed: string[] = [];
  readonly working: (string | undefined)[] = [];
  draft = '';
  expanded = false;
  readonly sources = new Set<Parameters<ComponentScreen['addCompletions']>[0]>();
  readonly #screen: MainScreen;
  readonly #shown: { readonly component: RemoteComponent; readonly place: ComponentPlace | 'editor' }[] = [];
  readonly #watchers = new Set<() => void>();
  readonly #listeners = new Set<(data: string) => Promise<string | undefined>>();
  #theme = DARK;

  static async make(columns = 60, rows = 20): Promise<TestScreen> {
    return new TestScreen(columns, rows, await loadAccelerator('text', 'js'));
  }

  private constructor(columns: number, rows: number, text: Awaited<ReturnType<typeof loadAccelerator<'text'>>>) {
    this.terminal = new Emulator(columns, rows);
    this.#screen = new MainScreen({
      terminal: this.terminal,
      text,
      onError: (error) => {
        throw error;
      },
    });
    this.#screen.add(this.#live());
    this.#screen.start();
  }

  close(): void {
    this.#screen.stop();
  }

  /** Everything that the terminal shows. */
  get contents(): string {
    return this.terminal.contents();
  }

  /** Waits for a text on the screen. */
  async see(text: string): Promise<void> {
    await until(() => this.contents.includes(text), `"${text}" on the screen, which shows:\n${this.contents}\n`);
  }

  /** Waits until a text is no longer on the screen. */
  async lose(text: string): Promise<void> {
    await until(() => !this.contents.includes(text), `the end of "${text}"`);
  }

  /** Presses keys, as the terminal would send them. */
  async press(...keys: string[]): Promise<void> {
    for (const key of keys) {
      let data: string | undefined = key;
      for (const listener of this.#listeners) data = data === undefined ? undefined : await listener(data);
      if (data === undefined) continue;
      const focused = this.#focused();
      if (focused) focused.handleInput(data);
      else this.draft += data;
    }
    this.#screen.requestFrame();
  }

  resize(columns: number, rows: number): void {
    this.terminal.resize(columns, rows);
    this.#tell();
  }

  show(component: RemoteComponent, place: ComponentPlace, _options: ComponentOptions): ShownComponent {
    return this.#put(component, place);
  }

  showEditor(editor: RemoteEditor, _options: ComponentOptions): ShownEditor {
    return {
      ...this.#put(editor, 'editor'),
      submit: (text) => void this.sent.push(text),
      edited: (text) => void (this.draft = text),
      pass: (data) => void this.passed.push(data),
    };
  }

  size = () => ({ columns: this.terminal.columns, rows: this.terminal.rows });
  theme = () => this.#theme;
  themes = () => ['dark', 'light'];
  setTheme(name: string): boolean {
    if (name !== 'dark' && name !== 'light') return false;
    this.#theme = name === 'dark' ? DARK : LIGHT;
    this.#tell();
    return true;
  }
  onChange(handler: () => void): () => void {
    this.#watchers.add(handler);
    return () => void this.#watchers.delete(handler);
  }
  editorText = () => this.draft;
  pasteText = (text: string) => void (this.draft += text);
  setWorking = (message: string | undefined) => void this.working.push(message);
  toolsExpanded = () => this.expanded;
  setToolsExpanded = (isExpanded: boolean) => void (this.expanded = isExpanded);
  ownKeys = () => ['ctrl+o'];
  onInput(handler: (data: string) => Promise<string | undefined>): () => void {
    this.#listeners.add(handler);
    return () => void this.#listeners.delete(handler);
  }
  get listens(): number {
    return this.#listeners.size;
  }
  addCompletions(source: Parameters<ComponentScreen['addCompletions']>[0]): () => void {
    this.sources.add(source);
    return () => void this.sources.delete(source);
  }

  #put(component: RemoteComponent, place: ComponentPlace | 'editor'): ShownComponent {
    const entry = { component, place };
    this.#shown.push(entry);
    this.#screen.requestFrame();
    return {
      changed: () => this.#screen.requestFrame(),
      setHidden: () => undefined,
      setFocus: () => undefined,
      close: () => {
        const at = this.#shown.indexOf(entry);
        if (at !== -1) this.#shown.splice(at, 1);
        this.#screen.requestFrame();
      },
    };
  }

  #focused(): RemoteComponent | undefined {
    const takesKeys = ['dialog', 'overlay', 'editor'];
    return this.#shown.findLast(({ place }) => typeof place === 'string' && takesKeys.includes(place))?.component;
  }

  #tell(): void {
    for (const handler of this.#watchers) handler();
  }

  #live(): Component {
    const rowsOf = (width: number, fits: (place: ComponentPlace | 'editor') => boolean) =>
      this.#shown.flatMap(({ component, place }) => (fits(place) ? component.render(width) : []));
    return {
      render: (width) => [
        ...rowsOf(width, (place) => place === 'header'),
        ...rowsOf(width, (place) => typeof place === 'object' && place.above),
        `> ${this.draft}`,
        ...rowsOf(width, (place) => place === 'dialog' || place === 'overlay' || place === 'editor'),
        ...rowsOf(width, (place) => typeof place === 'object' && !place.above),
        ...rowsOf(width, (place) => place === 'footer'),
      ],
    };
  }
}
