/** A question with some answers. */
import { keyName } from '@tenon/components';
import type { Dialog } from '../seat.ts';
import type { Countdown } from './countdown.ts';
import { FirstKeys } from './first-keys.ts';
import { dialogRows, type Look, plainRows, roomOf, titleRows } from './look.ts';
import { type Option, OptionList } from './option-list.ts';
import { ScrollWindow } from './scroll-window.ts';

/** What is asked. */
export interface SelectQuestion {
  readonly title: string;
  readonly message?: string;
  readonly options: readonly Option[];
  /** The answer that is selected first. */
  readonly first?: number;
}

const HINT = 'enter chooses · esc closes';

/** Asks it; the answer is the place of the option. */
export class SelectDialog implements Dialog {
  readonly #look: Look;
  readonly #question: SelectQuestion;
  readonly #clock: Countdown;
  readonly #done: (answer: number | undefined) => void;
  readonly #firstKeys: FirstKeys;
  readonly #list = new OptionList();
  readonly #window = new ScrollWindow();

  constructor(
    look: Look,
    question: SelectQuestion,
    parts: { readonly clock: Countdown; readonly now?: () => number; done(answer: number | undefined): void },
  ) {
    this.#look = look;
    this.#question = question;
    this.#clock = parts.clock;
    this.#done = (answer) => {
      this.#firstKeys.answered();
      parts.done(answer);
    };
    this.#firstKeys = new FirstKeys(look, parts.now);
    this.#list.selected = question.first ?? 0;
  }

  handleInput(data: string): void {
    if (this.#window.handleKey(keyName(data))) return this.#look.requestFrame();
    if (!this.#firstKeys.counts(data)) return;
    const key = this.#list.handleKey(this.#look, data, this.#question.options);
    if (key === undefined) this.#firstKeys.stray(data);
    if (key === 'take') this.#done(this.#list.selected);
    else this.#look.requestFrame();
  }

  spoken(): string | undefined {
    return this.#list.spoken(this.#question.options);
  }

  render(width: number): string[] {
    this.#firstKeys.drawn();
    const { title, message, options } = this.#question;
    const room = roomOf(this.#look) - 3;
    const wanted = this.#list.render(this.#look, options, width, Number.MAX_SAFE_INTEGER).length;
    const heads = [
      ...titleRows(this.#look, title, width),
      ...(message === undefined || message === '' ? [] : plainRows(this.#look, message, width)),
    ];
    const head = this.#window.render(this.#look, heads, Math.max(2, room - Math.min(wanted, Math.ceil(room / 2))));
    const body = this.#list.render(this.#look, options, width, Math.max(1, room - head.length));
    return dialogRows(this.#look, width, { title: head, body, footer: `${HINT}${this.#clock.text}` });
  }
}
