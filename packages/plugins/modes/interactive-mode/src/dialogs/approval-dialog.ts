/** Asks about a call: shows all of it, says why, and takes an answer that was meant. */
import { keyName } from '@tenon/components';
import type { ApprovalChoice, ApprovalDecision, ApprovalQuestion } from '@tenon/host';
import { counted, cutText, plainLine } from '@tenon/wording';
import type { Dialog, Seat } from '../seat.ts';
import { callRows, type FilePreview, previewRows, reasonRows, tierRow } from './approval-rows.ts';
import type { Countdown } from './countdown.ts';
import { FirstKeys } from './first-keys.ts';
import { dialogRows, type Look, plainRows, roomOf, titleRows } from './look.ts';
import { type Option, OptionList } from './option-list.ts';
import { ScrollWindow } from './scroll-window.ts';
import { type FieldParts, TextField } from './text-dialog.ts';

/** What the dialog works with. */
export interface ApprovalParts extends FieldParts {
  readonly clock: Countdown;
  /** How many questions wait behind this one. */
  waiting?(): number;
  done(decision: ApprovalDecision | undefined): void;
}

type ApprovalSeat = Look & Pick<Seat, 'isKey' | 'keysOf' | 'notify'>;

/** An answer that the dialog offers: one of the question's, or one that needs a text first. */
interface Offer {
  readonly option: Option;
  /** A word or two, for small screens. */
  readonly brief: string;
  readonly choice: ApprovalChoice;
  readonly asks?: 'reason' | 'command';
}

const LEAST_TEXT_ROWS = 3;
/** Reasons beyond this scroll with the text. */
const MOST_PINNED_ROWS = 6;
const SMALL_SCREEN_ROWS = 18;
const MOST_NAME_CHARS = 60;

/** The dialog. */
export class ApprovalDialog implements Dialog {
  /** Escape leaves a text first. */
  readonly ownsEscape = true;
  readonly #seat: ApprovalSeat;
  readonly #question: ApprovalQuestion;
  readonly #parts: ApprovalParts;
  readonly #offers: readonly Offer[];
  readonly #list = new OptionList();
  readonly #window = new ScrollWindow();
  readonly #firstKeys: FirstKeys;
  #field: { readonly title: string; readonly field: TextField } | undefined;
  #previews: readonly FilePreview[] = [];

  constructor(seat: ApprovalSeat, question: ApprovalQuestion, parts: ApprovalParts) {
    this.#seat = seat;
    this.#question = question;
    this.#firstKeys = new FirstKeys(seat, parts.now);
    this.#parts = {
      ...parts,
      done: (decision) => {
        this.#firstKeys.answered();
        parts.done(decision);
      },
    };
    this.#offers = offersOf(question);
    // What destroys is not one careless key away.
    const no = this.#offers.findIndex(({ choice }) => !choice.allows);
    this.#list.selected = question.tier >= 3 ? Math.max(0, no) : 0;
  }

  /** What the call would change; known a moment after the question is shown. */
  set previews(previews: readonly FilePreview[]) {
    this.#previews = previews;
    this.#seat.requestFrame();
  }

  handleInput(data: string): void {
    const name = keyName(data);
    const isLeaving = name === 'escape' || name === 'ctrl+c';
    if (this.#field && isLeaving) this.#field = undefined;
    else if (this.#field) return this.#field.field.handleInput(data);
    else if (isLeaving) return this.#parts.done(undefined);
    else if (!this.#window.handleKey(name) && this.#firstKeys.counts(data)) this.#answer(data);
    this.#seat.requestFrame();
  }

  #answer(data: string): void {
    const options = this.#offers.map(({ option }) => option);
    const before = this.#list.selected;
    const key = this.#list.handleKey(this.#seat, data, options);
    if (key === undefined) this.#firstKeys.stray(data);
    const offer = this.#offers[this.#list.selected];
    if (key !== 'take' || !offer) return;
    // A rule that stays is read before it is written: its letter shows it first.
    const isLasting = offer.choice.allows && offer.choice.extent === 'always' && (offer.choice.rules?.length ?? 0) > 0;
    if (isLasting && this.#list.selected !== before) return;
    if (offer.asks === undefined) this.#parts.done({ choice: offer.choice.id });
    else this.#write(offer.asks, offer.choice.id);
  }

  /** Asks for the text that goes with a no. */
  #write(what: 'reason' | 'command', choice: string): void {
    const { command = '' } = this.#question;
    const isCommand = what === 'command';
    const field = new TextField(
      this.#seat,
      { isLong: true, prefill: isCommand ? command : '', placeholder: isCommand ? 'The command' : 'Why not' },
      {
        ...this.#parts,
        onSubmit: (text) => {
          const said = text.trim();
          // Who leaves the command as it is has not changed anything, and has to choose.
          if (isCommand && (said === '' || said === command.trim())) this.#field = undefined;
          else if (isCommand) this.#parts.done({ choice, instead: said });
          else this.#parts.done({ choice, ...(said !== '' && { reason: said }) });
          this.#seat.requestFrame();
        },
      },
    );
    const title = isCommand
      ? 'The command that should run instead (the model reads it)'
      : 'Why not? The model reads it';
    this.#field = { title, field };
  }

  spoken(): string | undefined {
    return this.#field ? undefined : this.#list.spoken(this.#offers.map(({ option }) => option));
  }

  render(width: number): string[] {
    this.#firstKeys.drawn();
    const look = this.#seat;
    const room = roomOf(look) - 2;
    const head = this.#head(width);
    const foot = this.#field ? this.#fieldRows(width) : this.#choiceRows(width, room);
    const reasons = reasonRows(look, this.#question, width);
    const free = room - head.length - foot.length;
    const pinned = reasons.length <= Math.min(MOST_PINNED_ROWS, Math.floor(free / 2)) ? reasons : [];
    const previews = previewRows(look, this.#previews, width);
    const text = [
      ...previews,
      ...callRows(look, this.#question, width),
      ...(pinned.length === reasons.length ? [] : ['', ...reasons]),
    ];
    const body = this.#window.render(look, text, Math.max(LEAST_TEXT_ROWS, free - pinned.length));
    return dialogRows(look, width, { title: head, body: [...body, ...pinned, ...foot], footer: this.#footer() });
  }

  #head(width: number): string[] {
    const { tool, folder, isSecondRun, subagent } = this.#question;
    const { theme } = this.#seat;
    const waiting = this.#parts.waiting?.() ?? 0;
    const more = waiting === 0 ? '' : theme.fg('dim', ` (${counted(waiting, 'more question')})`);
    // On the title: there it is read also where the rest of the question has to be scrolled.
    const asker = subagent === undefined ? '' : ` The subagent ${plainLine(cutText(subagent, MOST_NAME_CHARS))} asks.`;
    const title = `${isSecondRun ? `Run ${tool} again, with less confinement?` : `Allow ${tool}?`}${asker}`;
    const [first = '', ...rest] = titleRows(this.#seat, title, width);
    const where = plainRows(this.#seat, `in ${folder}`, width, 'dim').slice(0, 1);
    return [`${first}${more}`, ...rest, tierRow(this.#seat, this.#question), ...where];
  }

  #choiceRows(width: number, room: number): string[] {
    const { theme } = this.#seat;
    if (room >= SMALL_SCREEN_ROWS) {
      const options = this.#offers.map(({ option }) => option);
      return this.#list.render(this.#seat, options, width, Math.floor(room / 2));
    }
    // On a small screen the text matters more than the list.
    const words = this.#offers.map(({ option, brief }, index) => {
      const word = `${option.letter ?? ''} ${brief}`.trim();
      return index === this.#list.selected ? theme.fg('accent', `❯ ${word}`) : `  ${word}`;
    });
    const rule = this.#offers[this.#list.selected]?.option.detail;
    const detail = rule === undefined ? [] : plainRows(this.#seat, rule, width, 'muted');
    return [...this.#side(words, Math.max(1, width)), ...detail];
  }

  /** Choices side by side; a row is broken between two of them, not inside of one that fits. */
  #side(words: readonly string[], width: number): string[] {
    const { text } = this.#seat;
    const rows: string[] = [];
    for (const word of words) {
      const last = rows.at(-1);
      const joined = last === undefined ? word : `${last} ${word}`;
      if (last !== undefined && text.width(joined) <= width) rows[rows.length - 1] = joined;
      else rows.push(...text.wrap(word, width));
    }
    return rows;
  }

  #fieldRows(width: number): string[] {
    if (!this.#field) return [];
    const { title, field } = this.#field;
    return [...titleRows(this.#seat, title, width), ...field.editor.render(width)];
  }

  #footer(): string {
    if (this.#field) return `${this.#field.field.hint} · esc goes back`;
    return `enter chooses · esc leaves it open: \`tenon approval\` can still answer${this.#parts.clock.text}`;
  }
}

const LETTERS = { once: 'y', session: 's', always: 'a' } as const;
const WAY_LETTERS = { network: 'w', outside: 'o' } as const;

const WHY: Option = { label: 'Deny, and say why', letter: 'd' };
const REWRITE: Option = { label: 'Deny, and write another command', letter: 'e' };

function briefOf({ allows, extent = 'once', way }: ApprovalChoice): string {
  if (!allows) return 'no';
  return way === undefined ? extent : `${extent} ${{ network: 'with network', outside: 'outside' }[way]}`;
}

function offersOf({ choices, command }: ApprovalQuestion): Offer[] {
  const no = choices.find(({ allows }) => !allows);
  return [
    ...choices.map((choice) => ({ choice, option: optionOf(choice), brief: briefOf(choice) })),
    ...(no ? [{ choice: no, asks: 'reason' as const, option: WHY, brief: 'no, because' }] : []),
    ...(no && command !== undefined ? [{ choice: no, asks: 'command' as const, option: REWRITE, brief: 'edit' }] : []),
  ];
}

function optionOf({ label, allows, extent = 'once', way, rules = [] }: ApprovalChoice): Option {
  const letter = !allows ? 'n' : extent === 'once' && way ? WAY_LETTERS[way] : LETTERS[extent];
  if (rules.length === 0) return { label, letter };
  const made = extent === 'always' ? 'Writes to your policy' : 'Until the session ends';
  return { label, letter, detail: `${made}: ${rules.join('; ')}`, detailOnlySelected: true };
}
