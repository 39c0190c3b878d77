/** The screen of `tenon attach`: transcript, editor, dialogs and a status row, made of the parts of the interactive mode. */
import { Editor, type MarkdownModule, type MarkdownStyle, type Theme } from '@tenon/components';
import type { ScreenParts } from '@tenon/interactive-mode/api';
import { messageOf } from '@tenon/kernel';
import type { Accelerators } from '@tenon/native';
import type { Component, Screen, TerminalInput } from '@tenon/screen';
import type { CardStyle } from '@tenon/screen-slots/api';

/** How a message reaches an agent that works: between two of its steps, or when it is done. */
export type Delivery = 'steer' | 'followUp';

/** What is shown on the desk: a session or a run. */
export interface Feed {
  /** Its id; a session may become another one. */
  readonly id: string;
  readonly isWorking: boolean;
  /** Shows it and what becomes of it, until the signal aborts. */
  work(signal: AbortSignal): Promise<void>;
  submit(text: string, delivery: Delivery): Promise<void>;
  /** Stops what its agent does; absent where a key must not do that. */
  stop?(): void;
  /** What the status row says about it; of others, so it is cleaned before it is shown. */
  status(): string;
}

/** What a desk is made of. */
export interface DeskParts {
  readonly parts: ScreenParts;
  readonly text: Accelerators['text'];
  readonly markdown: MarkdownModule;
  readonly markdownStyle: MarkdownStyle;
  readonly keymap: InstanceType<ScreenParts['Keymap']>;
  readonly renderers: InstanceType<ScreenParts['RendererTable']>;
  readonly thoughts: 'all' | 'folded' | 'none';
  readonly editor: 'plain' | 'vi';
  readonly cwd: string;
  readonly url: string;
  theme(): Theme;
  newScreen(onInput: (input: TerminalInput) => boolean): Screen;
}

/** A question with some answers. */
export interface Choice {
  readonly title: string;
  readonly message?: string;
  readonly options: readonly string[];
}

/** A question that a text answers. */
export interface Wish {
  readonly title: string;
  readonly prefill?: string;
  readonly placeholder?: string;
  readonly isLong: boolean;
}

interface OpenDialog {
  readonly component: Component;
  close(): void;
}

const ACTIONS = ['app.interrupt', 'app.clear', 'app.exit', 'app.redraw', 'app.submitLater', 'app.expand'] as const;
const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧'];
const SPINNER_MS = 125;
const HINT_MS = 2_000;

/** Holds what is on the screen. */
export class Desk {
  readonly transcript: InstanceType<ScreenParts['Transcript']>;
  readonly screen: Screen;
  readonly #editor: Editor;
  readonly #parts: DeskParts;
  readonly #leaving: InstanceType<ScreenParts['Leaving']>;
  readonly #questions: InstanceType<ScreenParts['QuestionQueue']>;
  readonly #end = new AbortController();
  readonly #dialogs: OpenDialog[] = [];
  #feed: Feed | undefined;
  #isExpanded = false;
  #isConnected = true;
  #hint: string | undefined;
  #began = 0;
  #spinner: NodeJS.Timeout | undefined;

  constructor(parts: DeskParts) {
    this.#parts = parts;
    const { parts: screenParts, text, keymap } = parts;
    this.screen = parts.newScreen((input) => this.#onInput(input));
    this.transcript = new screenParts.Transcript({
      style: () => this.#style,
      renderer: (tool) => parts.renderers.for(tool),
      newAnswer: () => screenParts.newAnswerBlock(parts.markdown, parts.markdownStyle),
      thoughts: parts.thoughts,
      height: () => this.screen.height,
      append: (rows) => this.screen.append(rows),
      requestFrame: (isPart) => this.screen.requestFrame(isPart),
    });
    this.#questions = new screenParts.QuestionQueue();
    this.#editor = new Editor({
      text,
      keys: (data, action) => keymap.isKey(data, action),
      theme: () => parts.theme(),
      maxRows: () => Math.max(3, Math.floor(this.screen.height / 3)),
      maxAllRows: () => this.screen.height - 2,
      borderColor: () => 'borderMuted',
      placeholder: 'Say something to its agent · ctrl+d leaves, it goes on',
      requestFrame: () => this.requestFrame(),
      onError: (fault) => this.notify(messageOf(fault), 'warning'),
      onSubmit: (draft) => this.#submit(draft, 'steer'),
    });
    this.#editor.mode = parts.editor;
    this.#leaving = new screenParts.Leaving({
      draft: () => this.#editor.expandedText,
      clearDraft: () => {
        this.#editor.addHistory([this.#editor.expandedText]);
        this.#editor.setDraft('');
      },
      isRunning: () => this.#feed?.isWorking === true && this.#feed.stop !== undefined,
      stop: () => this.#feed?.stop?.(),
      leave: () => this.leave(),
      rewind: () => undefined,
      hint: (line) => this.#showHint(line),
    });
    this.screen.add({
      render: (width) => this.#render(width),
      invalidate: () => this.transcript.invalidate(),
      beforeFrame: () => this.transcript.settleDue(),
    });
    this.screen.setFocus({ render: () => [], handleInput: (data) => this.#target.handleInput?.(data) });
  }

  get theme(): Theme {
    return this.#parts.theme();
  }

  get text(): Accelerators['text'] {
    return this.#parts.text;
  }

  get rows(): number {
    return this.screen.height;
  }

  /** Keys of an action, as they are shown. */
  readonly keysOf = (action: string): readonly string[] => this.#parts.keymap.keysOf(action);

  readonly isKey = (data: string, action: string): boolean => this.#parts.keymap.isKey(data, action);

  readonly requestFrame = (): void => this.screen.requestFrame();

  /** A line of Tenon for the user. */
  readonly notify = (line: string, kind: 'info' | 'warning' | 'error' = 'info'): void =>
    this.transcript.notice(line, kind);

  /** A row that divides what is shown. */
  divide(name: string): void {
    const plain = this.text.truncate(
      this.text.sanitize(name).replaceAll('\n', ' '),
      Math.max(1, this.screen.columns - 6),
    );
    const rule = '─'.repeat(Math.max(0, this.screen.columns - this.text.width(plain) - 4));
    this.transcript.print(['', this.theme.fg('borderMuted', `── ${plain} ${rule}`)]);
  }

  /** Whether the server can be reached. */
  set isConnected(isConnected: boolean) {
    if (this.#isConnected === isConnected) return;
    this.#isConnected = isConnected;
    this.requestFrame();
  }

  /** The feed has begun or ended to work. */
  changed(): void {
    const isWorking = this.#feed?.isWorking === true;
    if (isWorking && !this.#spinner) {
      this.#began = performance.now();
      // Nothing moves while a question is open: the user reads.
      this.#spinner = setInterval(() => this.#dialogs.length === 0 && this.requestFrame(), SPINNER_MS).unref();
    }
    if (!isWorking) this.#stopSpinner();
    this.requestFrame();
  }

  /** Whether the user leaves: what is closed then is no answer. */
  get isLeaving(): boolean {
    return this.#end.signal.aborted;
  }

  /** Ends `work`. */
  readonly leave = (): void => this.#end.abort();

  /** Has the terminal until the work is done or the user leaves. */
  async work(work: (signal: AbortSignal) => Promise<void>, outside: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([this.#end.signal, outside]);
    const release = this.#parts.parts.guardErrorOutput(
      (line) => this.notify(line, 'warning'),
      () => false,
    );
    this.screen.start();
    try {
      await work(signal);
    } finally {
      this.#stopSpinner();
      release();
      // Late answers of the terminal would be typed into the shell.
      await this.screen.settle();
      this.screen.stop({ keepLive: false });
    }
  }

  /** Shows a feed until the user leaves. */
  async attend(feed: Feed, signal: AbortSignal): Promise<void> {
    this.#feed = feed;
    await feed.work(signal);
  }

  /** Asks with some answers; gives the place of the chosen one, and nothing when the user closed it or the signal aborted. */
  select(choice: Choice, signal?: AbortSignal): Promise<number | undefined> {
    const { SelectDialog, Countdown } = this.#parts.parts;
    const { options, ...rest } = choice;
    const question = { ...rest, options: options.map((label) => ({ label })) };
    return this.#ask<number>(
      (done) => new SelectDialog(this, question, { clock: new Countdown(undefined, this.requestFrame), done }),
      signal,
    );
  }

  /** Asks for a text. */
  write(wish: Wish, signal?: AbortSignal): Promise<string | undefined> {
    const { TextDialog, Countdown } = this.#parts.parts;
    return this.#ask<string>(
      (done) => new TextDialog(this, wish, { clock: new Countdown(undefined, this.requestFrame), done }),
      signal,
    );
  }

  #ask<T>(make: (done: (answer: T | undefined) => void) => Component, signal?: AbortSignal): Promise<T | undefined> {
    const until = signal ? AbortSignal.any([signal, this.#end.signal]) : this.#end.signal;
    return this.#questions.run(() => this.#open(make, until), until);
  }

  #open<T>(make: (done: (answer: T | undefined) => void) => Component, until: AbortSignal): Promise<T | undefined> {
    return new Promise((resolve) => {
      const done = (answer: T | undefined) => {
        const at = this.#dialogs.indexOf(open);
        if (at < 0) return;
        this.#dialogs.splice(at, 1);
        until.removeEventListener('abort', open.close);
        this.requestFrame();
        resolve(answer);
      };
      const open: OpenDialog = { component: make(done), close: () => done(undefined) };
      this.#dialogs.push(open);
      until.addEventListener('abort', open.close, { once: true });
      this.requestFrame();
    });
  }

  get #target(): Component {
    return this.#dialogs.at(-1)?.component ?? this.#editor;
  }

  /** Sees all input first; true keeps it from whoever has the keys. */
  #onInput(input: TerminalInput): boolean {
    if (input.kind !== 'key' || input.key.event === 'release') return false;
    const { data } = input;
    if (this.isKey(data, 'app.suspend')) {
      this.screen.suspend();
      return true;
    }
    const action = this.#parts.keymap.actionOf(data, ACTIONS);
    const dialog = this.#dialogs.at(-1);
    if (dialog) {
      if (action === 'app.exit') this.leave();
      else if (action === 'app.interrupt' || action === 'app.clear') dialog.close();
      else return false;
      return true;
    }
    if (action === undefined || (action === 'app.interrupt' && this.#editor.wantsEscape)) return false;
    if (action === 'app.exit' && this.#editor.text !== '') return false;
    this.#do(action);
    this.requestFrame();
    return true;
  }

  #do(action: (typeof ACTIONS)[number]): void {
    if (action === 'app.exit') this.leave();
    else if (action === 'app.clear') this.#leaving.clear();
    else if (action === 'app.interrupt') this.#leaving.escape();
    else if (action === 'app.redraw') this.screen.requestFrame();
    else if (action === 'app.expand') this.#isExpanded = !this.#isExpanded;
    else {
      const draft = this.#editor.expandedText;
      this.#editor.setDraft('');
      this.#submit(draft, 'followUp');
    }
  }

  #submit(draft: string, delivery: Delivery): void {
    if (draft.trim() === '') return;
    this.#editor.addHistory([draft]);
    void this.#feed?.submit(draft, delivery).catch((fault: unknown) => {
      this.notify(messageOf(fault), 'error');
      // Nothing that was typed is lost.
      if (this.#editor.text === '') this.#editor.setDraft(draft);
      this.requestFrame();
    });
  }

  #showHint(line: string): void {
    this.#hint = line;
    setTimeout(() => {
      if (this.#hint === line) this.#hint = undefined;
      this.requestFrame();
    }, HINT_MS).unref();
    this.requestFrame();
  }

  #stopSpinner(): void {
    clearInterval(this.#spinner);
    this.#spinner = undefined;
  }

  get #style(): CardStyle {
    const { text } = this;
    const width = this.screen.columns;
    return {
      theme: this.theme,
      width,
      isExpanded: this.#isExpanded,
      cwd: this.#parts.cwd,
      plain: (value) => text.sanitize(value),
      wrap: (value, columns = width) => text.wrap(text.sanitize(value, { keepStyle: true }), Math.max(1, columns)),
    };
  }

  #render(width: number): string[] {
    return [
      ...this.transcript.render(width),
      ...this.#workingRows(width),
      ...this.#target.render(width),
      this.#statusRow(width),
    ];
  }

  #workingRows(width: number): string[] {
    if (this.#dialogs.length > 0) return [];
    if (!this.#spinner) return [''];
    const worked = performance.now() - this.#began;
    const frame = SPINNER[Math.floor(worked / SPINNER_MS) % SPINNER.length] ?? '';
    const note = this.theme.fg('dim', ` (${this.#parts.parts.elapsedText(worked)})`);
    return [
      '',
      this.text.truncate(`${this.theme.fg('muted', 'Working')}${note} ${this.theme.fg('accent', frame)}`, width),
    ];
  }

  #statusRow(width: number): string {
    const { theme, text } = this;
    if (this.#hint !== undefined) return text.truncate(theme.fg('warning', this.#hint), width);
    if (!this.#isConnected)
      return text.truncate(theme.fg('warning', `The connection to ${this.#parts.url} is lost; trying again.`), width);
    const said = text.sanitize(this.#feed?.status() ?? '').replaceAll('\n', ' ');
    return text.truncate(theme.fg('dim', `${said} · attached to ${this.#parts.url} · ctrl+d leaves`), width);
  }
}
