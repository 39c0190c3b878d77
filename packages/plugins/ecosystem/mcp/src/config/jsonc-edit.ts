/**
 * Reads JSON with comments, and changes a part of it without touching the rest. (The package jsonc-parser does this too, but its
 * entry for Node cannot be bundled.)
 */

/** The way to a value: keys of objects. */
export type JsonPath = readonly string[];

interface Member {
  readonly key: string;
  readonly start: number;
  readonly valueStart: number;
  readonly valueEnd: number;
}

interface Range {
  /** Of the opening bracket. */
  readonly start: number;
  /** Of the closing bracket. */
  readonly end: number;
  readonly members: readonly Member[];
}

const STRING = '"(?:[^"\\\\\\n]|\\\\.)*(?:"|(?=\\n)|$)';
const COMMENT = new RegExp(`${STRING}|//[^\\n]*|/\\*[\\s\\S]*?(?:\\*/|$)`, 'g');
const TRAILING_COMMA = new RegExp(`${STRING}|,(?=\\s*[}\\]])`, 'g');
const TOKEN = new RegExp(`${STRING}|[{}\\[\\]]|[^\\s,:{}\\[\\]"]+`, 'y');
const INDENT = '  ';

/** The value of a text; empty text is nothing. What is wrong with it is thrown as `problem` says. */
export function parseJsonc(text: string, problem: (reason: string) => Error): unknown {
  if (text.trim() === '') return undefined;
  const plain = plainJson(text);
  try {
    return JSON.parse(plain) as unknown;
  } catch (fault) {
    const position = Number(/at position (\d+)/.exec(String(fault))?.[1] ?? plain.length);
    throw problem(`line ${plain.slice(0, position).split('\n').length} is no valid JSON`);
  }
}

/** Sets a value, with the objects on the way to it. The text must be an object. */
export function setJson(text: string, path: JsonPath, value: unknown): string {
  const [key = '', ...rest] = path;
  const range = objectAt(plainJson(text), 0);
  return set(text, range, { key, rest, value, depth: 1 });
}

interface Setting {
  readonly key: string;
  readonly rest: JsonPath;
  readonly value: unknown;
  readonly depth: number;
}

function set(text: string, range: Range, { key, rest, value, depth }: Setting): string {
  const member = range.members.find((one) => one.key === key);
  const [next, ...further] = rest;
  const plain = plainJson(text);
  if (member && next !== undefined && plain[member.valueStart] === '{') {
    return set(text, objectAt(plain, member.valueStart), { key: next, rest: further, value, depth: depth + 1 });
  }
  const written = write(
    rest.reduceRight((inner, name) => ({ [name]: inner }), value),
    depth,
  );
  if (member) return text.slice(0, member.valueStart) + written + text.slice(member.valueEnd);
  const line = `\n${INDENT.repeat(depth)}${JSON.stringify(key)}: ${written}`;
  const last = range.members.at(-1);
  if (last) return `${text.slice(0, last.valueEnd)},${line}${text.slice(last.valueEnd)}`;
  const inside = text.slice(range.start + 1, range.end).trimEnd();
  return `${text.slice(0, range.start + 1)}${inside}${line}\n${INDENT.repeat(depth - 1)}${text.slice(range.end)}`;
}

/** Takes a value out; nothing happens when it is not there. */
export function removeJson(text: string, path: JsonPath): string {
  const plain = plainJson(text);
  let range = objectAt(plain, 0);
  for (const key of path.slice(0, -1)) {
    const member = range.members.find((one) => one.key === key);
    if (!member || plain[member.valueStart] !== '{') return text;
    range = objectAt(plain, member.valueStart);
  }
  const index = range.members.findIndex((one) => one.key === path.at(-1));
  const member = range.members[index];
  if (!member) return text;
  const before = range.members[index - 1];
  const after = range.members[index + 1];
  // With the comma that separated it from its neighbour.
  if (after) return text.slice(0, member.start) + text.slice(after.start);
  const from = before ? before.valueEnd : range.start + 1;
  const rest = text.slice(member.valueEnd).replace(/^\s*,/, '');
  return before ? text.slice(0, from) + rest : `${text.slice(0, from)}${rest.replace(/^\s+/, '')}`;
}

function write(value: unknown, depth: number): string {
  return JSON.stringify(value, undefined, INDENT).replaceAll('\n', `\n${INDENT.repeat(depth)}`);
}

/** The same text with blanks in place of comments and of commas before a closing bracket, so that positions stay. */
function plainJson(text: string): string {
  const blank = (found: string) => (found.startsWith('"') ? found : found.replaceAll(/[^\n]/g, ' '));
  return text
    .replace(/^\uFEFF/, ' ')
    .replace(COMMENT, blank)
    .replace(TRAILING_COMMA, blank);
}

/** The object whose bracket comes next. The text is valid JSON, which was checked before. */
function objectAt(plain: string, from: number): Range {
  const start = plain.indexOf('{', from);
  const members: Member[] = [];
  let at = start + 1;
  for (;;) {
    at = skip(plain, at, /[\s,]/);
    if (at >= plain.length || plain[at] === '}') return { start, end: at, members };
    const keyEnd = valueEnd(plain, at);
    const valueStart = skip(plain, keyEnd, /[\s:]/);
    const end = valueEnd(plain, valueStart);
    members.push({ key: JSON.parse(plain.slice(at, keyEnd)) as string, start: at, valueStart, valueEnd: end });
    at = end;
  }
}

function skip(text: string, from: number, what: RegExp): number {
  let at = from;
  while (at < text.length && what.test(text[at] ?? '')) at++;
  return at;
}

/** Where the value that begins at `from` ends. */
function valueEnd(plain: string, from: number): number {
  let depth = 0;
  let at = from;
  do {
    at = skip(plain, at, /[\s,:]/);
    TOKEN.lastIndex = at;
    const [token] = TOKEN.exec(plain) ?? [];
    if (token === undefined) return plain.length;
    if (token === '{' || token === '[') depth++;
    if (token === '}' || token === ']') depth--;
    at += token.length;
  } while (depth > 0);
  return at;
}
