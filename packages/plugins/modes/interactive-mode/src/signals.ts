/** What the terminal around the screen is told: its title, notifications, the clipboard. */
import { basename } from 'node:path';
import { copyToClipboard, notify, notifyKind, setTitle, type TerminalFacts } from '@tenon/screen';

/** What signals need. */
export interface SignalParts {
  write(sequence: string): void;
  facts(): TerminalFacts;
  /** The setting: notifications where the terminal can, the bell, or nothing. */
  readonly notify: 'auto' | 'bell' | 'never';
  readonly notifyAfterMs: number;
  readonly cwd: string;
}

/** Tells the terminal; a title is written only when it changes. */
export class Signals {
  readonly #parts: SignalParts;
  #title = '';

  constructor(parts: SignalParts) {
    this.#parts = parts;
  }

  /** The title says what Tenon does, where, and in which session. */
  setTitle(state: 'ready' | 'working' | 'asking', session: string | undefined, own?: string): void {
    const mark = { ready: '', working: '⠿ ', asking: '? ' }[state];
    const title = own ?? `${mark}tenon: ${basename(this.#parts.cwd)}${session === undefined ? '' : `, ${session}`}`;
    if (title === this.#title) return;
    this.#title = title;
    this.#parts.write(setTitle(title, this.#parts.facts()));
  }

  /** Gives the title back to the shell. */
  clearTitle(): void {
    if (this.#title !== '') this.#parts.write(setTitle('', this.#parts.facts()));
    this.#title = '';
  }

  /** Something is done, or somebody is asked. `workedMs` keeps short runs from making a noise. */
  notify(text: string, workedMs: number): void {
    const { notify: wanted, notifyAfterMs, facts, write } = this.#parts;
    if (wanted === 'never' || workedMs < notifyAfterMs) return;
    write(notify(text, wanted === 'bell' ? 'bell' : notifyKind(facts())));
  }

  /** Copies; false when the text is too long for the terminal's way. */
  copy(text: string): boolean {
    const sequence = copyToClipboard(text, this.#parts.facts());
    if (sequence === undefined) return false;
    this.#parts.write(sequence);
    return true;
  }
}
