/** A question that is answered with a text of one or many lines. */
import { Editor, keyName } from '@tenon/components';
import type { Dialog, Seat } from '../seat.ts';
import type { Countdown } from './countdown.ts';
import { FirstKeys } from './first-keys.ts';
import { dialogRows, type Look, roomOf, titleRows } from './look.ts';

/** What is asked. */
export interface TextQuestion {
  readonly title: string;
  readonly prefill?: string;
  readonly placeholder?: string;
  /** True for a text of many lines. */
  readonly isLong: boolean;
}

/** What a field works with. */
export interface FieldParts {
  /** Opens the user's own editor; absent where there is none. */
  externalEditor?(text: string): Promise<string | undefined>;
  readonly now?: () => number;
}

/** A field for text, for dialogs that need one. */
export class TextField {
  readonly #seat: Look & Pick<Seat, 'isKey' | 'keysOf' | 'notify'>;
  readonly #parts: FieldParts;
  readonly editor: Editor;

  constructor(
    seat: Look & Pick<Seat, 'isKey' | 'keysOf' | 'notify'>,
    question: Pick<TextQuestion, 'prefill' | 'placeholder' | 'isLong'>,
    parts: FieldParts & { onSubmit(text: string): void },
  ) {
    this.#seat = seat;
    this.#parts = parts;
    const { isLong, placeholder, prefill = '' } = question;
    this.editor = new Editor({
      text: seat.text,
      theme: () => seat.theme,
      maxRows: () => (isLong ? Math.max(3, roomOf(seat) - 6) : 3),
      ...(placeholder !== undefined && { placeholder }),
      requestFrame: () => seat.requestFrame(),
      onSubmit: (text) => {
        parts.onSubmit(isLong ? text : text.replace(/\s*\n\s*/g, ' '));
        // The draft stays until the dialog closes: a rejected answer must not be lost.
        return false;
      },
    });
    this.editor.setDraft(prefill);
  }

  /** What the keys do. */
  get hint(): string {
    const key = this.#seat.keysOf('app.externalEditor')[0];
    const elsewhere = this.#parts.externalEditor && key !== undefined ? ` · ${key} opens your editor` : '';
    return `enter sends it${elsewhere}`;
  }

  /** Takes a key. */
  handleInput(data: string): void {
    if (this.#parts.externalEditor && this.#seat.isKey(data, 'app.externalEditor')) void this.#writeElsewhere();
    else this.editor.handleInput(data);
    this.#seat.requestFrame();
  }

  async #writeElsewhere(): Promise<void> {
    try {
      const text = await this.#parts.externalEditor?.(this.editor.expandedText);
      if (text !== undefined) this.editor.text = text.replace(/\n$/, '');
    } catch (fault) {
      this.#seat.notify(fault instanceof Error ? fault.message : String(fault), 'error');
    }
    this.#seat.requestFrame();
  }
}

/** Asks it. */
export class TextDialog implements Dialog {
  readonly #look: Look;
  readonly #question: TextQuestion;
  readonly #clock: Countdown;
  readonly #firstKeys: FirstKeys;
  readonly #field: TextField;

  constructor(
    seat: Look & Pick<Seat, 'isKey' | 'keysOf' | 'notify'>,
    question: TextQuestion,
    parts: FieldParts & { readonly clock: Countdown; done(answer: string | undefined): void },
  ) {
    this.#look = seat;
    this.#question = question;
    this.#clock = parts.clock;
    this.#firstKeys = new FirstKeys(seat, parts.now);
    this.#field = new TextField(seat, question, {
      ...parts,
      onSubmit: (text) => {
        this.#firstKeys.answered();
        parts.done(text);
      },
    });
  }

  handleInput(data: string): void {
    // What is typed too early is seen in the field; only sending it has to wait.
    if (keyName(data) === 'enter' && !this.#firstKeys.counts(data)) return;
    this.#field.handleInput(data);
  }

  invalidate(): void {
    this.#field.editor.invalidate?.();
  }

  render(width: number): string[] {
    this.#firstKeys.drawn();
    return dialogRows(this.#look, width, {
      title: titleRows(this.#look, this.#question.title, width).slice(0, Math.max(1, roomOf(this.#look) - 6)),
      body: this.#field.editor.render(width),
      footer: `${this.#field.hint} · esc closes${this.#clock.text}`,
    });
  }
}
