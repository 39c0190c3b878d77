/** Carries edits of a file as it was read over to the file as it is now. */
import type { Accelerators } from '@tenon/native';
import type { EditFile } from '../api.ts';
import { errors } from '../errors.ts';
import { refuseForeign } from './editable-text.ts';
import { lineChanges } from './line-changes.ts';
import { LineMap, type Located } from './line-map.ts';
import { IndentMap, isReindented } from './reindent.ts';
import { decodeText, encodeLike, type LineEdit, splitText, type TextLines } from './text-lines.ts';

const MAX_PAIR_CONTEXT = 60;
const MAX_SHOWN = 12;

/** A carried edit; `reindented` when the lines were found by their text without indentation. */
interface Carried {
  readonly edit: LineEdit;
  readonly reindented: boolean;
}

/** A file's text as it is now and as it was read. */
export class EditedText {
  readonly file: EditFile;
  readonly text: string;
  readonly now: TextLines;
  /** The text that edits speak about: what was read, if that is known and differs. */
  readonly seenText: string;
  readonly seen: TextLines;
  readonly hasDrifted: boolean;
  /** Whether the session knows the whole file, as it was or as it is. */
  readonly isKnown: boolean;
  readonly #hashline: Accelerators['hashline'];
  readonly #content: Uint8Array;
  #map: LineMap | undefined;
  #trimmed: LineMap | undefined;

  constructor(file: EditFile, content: Uint8Array, hashline: Accelerators['hashline']) {
    this.file = file;
    this.#hashline = hashline;
    this.#content = content;
    refuseForeign(file.path, file.shownPath, content);
    this.text = decodeText(content, file.shownPath);
    this.now = splitText(this.text);
    const [view] = file.seen;
    this.isKnown = view !== undefined;
    this.hasDrifted = view !== undefined && Buffer.compare(view, content) !== 0;
    this.seenText = this.hasDrifted && view ? decodeText(view, file.shownPath) : this.text;
    this.seen = this.hasDrifted ? splitText(this.seenText) : this.now;
  }

  /** A text as the bytes of the file. */
  encode(text: string): Buffer {
    return encodeLike(this.#content, text, this.file.shownPath);
  }

  /** The edits at their places in the file as it is now; refuses with the lines that are there. */
  carry(edits: readonly LineEdit[]): { readonly edits: readonly LineEdit[]; readonly warnings: readonly string[] } {
    if (!this.hasDrifted) return { edits, warnings: [] };
    const carried = edits.map((edit) => this.#carryOne(edit));
    const warnings = [`${this.file.shownPath} has changed since it was read; the lines were found where they are now.`];
    if (carried.some(({ reindented }) => reindented)) {
      warnings.push('Its indentation has changed; that of the new lines was changed alike.');
    }
    return { edits: carried.map(({ edit }) => edit), warnings };
  }

  #carryOne(wanted: LineEdit): Carried {
    const { edit, reindented } = this.#place(wanted);
    return { edit: { ...edit, lines: this.#withKeptSpelling(wanted, edit) }, reindented };
  }

  /** Lines that the edit leaves as they are keep the blanks that they have now. */
  #withKeptSpelling(wanted: LineEdit, { start, lines }: LineEdit): readonly string[] {
    const spelled = [...lines];
    const old = this.seen.texts.slice(wanted.start, wanted.end);
    let [oldAt, newAt] = [0, 0];
    const keep = (until: number): void => {
      for (; oldAt < until; oldAt++, newAt++) {
        const now = this.now.texts[start + oldAt];
        if (now?.trim() === old[oldAt]?.trim()) spelled[newAt] = now ?? '';
      }
    };
    for (const change of lineChanges(old, wanted.lines)) {
      keep(change.start);
      oldAt = change.end;
      newAt += change.lines.length;
    }
    keep(old.length);
    return spelled;
  }

  #place(edit: LineEdit): Carried {
    this.#map ??= new LineMap(this.seen.texts, this.now.texts);
    const length = edit.end - edit.start;
    const place = locateEdit(this.#map, edit);
    if ('at' in place) {
      const moved = { ...edit, start: place.at, end: place.at + length };
      const pairs = this.#pairs(edit, place.at);
      // Lines without indentation stay what they are when all others get a new one; what is inserted between them must not.
      if (edit.lines.length === 0 || !pairs.some(({ pair: [old, now] }) => isReindented(old, now))) {
        return { edit: moved, reindented: false };
      }
      const lines = IndentMap.learn(pairs.map(({ pair }) => pair))?.apply(edit.lines);
      if (lines) return { edit: { ...moved, lines }, reindented: true };
      throw this.#refusal(edit, 'changed');
    }
    const reindented = place.reason === 'changed' ? this.#carryByText(edit) : undefined;
    if (reindented) return { edit: reindented, reindented: true };
    throw this.#refusal(edit, place.reason);
  }

  /** The same proof on lines without indentation; the new lines get the indentation that the old ones have now. */
  #carryByText(edit: LineEdit): LineEdit | undefined {
    const bare = ({ texts }: TextLines) => texts.map((line) => line.trim());
    this.#trimmed ??= new LineMap(bare(this.seen), bare(this.now));
    const place = locateEdit(this.#trimmed, edit);
    if (!('at' in place)) return undefined;
    const pairs = this.#pairs(edit, place.at);
    // Without a line that is indented otherwise it was another line (`  }`, `}`) that was found.
    if (!pairs.some(({ pair: [old, now] }) => isReindented(old, now))) return undefined;
    const inside = pairs.filter(({ line }) => line >= edit.start && line < edit.end);
    const learned = IndentMap.learn(pairs.map(({ pair }) => pair)) ?? IndentMap.learn(inside.map(({ pair }) => pair));
    const lines = learned?.apply(edit.lines);
    return lines && { ...edit, start: place.at, end: place.at + edit.end - edit.start, lines };
  }

  /** The lines of the range and around it that both versions have, with both spellings. */
  #pairs({ start, end }: LineEdit, at: number): { line: number; pair: readonly [string, string] }[] {
    const pairs: { line: number; pair: readonly [string, string] }[] = [];
    const take = (line: number): boolean => {
      const [old, now] = [this.seen.texts[line], this.now.texts[at + line - start]];
      if (old === undefined || now === undefined || old.trim() !== now.trim()) return false;
      pairs.push({ line, pair: [old, now] });
      return true;
    };
    for (let line = start; line < end; line++) take(line);
    for (let line = start - 1; line >= 0 && start - line <= MAX_PAIR_CONTEXT && take(line); line--);
    for (let line = end; line - end < MAX_PAIR_CONTEXT && take(line); line++);
    return pairs;
  }

  #refusal({ start, end }: LineEdit, reason: 'changed' | 'repeated'): Error {
    const around = this.#map?.surroundings(start, end) ?? { start, end };
    const first = around.start <= around.end ? around.start : Math.min(start, around.end);
    const what =
      end > start
        ? `line${end - start > 1 ? 's' : ''} ${start + 1}${end - start > 1 ? `-${end}` : ''} of what was read`
        : `the place after line ${start} of what was read`;
    return errors.create('FILE_TOOLS_EDIT_STALE', {
      path: this.file.shownPath,
      what,
      reason: reason === 'changed' ? 'cannot be found any more' : 'cannot be placed with certainty now',
      now: `\n${this.show(Math.max(0, first - 1), Math.min(around.end + 1, first + MAX_SHOWN))}\n`,
    });
  }

  /** Lines of the file as it is now, with anchors. */
  show(start: number, end: number): string {
    const rows: string[] = [];
    for (let line = start; line < Math.min(end, this.now.texts.length); line++) {
      const text = this.now.texts[line] ?? '';
      rows.push(
        `${this.#hashline.anchor(this.encode(text), line + 1)}|${text.length > 300 ? `${text.slice(0, 300)}…` : text}`,
      );
    }
    return rows.join('\n');
  }
}

/** Where an edit belongs now. */
function locateEdit(map: LineMap, { start, end, beside }: LineEdit): Located {
  return start === end && beside ? map.locateGap(start, beside) : map.locate(start, end);
}
