/** Where a text stops being JSON. `JSON.parse` says so in some versions of Node only, and not for every mistake. */
export interface JsonMistake {
  readonly line: number;
  readonly column: number;
  readonly reason: string;
}

class Mistake extends Error {
  readonly at: number;

  constructor(at: number, reason: string) {
    super(reason);
    this.at = at;
  }
}

const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const LITERAL = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const BLANK = /[ \t\n\r]*/y;

/** The first mistake in a text that should be JSON; nothing if there is none. */
export function findJsonMistake(text: string): JsonMistake | undefined {
  try {
    const end = skipBlank(text, value(text, skipBlank(text, 0)));
    if (end < text.length) throw new Mistake(end, 'there is something after the end');
    return undefined;
  } catch (fault) {
    if (!(fault instanceof Mistake)) throw fault;
    const before = text.slice(0, fault.at).split('\n');
    return { line: before.length, column: (before.at(-1) ?? '').length + 1, reason: fault.message };
  }
}

function value(text: string, at: number): number {
  const first = text[at];
  if (first === '{')
    return members(text, at, '}', (start) => {
      const colon = skipBlank(text, match(text, STRING, start, 'a key in double quotes is expected'));
      if (text[colon] !== ':') throw new Mistake(colon, 'a colon is expected');
      return value(text, skipBlank(text, colon + 1));
    });
  if (first === '[') return members(text, at, ']', (start) => value(text, start));
  if (first === '"')
    return match(text, STRING, at, 'the text in double quotes does not end, or holds what must be escaped');
  return match(text, LITERAL, at, first === undefined ? 'the file ends too early' : 'a value is expected');
}

function members(text: string, open: number, close: string, member: (at: number) => number): number {
  let at = skipBlank(text, open + 1);
  if (text[at] === close) return at + 1;
  for (;;) {
    at = skipBlank(text, member(at));
    if (text[at] === close) return at + 1;
    if (text[at] !== ',')
      throw new Mistake(at, text[at] === undefined ? 'the file ends too early' : `a comma or "${close}" is expected`);
    at = skipBlank(text, at + 1);
  }
}

function match(text: string, pattern: RegExp, at: number, complaint: string): number {
  pattern.lastIndex = at;
  const token = pattern.exec(text);
  if (!token || token[0] === '') throw new Mistake(at, complaint);
  return at + token[0].length;
}

function skipBlank(text: string, at: number): number {
  BLANK.lastIndex = at;
  return at + (BLANK.exec(text)?.[0].length ?? 0);
}
