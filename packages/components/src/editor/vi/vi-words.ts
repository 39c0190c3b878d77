/** Motions by words, as vi counts them: letters, signs, and empty lines are words; a line's end is a space. */
import { nextBorder, previousBorder } from '../graphemes.ts';
import { type WordClass, wordClass } from '../motions.ts';
import type { Lines, Position } from '../positions.ts';

/** What a step did: stayed at the border of the text, moved in a line, or reached a line's end or another line. */
type Step = 'stuck' | 'inside' | 'edge';

/** A place that walks over graphemes and the ends of lines. */
export class Walker {
  at: Position;
  readonly #lines: Lines;
  readonly #isBig: boolean;

  constructor(lines: Lines, at: Position, isBig = false) {
    this.#lines = lines;
    this.at = at;
    this.#isBig = isBig;
  }

  /** The sort of the grapheme here. Big words end only at spaces. */
  get kind(): WordClass {
    const text = this.#lines.line(this.at.line);
    const kind = wordClass(text.slice(this.at.offset, nextBorder(text, this.at.offset)));
    return this.#isBig && kind === 'sign' ? 'word' : kind;
  }

  /** Whether this is an empty line. */
  get isOnEmptyLine(): boolean {
    return this.#lines.line(this.at.line) === '';
  }

  /** Whether this is the last line. */
  get isOnLastLine(): boolean {
    return this.at.line >= this.#lines.lineCount - 1;
  }

  forward(): Step {
    const text = this.#lines.line(this.at.line);
    if (this.at.offset < text.length) {
      const offset = nextBorder(text, this.at.offset);
      this.at = { line: this.at.line, offset };
      return offset < text.length ? 'inside' : 'edge';
    }
    if (this.isOnLastLine) return 'stuck';
    this.at = { line: this.at.line + 1, offset: 0 };
    return 'edge';
  }

  back(): Step {
    if (this.at.offset > 0) {
      this.at = { line: this.at.line, offset: previousBorder(this.#lines.line(this.at.line), this.at.offset) };
      return 'inside';
    }
    if (this.at.line === 0) return 'stuck';
    this.at = { line: this.at.line - 1, offset: this.#lines.line(this.at.line - 1).length };
    return 'edge';
  }

  /** Walks while the sort is the same; false at the border of the text. */
  pass(kind: WordClass, step: () => Step): boolean {
    while (this.kind === kind) if (step() === 'stuck') return false;
    return true;
  }
}

/** The start of the next word. `stopsAtLineEnd` holds the last word of an operation inside its line. */
export function nextWord(walker: Walker, stopsAtLineEnd: boolean): boolean {
  const started = walker.kind;
  const isLast = walker.isOnLastLine;
  const step = walker.forward();
  if (step === 'stuck' || (step === 'edge' && isLast)) return false;
  if (step === 'edge' && stopsAtLineEnd) return true;
  if (started !== 'space') {
    while (walker.kind === started) {
      const moved = walker.forward();
      if (moved === 'stuck' || (moved === 'edge' && stopsAtLineEnd)) return true;
    }
  }
  while (walker.kind === 'space' && !walker.isOnEmptyLine) {
    const wasLast = walker.isOnLastLine;
    const moved = walker.forward();
    if (moved === 'stuck' || (moved === 'edge' && (wasLast || stopsAtLineEnd))) return true;
  }
  return true;
}

/** The last grapheme of a word. `mayStay` lets a word of one grapheme be its own end. */
export function wordEnd(walker: Walker, mayStay: boolean): boolean {
  const started = walker.kind;
  if (walker.forward() === 'stuck') return false;
  const forward = (): Step => walker.forward();
  if (started !== 'space' && walker.kind === started) {
    if (!walker.pass(started, forward)) return false;
  } else if (!mayStay || started === 'space') {
    if (!walker.pass('space', forward)) return false;
    if (!walker.pass(walker.kind, forward)) return false;
  }
  walker.back();
  return true;
}

/** The start of a word before. */
export function previousWord(walker: Walker): boolean {
  if (walker.back() === 'stuck') return false;
  while (walker.kind === 'space') {
    if (walker.isOnEmptyLine) return true;
    if (walker.back() === 'stuck') return true;
  }
  if (!walker.pass(walker.kind, () => walker.back())) return true;
  walker.forward();
  return true;
}
