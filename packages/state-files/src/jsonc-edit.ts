/**
 * Edits of JSON with comments. jsonc-parser finds the places; its own edits drop comments beside a removed value and
 * reformat the lines around, so the changes are made here.
 */
import { type Node, parseTree } from 'jsonc-parser';
import { type JsonPath, pieceEnd } from './jsonc.ts';

/** Sets a value, with the objects on the way to it. */
export function setJson(text: string, path: JsonPath, value: unknown): string {
  const root = rootOf(text);
  if (!root) return `${text.trimEnd()}\n${indented(nested(path, value), '  ', '', '\n')}\n`.trimStart();
  let object = root;
  for (const [depth, key] of path.entries()) {
    const content = nested(path.slice(depth + 1), value);
    const present: Node | undefined = membersOf(object, key).at(-1)?.children?.[1];
    if (!present) return insert(text, object, key, content);
    if (present.type !== 'object' || depth === path.length - 1) {
      const [unit, eol] = [unitOf(text), eolOf(text)];
      return splice(text, present.offset, end(present), indented(content, unit, indentAt(text, present.offset), eol));
    }
    object = present;
  }
  return text;
}

/** Takes a value out; nothing happens when it is not there. Comments beside it stay. */
export function removeJson(text: string, path: JsonPath): string {
  let object = rootOf(text);
  for (const key of path.slice(0, -1)) object = object && membersOf(object, key).at(-1)?.children?.[1];
  const members = object?.type === 'object' ? membersOf(object, path.at(-1) ?? '') : [];
  const [member] = members;
  if (!object || !member) return text;
  const removed = cut(text, object, member);
  // A key that stands there twice.
  return members.length > 1 ? removeJson(removed, path) : removed;
}

function rootOf(text: string): Node | undefined {
  // Whatever comes before the value counts as blank, also a byte order mark.
  const root = parseTree(text.replace(/^\uFEFF/, ' '), [], { allowTrailingComma: true });
  if (root && root.type !== 'object') throw new Error('it is no JSON object');
  return root;
}

const end = ({ offset, length }: Node) => offset + length;
const splice = (text: string, from: number, to: number, content: string) =>
  text.slice(0, from) + content + text.slice(to);
const nested = (path: readonly string[], value: unknown) =>
  path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);

function membersOf({ children = [] }: Node, key: string): Node[] {
  return children.filter((member) => member.children?.[0]?.value === key);
}

function insert(text: string, object: Node, key: string, value: unknown): string {
  const [unit, eol] = [unitOf(text), eolOf(text)];
  const outer = indentAt(text, object.offset);
  const last = object.children?.at(-1);
  if (!last) {
    const close = end(object) - 1;
    const inside = text.slice(object.offset + 1, close).trimEnd();
    const line = `${JSON.stringify(key)}: ${indented(value, unit, outer + unit, eol)}`;
    return splice(text, object.offset + 1, close, `${inside}${eol}${outer}${unit}${line}${eol}${outer}`);
  }
  if (!text.slice(object.offset, end(object)).includes('\n'))
    return splice(text, end(last), end(last), `, ${JSON.stringify(key)}: ${JSON.stringify(value)}`);
  const indent = text.slice(0, last.offset).match(/(?:^|\n)([ \t]*)$/)?.[1] ?? outer + unit;
  const line = `${eol}${indent}${JSON.stringify(key)}: ${indented(value, unit, indent, eol)}`;
  const comma = commaAfter(text, end(last));
  const at = lineEnd(text, comma === undefined ? end(last) : comma + 1);
  const added = splice(text, at, at, comma === undefined ? line : `${line},`);
  return comma === undefined ? splice(added, end(last), end(last), ',') : added;
}

function cut(text: string, { children = [] }: Node, member: Node): string {
  const before = children[children.indexOf(member) - 1];
  const after = commaAfter(text, end(member));
  const comma = after ?? (before && commaAfter(text, end(before)));
  const spans = [[member.offset, end(member)] as const, ...(comma === undefined ? [] : [[comma, comma + 1] as const])];
  let rest = text;
  for (const [from, to] of spans.toSorted(([a], [b]) => b - a)) rest = splice(rest, from, to, '');
  const at = after === undefined && comma !== undefined ? member.offset - 1 : member.offset;
  return withoutBlank(rest, at);
}

/** Closes the gap at a position: a line that is empty now goes whole, otherwise blanks do not stand double. */
function withoutBlank(text: string, at: number): string {
  const from = at - (/[ \t]*$/.exec(text.slice(0, at))?.[0].length ?? 0);
  const to = at + (/^[ \t]*/.exec(text.slice(at))?.[0].length ?? 0);
  const isLine = text[from - 1] === '\n' && (text.startsWith('\n', to) || text.startsWith('\r\n', to));
  if (isLine) return splice(text, from, text.indexOf('\n', to) + 1, '');
  // Indentation stays where something else begins the line.
  return splice(text, at, to, text[from - 1] === '\n' || from < at ? '' : text.slice(at, to));
}

/** The comma that follows a value, beyond blanks and comments. */
function commaAfter(text: string, from: number): number | undefined {
  let at = from;
  while (at < text.length && (/\s/.test(text[at] ?? '') || text[at] === '/')) at = pieceEnd(text, at);
  return text[at] === ',' ? at : undefined;
}

/** The end of what stands on the same line: blanks and comments. */
function lineEnd(text: string, from: number): number {
  let at = from;
  for (let next = from; next < text.length && /[ \t/]/.test(text[next] ?? '');) {
    next = pieceEnd(text, next);
    if (text.slice(at, next).includes('\n')) break;
    if (/\S/.test(text.slice(at, next))) at = next;
  }
  return text[at - 1] === '\r' ? at - 1 : at;
}

function indented(value: unknown, unit: string, indent: string, eol: string): string {
  return JSON.stringify(value, undefined, unit).replaceAll('\n', eol + indent);
}

const eolOf = (text: string) => (text.includes('\r\n') ? '\r\n' : '\n');
const unitOf = (text: string) => /\n([ \t]+)"/.exec(text)?.[1] ?? '  ';

/** The blanks that the line of a position begins with. */
function indentAt(text: string, position: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', position - 1) + 1))?.[0] ?? '';
}
