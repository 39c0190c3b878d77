/** Borders of graphemes: where a caret can stand. Looks only at the neighbourhood of an offset, because lines can be long. */

let shared: Intl.Segmenter | undefined;
const segmenter = (): Intl.Segmenter => (shared ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' }));

/** How far a look ahead goes at first; a grapheme that is longer gets a longer look. */
const FIRST_LOOK = 64;

/** Whether a character never joins a neighbour of the same sort: most letters, ideographs, ASCII. */
function isPlain(unit: number): boolean {
  if (unit < 0x300) return unit >= 0x20 || unit === 9;
  if (unit < 0x3041) {
    return (
      (unit >= 0x370 && unit < 0x483) ||
      (unit >= 0x5d0 && unit < 0x5eb) ||
      (unit >= 0x620 && unit < 0x64b && unit !== 0x640)
    );
  }
  return (
    unit <= 0x3096 ||
    (unit >= 0x30a1 && unit <= 0x30fa) ||
    (unit >= 0x3400 && unit < 0x4dc0) ||
    (unit >= 0x4e00 && unit < 0xa000)
  );
}

/** Whether a grapheme surely ends and another begins at the offset. */
function isSure(text: string, offset: number): boolean {
  if (offset <= 0 || offset >= text.length) return true;
  return isPlain(text.charCodeAt(offset - 1)) && isPlain(text.charCodeAt(offset));
}

/** The nearest sure border at or before the offset. */
function sureStart(text: string, offset: number): number {
  let at = offset;
  while (!isSure(text, at)) at -= 1;
  return at;
}

/** Borders that were found by a look ahead, in the text that was looked at last: a line is mostly walked from end to end. */
let known: { readonly text: string; readonly next: Map<number, number> } = { text: '', next: new Map() };
const MOST_KNOWN = 4096;

/** The border after the one at `offset`. */
export function nextBorder(text: string, offset: number): number {
  if (offset >= text.length) return text.length;
  if (isPlain(text.charCodeAt(offset)) && isSure(text, offset + 1)) return offset + 1;
  if (known.text !== text || known.next.size > MOST_KNOWN) known = { text, next: new Map() };
  return known.next.get(offset) ?? lookAhead(text, offset, known.next);
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;

function lookAhead(text: string, offset: number, next: Map<number, number>): number {
  for (let look = FIRST_LOOK; ; look *= 2) {
    const isRest = offset + look >= text.length;
    // Half a character would not join what is before it.
    const isCut = !isRest && isHighSurrogate(text.charCodeAt(offset + look - 1));
    const part = text.slice(offset, offset + look - (isCut ? 1 : 0));
    for (const { index, segment } of segmenter().segment(part)) {
      const end = index + segment.length;
      // The last one may go on behind the part.
      if (end < part.length || isRest) next.set(offset + index, offset + end);
    }
    const found = next.get(offset);
    if (found !== undefined) return found;
  }
}

/** The border before the offset. */
export function previousBorder(text: string, offset: number): number {
  if (offset <= 1) return 0;
  if (isSure(text, offset - 1)) return offset - 1;
  const start = sureStart(text, offset - 1);
  const part = text.slice(start, offset);
  return (
    start +
    (segmenter()
      .segment(part)
      .containing(part.length - 1)?.index ?? 0)
  );
}

/** The offset itself where it is a border, else the next border. */
export function snapToBorder(text: string, offset: number): number {
  const inside = Math.max(0, Math.min(offset, text.length));
  if (isSure(text, inside)) return inside;
  const start = sureStart(text, inside);
  let at = start;
  while (at < inside) at = nextBorder(text, at);
  return at;
}

/** The graphemes of a text. */
export function graphemes(text: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length;) {
    const next = nextBorder(text, at);
    parts.push(text.slice(at, next));
    at = next;
  }
  return parts;
}
