/** Where the parts of a JSON text are, so that one can be replaced and everything else stays as it was written. */

/** From `start` to before `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The members of the object at an offset; of a key that stands there twice, the last counts. The text is valid JSON. */
export function membersAt(text: string, offset: number): ReadonlyMap<string, Span> {
  const members = new Map<string, Span>();
  let at = pastBlanks(text, offset + 1);
  while (text[at] === '"') {
    const keyEnd = valueEnd(text, at);
    const key = JSON.parse(text.slice(at, keyEnd)) as string;
    const start = pastBlanks(text, pastBlanks(text, keyEnd) + 1);
    const end = valueEnd(text, start);
    members.set(key, { start, end });
    at = pastComma(text, end);
  }
  return members;
}

/** The elements of the array at an offset. */
export function elementsAt(text: string, offset: number): readonly Span[] {
  const elements: Span[] = [];
  let start = pastBlanks(text, offset + 1);
  while (text[start] !== ']') {
    const end = valueEnd(text, start);
    elements.push({ start, end });
    start = pastComma(text, end);
  }
  return elements;
}

/** Where the first value begins. */
export function rootOf(text: string): number {
  return pastBlanks(text, text.startsWith('\uFEFF') ? 1 : 0);
}

function pastComma(text: string, offset: number): number {
  const at = pastBlanks(text, offset);
  return text[at] === ',' ? pastBlanks(text, at + 1) : at;
}

function pastBlanks(text: string, offset: number): number {
  let at = offset;
  while (' \t\r\n'.includes(text[at] ?? 'x')) at++;
  return at;
}

function valueEnd(text: string, offset: number): number {
  if (text[offset] === '"') return stringEnd(text, offset);
  let depth = 0;
  for (let at = offset; at < text.length; at++) {
    const character = text[at] ?? '';
    if (character === '"') at = stringEnd(text, at) - 1;
    else if ('[{'.includes(character)) depth++;
    else if (']}'.includes(character)) {
      if (depth === 0) return at;
      if (--depth === 0) return at + 1;
    } else if (depth === 0 && ', \t\r\n'.includes(character)) return at;
  }
  return text.length;
}

function stringEnd(text: string, offset: number): number {
  let at = offset + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}
