/** The screen of one session: what is shown where, and who gets the keys. */
import type { AgentSession } from '@tenon/agent/api';
import type { Theme } from '@tenon/components';
import type { ModeCall } from '@tenon/modes/api';
import type { Accelerators } from '@tenon/native';
import type { Component, Screen } from '@tenon/screen';
import type { AgentMessage } from '@tenon/sessions/api';
import { plainLine } from '@tenon/wording';
import type { CardStyle } from '@tenon/screen-slots/api';
import type { Keymap } from './keys/keymap.ts';
import type { Dialog, Seat } from './seat.ts';
import { Transcript, type TranscriptHost } from './transcript/transcript.ts';
import { hiddenText, lastMessages, replay } from './transcript/replay.ts';

/** What the app is made of. */
export interface AppParts extends Pick<Seat, 'ctx' | 'text'> {
  readonly call: ModeCall;
  readonly screen: Screen;
  readonly keymap: Keymap;
  readonly transcript: Omit<TranscriptHost, 'style' | 'height' | 'append' | 'requestFrame'>;
  theme(): Theme;
  /** For screen readers: only rows that are final are shown, and the editor. */
  readonly isPlain: boolean;
  /** The screen is one that only grows. */
  readonly onlyGrows?: boolean;
  /** The screen shows earlier messages by itself where the user scrolls to them. */
  readonly scrollsBack: boolean;
}

interface OpenDialog {
  readonly component: Dialog;
  /** Of an extension: a question of Tenon always stands in front of it. */
  readonly isForeign: boolean;
  close(): void;
}

/** While frames come more often than this, what moves by itself asks for none. */
const GOES_ALONG_MS = 60;

/** Holds what is on the screen. */
export class App implements Seat {
  readonly ctx: Seat['ctx'];
  readonly call: ModeCall;
  readonly text: Accelerators['text'];
  readonly transcript: Transcript;
  readonly #parts: AppParts;
  readonly #dialogs: OpenDialog[] = [];
  /** Rows above the editor, in this order; those below it. */
  readonly above: Component[] = [];
  readonly below: Component[] = [];
  #prompt: Component | undefined;
  #setDraft: ((text: string) => void) | undefined;
  #fullscreens = 0;
  #wasAsking = false;
  #size = '';
  #agent: AgentSession | undefined;
  #isExpanded = false;
  /** The entry before the first message that is shown. */
  #before: string | null = null;
  /** How often something around the transcript may have changed. */
  #changes = 0;
  /** The parts around the transcript as they were drawn last. */
  #around: { readonly key: string; readonly parts: Map<Component, readonly string[]> } | undefined;
  #drawnAt = -Infinity;

  constructor(parts: AppParts) {
    this.#parts = parts;
    this.ctx = parts.ctx;
    this.call = parts.call;
    this.text = parts.text;
    this.transcript = new Transcript({
      ...parts.transcript,
      get thoughts() {
        return parts.transcript.thoughts;
      },
      style: () => this.style,
      height: () => this.rows,
      append: (rows) => parts.screen.append(rows),
      requestFrame: (isPart = false) => (isPart ? parts.screen.requestFrame(true) : this.requestFrame()),
    });
    parts.screen.add({
      render: (width) => this.#render(width),
      invalidate: () => this.transcript.invalidate(),
      beforeFrame: () => this.transcript.settleDue(),
    });
    parts.screen.setFocus({
      render: () => [],
      spoken: () => this.#target?.spoken?.(),
      handleInput: (data) => {
        this.#changes += 1;
        this.#target?.handleInput?.(data);
      },
    });
  }

  get agent(): AgentSession {
    if (!this.#agent) throw new Error('the screen has no agent yet');
    return this.#agent;
  }

  /** The agent once there is one. */
  get seated(): AgentSession | undefined {
    return this.#agent;
  }

  set seated(agent: AgentSession | undefined) {
    this.#agent = agent;
  }

  get theme(): Theme {
    return this.#parts.theme();
  }

  get columns(): number {
    return this.#parts.screen.columns;
  }

  get rows(): number {
    return this.#parts.screen.height;
  }

  /** Rows that are written stay, and none is written over. */
  get onlyGrows(): boolean {
    return this.#parts.onlyGrows === true;
  }

  get isExpanded(): boolean {
    return this.#isExpanded;
  }

  set isExpanded(isExpanded: boolean) {
    this.#isExpanded = isExpanded;
    this.requestFrame();
  }

  /** How things are drawn at the moment. */
  get style(): CardStyle {
    const { text } = this;
    const width = this.columns;
    return {
      theme: this.theme,
      width,
      isExpanded: this.#isExpanded,
      cwd: this.call.cwd,
      plain: (value) => text.sanitize(value),
      wrap: (value, columns = width) => text.wrap(text.sanitize(value, { keepStyle: true }), Math.max(1, columns)),
    };
  }

  /** The dialog that has the keys. */
  get dialog(): Dialog | undefined {
    return this.#dialogs.at(-1)?.component;
  }

  /** What has the keys when no dialog is open. */
  setPrompt(prompt: Component, setDraft: (text: string) => void): void {
    this.#prompt = prompt;
    this.#setDraft = setDraft;
    this.requestFrame();
  }

  /** Whether a component has the whole screen. */
  get hasFullscreen(): boolean {
    return this.#fullscreens > 0;
  }

  get #target(): Component | undefined {
    return this.dialog ?? this.#prompt;
  }

  ask<T>(make: (done: (answer: T | undefined) => void) => Dialog, signal?: AbortSignal): Promise<T | undefined> {
    return this.#ask(make, signal, false);
  }

  /** Shows a dialog of an extension, behind those of Tenon. */
  askForExtension<T>(make: (done: (answer: T | undefined) => void) => Dialog): Promise<T | undefined> {
    return this.#ask(make, undefined, true);
  }

  #ask<T>(
    make: (done: (answer: T | undefined) => void) => Dialog,
    signal: AbortSignal | undefined,
    isForeign: boolean,
  ): Promise<T | undefined> {
    return this.#open(make, signal, (component, close) => {
      const open = { component, close, isForeign };
      const own = this.#dialogs.findIndex((other) => !other.isForeign);
      this.#dialogs.splice(isForeign && own >= 0 ? own : this.#dialogs.length, 0, open);
      this.#tellQuestion();
      return () => {
        this.#dialogs.splice(this.#dialogs.indexOf(open), 1);
        this.#tellQuestion();
      };
    });
  }

  /** Whether Tenon itself asks something. */
  get isAsking(): boolean {
    return this.#dialogs.some(({ isForeign }) => !isForeign);
  }

  /** Called when Tenon begins to ask something, and when all is answered. */
  onQuestion: ((isAsking: boolean) => void) | undefined;

  #tellQuestion(): void {
    if (this.#wasAsking === this.isAsking) return;
    this.#wasAsking = this.isAsking;
    this.onQuestion?.(this.isAsking);
  }

  /** Gives input to whoever has the keys. */
  handleInput(data: string): void {
    this.#target?.handleInput?.(data);
    this.requestFrame();
  }

  askFullscreen<T>(make: (done: (answer: T | undefined) => void) => Dialog): Promise<T | undefined> {
    return this.#open(make, undefined, (component) => {
      const giveBack = this.#parts.screen.takeOver(component);
      this.#fullscreens += 1;
      return () => {
        this.#fullscreens -= 1;
        giveBack();
      };
    });
  }

  #open<T>(
    make: (done: (answer: T | undefined) => void) => Dialog,
    signal: AbortSignal | undefined,
    show: (component: Dialog, close: () => void) => () => void,
  ): Promise<T | undefined> {
    if (signal?.aborted) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const shown: { hide?: () => void } = {};
      let isDone = false;
      const done = (answer: T | undefined) => {
        if (isDone) return;
        isDone = true;
        signal?.removeEventListener('abort', giveUp);
        shown.hide?.();
        this.requestFrame();
        resolve(answer);
      };
      const giveUp = () => done(undefined);
      const component = make(done);
      // A dialog may know its answer while it is made.
      if (isDone) return;
      shown.hide = show(component, giveUp);
      signal?.addEventListener('abort', giveUp, { once: true });
      this.requestFrame();
    });
  }

  /** Closes the dialog in front without an answer; false when there is none or Escape is its own. */
  closeDialog(): boolean {
    const open = this.#dialogs.at(-1);
    if (!open || open.component.ownsEscape === true) return false;
    open.close();
    return true;
  }

  notify(text: string, kind: 'info' | 'warning' | 'error' = 'info'): void {
    this.transcript.notice(text, kind);
  }

  print(rows: readonly string[]): void {
    this.transcript.print(rows);
  }

  requestFrame(): void {
    this.#changes += 1;
    this.#parts.screen.requestFrame();
  }

  /** A part around the transcript moves by itself: it goes along with the next frame, and asks for one where none comes anyway. */
  move(part: Component): void {
    this.#around?.parts.delete(part);
    if (performance.now() - this.#drawnAt > GOES_ALONG_MS) this.#parts.screen.requestFrame();
  }

  setDraft(text: string): void {
    this.#setDraft?.(text);
    this.requestFrame();
  }

  keysOf(action: string): readonly string[] {
    return this.#parts.keymap.keysOf(action);
  }

  isKey(data: string, action: string): boolean {
    return this.#parts.keymap.isKey(data, action);
  }

  showSession(): void {
    const { session } = this.agent;
    const part = lastMessages(session);
    this.#before = part.before;
    this.transcript.clear();
    if (this.#parts.scrollsBack) {
      // What is above belongs to this session alone: its earlier messages come there when they are wanted.
      this.#parts.screen.redraw([]);
      return replay(this.transcript, part.messages);
    }
    const name = plainLine(session.header.title ?? session.id.slice(0, 8));
    const head = `── ${name} ${'─'.repeat(Math.max(0, this.columns - this.text.width(name) - 4))}`;
    this.print(['', this.#parts.isPlain ? `Session: ${name}` : this.theme.fg('borderMuted', head)]);
    const hidden = hiddenText(session, part, this.keysOf('app.transcript')[0] ?? '/transcript');
    if (hidden !== undefined) this.notify(hidden);
    replay(this.transcript, part.messages);
  }

  /** Takes the messages before those that are shown; nothing when there are none. */
  takeEarlier(): readonly AgentMessage[] | undefined {
    if (this.#before === null) return undefined;
    const { messages, before } = lastMessages(this.agent.session, this.#before);
    this.#before = before;
    return messages;
  }

  /** Called when the size of the terminal is another one. */
  onResize: (() => void) | undefined;

  #noteSize(): void {
    const size = `${this.columns}x${this.rows}`;
    if (this.#size !== '' && this.#size !== size) queueMicrotask(() => this.onResize?.());
    this.#size = size;
  }

  #render(width: number): string[] {
    this.#noteSize();
    this.#drawnAt = performance.now();
    if (this.#parts.isPlain) return withoutFrames(this.#target?.render(width) ?? []);
    return [...this.transcript.render(width), ...this.#aroundRows(width)];
  }

  /** While an answer comes, only the transcript changes from frame to frame. */
  #aroundRows(width: number): readonly string[] {
    const key = `${width}x${this.rows} ${this.#changes}`;
    const known = this.#around?.key === key ? this.#around.parts : new Map<Component, readonly string[]>();
    this.#around = { key, parts: known };
    const rows: string[] = [];
    for (const part of [...this.above, this.#target, ...this.below]) {
      const drawn = part && (known.get(part) ?? part.render(width));
      if (!drawn) continue;
      known.set(part, drawn);
      rows.push(...drawn);
    }
    return rows;
  }
}

// oxlint-disable-next-line no-control-regex -- styles are what is looked through
const RULE = /^(?:\u001b\[[\d;:]*m|─)+$/;
// oxlint-disable-next-line no-control-regex -- likewise
const BAR = /^((?:\u001b\[[\d;:]*m)*)│ /;

/** Rows for screen readers: no rules and no bars, which would be read aloud. */
function withoutFrames(rows: readonly string[]): string[] {
  return rows.filter((row) => !RULE.test(row)).map((row) => row.replace(BAR, '$1'));
}
