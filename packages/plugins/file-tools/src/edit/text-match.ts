/** Finds a text in a file although line endings, trailing blanks or typographic characters differ. */

/** How closely a text has to fit: byte for byte up to line endings, or also up to blanks at line ends and typography. */
export type Closeness = 'exact' | 'loose';

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
  readonly #folded = new Map<Closeness, Folded>();

  constructor(original: string) {
    this.original = original;
  }

  /** All places, from the start, without overlaps. */
  find(wanted: string, closeness: Closeness): Span[] {
    const { text, offsets } = this.#fold(closeness);
    const needle = fold(wanted, closeness).text;
    const spans: Span[] = [];
    if (needle === '') return spans;
    for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length)) {
      // Behind its last character, so that a `\r` or blanks after it stay.
      spans.push({ start: offsets[at] ?? 0, end: (offsets[at + needle.length - 1] ?? 0) + 1 });
    }
    return spans;
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

  #fold(closeness: Closeness): Folded {
    const known = this.#folded.get(closeness) ?? fold(this.original, closeness);
    this.#folded.set(closeness, known);
    return known;
  }
}

const TYPOGRAPHY: Readonly<Record<string, string>> = {
  '\u2018': "'",
  '\u2019': "'",
  '\u201c': '"',
  '\u201d': '"',
  '\u2013': '-',
  '\u2014': '-',
  '\u00a0': ' ',
};

function fold(original: string, closeness: Closeness): Folded {
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
  for (const { 0: found, index } of original.matchAll(pattern)) {
    take(index);
    const substitute = TYPOGRAPHY[found];
    if (substitute !== undefined) {
      parts.push(substitute);
      offsets[length++] = index;
    }
    from = index + found.length;
  }
  take(original.length);
  return { text: parts.join(''), offsets: offsets.subarray(0, length) };
}
