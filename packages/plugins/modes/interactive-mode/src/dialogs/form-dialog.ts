/** Several questions at once: options, boxes to check, texts of one's own, back and forth. */
import { keyName, typedText } from '@tenon/components';
import type { FormAnswer, FormQuestion } from '@tenon/host';
import type { Dialog, Seat } from '../seat.ts';
import type { Countdown } from './countdown.ts';
import { FirstKeys } from './first-keys.ts';
import { dialogRows, type Look, roomOf, titleRows } from './look.ts';
import { type Option, OptionList } from './option-list.ts';
import { ScrollWindow } from './scroll-window.ts';
import { type FieldParts, TextField } from './text-dialog.ts';

/** What the form works with. */
export interface FormParts extends FieldParts {
  /** The form ends when its signal aborts; whoever made it stops it. */
  readonly clock: Countdown;
  done(answers: readonly FormAnswer[] | undefined): void;
}

interface Page {
  readonly question: FormQuestion;
  readonly list: OptionList;
  readonly chosen: Set<number>;
  custom: string | undefined;
  isAnswered: boolean;
}

/** The form. */
export class FormDialog implements Dialog {
  /** Escape leaves a text first. */
  readonly ownsEscape = true;
  readonly #seat: Look & Pick<Seat, 'isKey' | 'keysOf' | 'notify'>;
  readonly #parts: FormParts;
  readonly #pages: readonly Page[];
  readonly #firstKeys: FirstKeys;
  readonly #window = new ScrollWindow();
  #at = 0;
  #field: TextField | undefined;

  constructor(
    seat: Look & Pick<Seat, 'isKey' | 'keysOf' | 'notify'>,
    questions: readonly FormQuestion[],
    parts: FormParts,
  ) {
    this.#seat = seat;
    this.#firstKeys = new FirstKeys(seat, parts.now);
    this.#parts = {
      ...parts,
      done: (answers) => {
        this.#firstKeys.answered();
        parts.done(answers);
      },
    };
    this.#pages = questions.map((question) => {
      const list = new OptionList();
      list.selected = question.options[question.recommended ?? 0] ? (question.recommended ?? 0) : 0;
      return { question, list, chosen: new Set<number>(), custom: undefined, isAnswered: false };
    });
    parts.clock.signal.addEventListener('abort', () => this.#finish(true), { once: true });
  }

  get #page(): Page | undefined {
    return this.#pages[this.#at];
  }

  handleInput(data: string): void {
    const name = keyName(data);
    const isLeaving = name === 'escape' || name === 'ctrl+c';
    if (this.#field && isLeaving) this.#field = undefined;
    else if (this.#field) return this.#field.handleInput(data);
    else if (isLeaving) return this.#parts.done(undefined);
    else if (!this.#window.handleKey(name) && this.#firstKeys.counts(data)) this.#key(data, name);
    this.#seat.requestFrame();
  }

  #key(data: string, name: string | undefined): void {
    const page = this.#page;
    if (!page) return this.#finish(false);
    if (name === 'left' || name === 'shift+tab') return void (this.#at = Math.max(0, this.#at - 1));
    if (name === 'right' && page.isAnswered) return this.#next();
    const isMulti = page.question.multi === true;
    const isToggle = isMulti && typedText(data) === ' ';
    const options = this.#options(page);
    const key = isToggle ? 'take' : page.list.handleKey(this.#seat, data, options);
    if (key === undefined) this.#firstKeys.stray(data);
    if (key !== 'take') return;
    const { selected } = page.list;
    if (selected >= page.question.options.length) return this.#write(page);
    if (isMulti && (isToggle || name !== 'enter')) return toggle(page.chosen, selected);
    if (!isMulti) {
      page.chosen.clear();
      page.chosen.add(selected);
      page.custom = undefined;
    }
    page.isAnswered = true;
    this.#next();
  }

  #next(): void {
    this.#at += 1;
    if (this.#at >= this.#pages.length) this.#finish(false);
  }

  /** Asks for a text of one's own. Someone who has begun to type is not hurried. */
  #write(page: Page): void {
    this.#parts.clock.stop();
    this.#field = new TextField(
      this.#seat,
      { isLong: true, prefill: page.custom ?? '', placeholder: 'Your answer' },
      {
        ...this.#parts,
        onSubmit: (text) => {
          this.#field = undefined;
          page.custom = text.trim() === '' ? undefined : text.trim();
          if (page.question.multi !== true && page.custom !== undefined) page.chosen.clear();
          page.isAnswered = page.custom !== undefined || page.chosen.size > 0;
          if (page.isAnswered) this.#next();
          this.#seat.requestFrame();
        },
      },
    );
  }

  #finish(isLate: boolean): void {
    this.#parts.done(this.#pages.map((page) => answerOf(page, isLate)));
  }

  #options({ question, chosen, custom }: Page): Option[] {
    const box = (isOn: boolean) => (question.multi === true ? { mark: isOn ? '[x] ' : '[ ] ' } : {});
    const options = question.options.map(({ label, description }, index) => ({
      label: index === question.recommended ? `${label} (recommended)` : label,
      ...(description !== undefined && { detail: description }),
      ...box(chosen.has(index)),
    }));
    const own = custom === undefined ? 'Something else: write it' : `Something else: ${custom}`;
    return [...options, { label: own, ...box(custom !== undefined) }];
  }

  spoken(): string | undefined {
    const page = this.#page;
    return this.#field || !page ? undefined : page.list.spoken(this.#options(page));
  }

  render(width: number): string[] {
    this.#firstKeys.drawn();
    const page = this.#page;
    if (!page) return [];
    const look = this.#seat;
    const place = this.#pages.length > 1 ? `${this.#at + 1}/${this.#pages.length} ` : '';
    const room = roomOf(look) - 2;
    const asked = titleRows(look, `${place}${page.question.question}`, width);
    const title = this.#window.render(look, asked, Math.max(2, Math.ceil(room / 2)));
    const field = this.#field?.editor.render(width) ?? [];
    const list = page.list.render(look, this.#options(page), width, Math.max(1, room - title.length - field.length));
    return dialogRows(look, width, { title, body: [...list, ...field], footer: this.#footer(page) });
  }

  #footer({ question }: Page): string {
    if (this.#field) return `${this.#field.hint} · esc goes back`;
    const take = question.multi === true ? 'space checks · enter goes on' : 'enter chooses';
    const back = this.#at > 0 ? ' · left goes back' : '';
    return `${take}${back} · esc closes${this.#parts.clock.text}`;
  }
}

function toggle(chosen: Set<number>, at: number): void {
  if (!chosen.delete(at)) chosen.add(at);
}

/** What was answered; when time ran out, what whoever asked would take. */
function answerOf({ question, chosen, custom, isAnswered }: Page, isLate: boolean): FormAnswer {
  const labels = question.options.filter((_, index) => chosen.has(index)).map(({ label }) => label);
  const { id } = question;
  if (!isLate || isAnswered) return { id, selected: labels, ...(custom !== undefined && { custom }) };
  const fallback = question.options[question.recommended ?? 0] ?? question.options[0];
  return { id, selected: labels.length > 0 ? labels : fallback ? [fallback.label] : [], timedOut: true };
}
