/** Finds a text in a file although line endings, trailing blanks or typographic characters differ. */
import { TYPOGRAPHY } from './fuzzy-lines.ts';
import { splitText } from './text-lines.ts';

/** How closely a text has to fit: byte for byte up to line endings, or also up to blanks at line ends and typography. */
export type TextCloseness = 'exact' | 'loose';

/** Where a text was found, as offsets in the original. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

interface Folded {
  readonly text: string;
  /** For each unit of `text`: its offset in the original. */
  readonly offsets: Uint32Array;
}

/** A file's text that can be searched several times. */
export class SearchedText {
  readonly original: string;
  #lines: { readonly texts: readonly string[]; readonly starts: readonly number[] } | undefined;
  readonly #folded = new Map<TextCloseness, Folded>();

  constructor(original: string) {
    this.original = original;
  }

  /** All places, from the start, those that overlap too: a text that could stand in two ways is not unique. */
  find(wanted: string, closeness: TextCloseness): Span[] {
    const { text, offsets } = this.#fold(closeness);
    const needle = fold(wanted, closeness).text;
    const spans: Span[] = [];
    if (needle === '') return spans;
    // Blanks that were folded away stood at the end of a line, not in the middle of a word.
    const mustEndLine = closeness === 'loose' && /[ \t]$/.test(wanted);
    for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + 1)) {
      const next = text[at + needle.length];
      if (mustEndLine && next !== undefined && next !== '\n') continue;
      // Behind its last character, so that a `\r` or blanks after it stay.
      const first = offsets[at] ?? 0;
      const isHalfEnding = needle.startsWith('\n') && this.original[first - 1] === '\r';
      spans.push({ start: isHalfEnding ? first - 1 : first, end: (offsets[at + needle.length - 1] ?? 0) + 1 });
    }
    return spans;
  }

  /** The lines without their endings, and where they start; one more start for the end of a closed last line. */
  get lines(): { readonly texts: readonly string[]; readonly starts: readonly number[] } {
    if (this.#lines) return this.#lines;
    const { mark, texts, endings } = splitText(this.original);
    const starts = [mark.length];
    for (const [index, text] of texts.entries()) {
      starts.push((starts[index] ?? 0) + text.length + (endings[index]?.length ?? 0));
    }
    this.#lines = { texts, starts };
    return this.#lines;
  }

  /** The line (from 1) of an offset. */
  lineOf(offset: number): number {
    let line = 1;
    for (let at = this.original.indexOf('\n'); at >= 0 && at < offset; at = this.original.indexOf('\n', at + 1)) line++;
    return line;
  }

  /** The line ending in use around an offset. */
  endingAt(offset: number): '\n' | '\r\n' {
    const next = this.original.indexOf('\n', offset);
    const at = next >= 0 ? next : this.original.lastIndexOf('\n');
    return at > 0 && this.original[at - 1] === '\r' ? '\r\n' : '\n';
  }

  #fold(closeness: TextCloseness): Folded {
    const known = this.#folded.get(closeness) ?? fold(this.original, closeness);
    this.#folded.set(closeness, known);
    return known;
  }
}

function fold(original: string, closeness: TextCloseness): Folded {
  // Every replacement has the length of what it replaces, or nothing; so the offsets never need more room.
  const pattern =
    closeness === 'exact' ? /\r(?=\n)/g : /[ \t\r]+(?=\n|$)|[\u2018\u2019\u201c\u201d\u2013\u2014\u00a0]/g;
  const offsets = new Uint32Array(original.length);
  const parts: string[] = [];
  let length = 0;
  let from = 0;
  const take = (until: number): void => {
    parts.push(original.slice(from, until));
    for (let at = from; at < until; at++) offsets[length++] = at;
  };
  for (const { 0: matched, index } of original.matchAll(pattern)) {
    take(index);
    const substitute = TYPOGRAPHY[matched];
    if (substitute !== undefined) {
      parts.push(substitute);
      offsets[length++] = index;
    }
    from = index + matched.length;
  }
  take(original.length);
  return { text: parts.join(''), offsets: offsets.subarray(0, length) };
}
