/**
 * Cuts streaming Markdown into parts that can be lexed alone: what is cut off can no longer change, whatever follows.
 * It looks at whole lines only, so that the cuts are the same however the text arrives. Where it cannot be sure, it waits.
 */

/** A part of the text. */
export interface BlockPart {
  readonly text: string;
  /** A blank line stands between the part before and this one. */
  readonly blankBefore: boolean;
  /** It is one more item of the list that the part before belongs to. */
  readonly continuesList: boolean;
}

/** An open code fence: what closes it. */
interface Fence {
  readonly marker: string;
}

/** Finds the fence that is still open at the end of a text at top level; the lexer knows. */
export type OpenFenceFinder = (text: string) => string | undefined;

const BLANK = /^ *$/;
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
/** A fence that belongs to a list item or ends the list, which depends on how far the item is indented. */
const DOUBTFUL_FENCE = /^ {1,3}(?:```|~~~)/;
/** Code, if it does not go on with a paragraph. */
const INDENTED = /^(?: {4}| {0,3}\t)/;
const HEADING = /^#{1,6}(?:[ \t]|$)/;
const MARKER = /^ {0,3}(?:[*+-]|\d{1,9}[.)])(?:[ \t]|$)/;
const OUTER_MARKER = /^(?:([*+-])|\d{1,9}([.)]))(?:[ \t]|$)/;
const INTERRUPTING_MARKER = /^(?:[*+-]|1[.)])[ \t]+[^ \t]/;
/** Rules and table delimiters, which can look like list items. */
const RULE_OR_DELIMITER = /^[ \t]*[-*_|:][-*_|: \t]*$/;
/** A first character after which a line is no list item, fence or heading, however it goes on. */
// oxlint-disable-next-line no-control-regex -- control characters may be taken out of the line
const CERTAIN_START = /^[^\s\d*+\-`~#\u0000-\u001f\u007f-\u009f]/;

/** Takes lines, gives parts. */
export class BlockSplitter {
  readonly #findOpenFence: OpenFenceFinder;
  #closed: BlockPart[] = [];
  #lines: string[] = [];
  #blankBefore = false;
  #continuesList = false;
  #lastWasBlank = false;
  /** The open part ends at a blank line; otherwise it may go on behind one: lists, indented code. */
  #endsAtBlank = true;
  /** The kind of the list at the left edge that the open part is an item of. */
  #listKind: string | undefined;
  /** Columns to the text of that item; a line that begins before them may have ended the list. */
  #itemInset = 0;
  #listSure = false;
  #fence: Fence | undefined;
  #doubtful = false;

  constructor(findOpenFence: OpenFenceFinder) {
    this.#findOpenFence = findOpenFence;
  }

  /** The lines of the open part. */
  get openLines(): readonly string[] {
    return this.#lines;
  }

  /** The open part, with the line that is not complete yet. */
  openPart(partial: string): BlockPart | undefined {
    if (this.#lines.length === 0 && partial.trim() === '') return undefined;
    const text = [...this.#lines, partial].join('\n');
    return { text, blankBefore: this.#blankBefore, continuesList: this.#continuesList };
  }

  /** The code fence that the open part consists of, if it does: its first line opens it, and it is still open. */
  get insideFence(): boolean {
    return this.#fence !== undefined && FENCE.test(this.#lines[0] ?? '');
  }

  /** The parts that were closed since the last call. */
  takeClosed(): BlockPart[] {
    const closed = this.#closed;
    this.#closed = [];
    return closed;
  }

  /** One complete line, without its line feed. */
  line(line: string): void {
    if (this.#fence) {
      this.#lines.push(line);
      if (closes(line, this.#fence)) this.#close();
      return;
    }
    if (BLANK.test(line)) {
      this.#blank(line);
      return;
    }
    if (this.#lines.length > 0) this.#closeBefore(line);
    if (this.#fence) this.line(line);
    else this.#add(line);
  }

  /** The beginning of a line that is not complete yet: it can be enough to know that the part before it is over. */
  partial(start: string): void {
    const over = !this.#endsAtBlank && this.#lastWasBlank && !this.#fence && CERTAIN_START.test(start);
    if (over && this.#lines.length > 0) this.#tryClose();
  }

  /** The text is over. */
  end(): void {
    if (this.#lines.length > 0) this.#close();
  }

  #blank(line: string): void {
    if (this.#lines.length === 0) {
      this.#blankBefore = true;
      return;
    }
    if (this.#endsAtBlank) {
      this.#close();
      this.#blankBefore = true;
      return;
    }
    this.#lines.push(line);
    this.#lastWasBlank = true;
  }

  /** Closes the open part if this line cannot belong to it. */
  #closeBefore(line: string): void {
    if (HEADING.test(line)) this.#tryClose();
    else if (this.#endsAtBlank) {
      if (FENCE.test(line)) this.#tryClose();
      else if (INTERRUPTING_MARKER.test(line) && !RULE_OR_DELIMITER.test(line)) this.#tryClose();
    } else if (/^(?:```|~~~)/.test(line)) this.#tryClose();
    else if (this.#lastWasBlank && /^\S/.test(line) && !MARKER.test(line)) this.#tryClose();
    else if (this.#isNextItem(line)) this.#nextItem();
  }

  /** A bullet with text begins an item or a new list, whatever is open; a number or an empty item only in a list. */
  #isNextItem(line: string): boolean {
    const kind = listKind(line);
    if (kind === undefined || kind !== this.#listKind) return false;
    return this.#listSure || (/^[*+-]/.test(line) && INTERRUPTING_MARKER.test(line));
  }

  #nextItem(): void {
    this.#tryClose();
    if (this.#lines.length === 0) this.#continuesList = true;
  }

  #add(line: string): void {
    const first = this.#lines.length === 0;
    this.#lines.push(line);
    this.#lastWasBlank = false;
    if (MARKER.test(line) || INDENTED.test(line) || (first && /^\s/.test(line))) this.#endsAtBlank = false;
    if (first) {
      const marker = FENCE.exec(line)?.[1];
      if (marker !== undefined) this.#fence = { marker };
      else if (HEADING.test(line)) this.#close();
      else this.#beginList(line);
      return;
    }
    this.#listSure &&= inset(line) >= this.#itemInset;
    if (!this.#endsAtBlank && DOUBTFUL_FENCE.test(line)) this.#doubtful = true;
  }

  #beginList(line: string): void {
    this.#listKind = listKind(line);
    this.#listSure = this.#listKind !== undefined;
    const [, marker = '', spaces = ''] = /^([*+-]|\d{1,9}[.)])([ \t]*)/.exec(line) ?? [];
    // Behind five spaces the item begins with indented code, one column behind its marker.
    this.#itemInset = marker.length + (spaces.length >= 1 && spaces.length <= 4 ? spaces.length : 1);
    if (spaces.includes('\t') || line.length === marker.length + spaces.length)
      this.#itemInset = Number.MAX_SAFE_INTEGER;
  }

  /** Closes the open part, unless a fence in it turns out to be open. */
  #tryClose(): void {
    const marker = this.#doubtful ? this.#findOpenFence(this.#lines.join('\n')) : undefined;
    this.#doubtful = false;
    if (marker === undefined) this.#close();
    else this.#fence = { marker };
  }

  #close(): void {
    const lines = this.#lines;
    let end = lines.length;
    if (!this.#fence) while (end > 0 && BLANK.test(lines[end - 1] ?? '')) end--;
    const text = lines.slice(0, end).join('\n');
    this.#closed.push({ text, blankBefore: this.#blankBefore, continuesList: this.#continuesList });
    this.#lines = [];
    this.#blankBefore = end < lines.length;
    this.#continuesList = false;
    this.#lastWasBlank = false;
    this.#endsAtBlank = true;
    this.#listKind = undefined;
    this.#fence = undefined;
    this.#doubtful = false;
  }
}

/** What tells the items of one list from those of another: the bullet, or the sign behind the number. */
function listKind(line: string): string | undefined {
  const match = OUTER_MARKER.exec(line);
  return match && !RULE_OR_DELIMITER.test(line) ? (match[1] ?? match[2]) : undefined;
}

/** The columns before a line's text, as far as spaces tell. */
function inset(line: string): number {
  return /^ */.exec(line)?.[0].length ?? 0;
}

function closes(line: string, { marker }: Fence): boolean {
  const trimmed = line.replace(/^ {0,3}/, '').replace(/ +$/, '');
  const sign = marker.charAt(0);
  return trimmed.length >= marker.length && trimmed === sign.repeat(trimmed.length);
}
