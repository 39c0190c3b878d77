/**
 * Changes settings in a YAML text and leaves everything else as it is, byte for byte: comments, blank lines, order,
 * quotes, anchors. A change is first made in the text itself; if the result does not say exactly what it should (odd
 * layouts, anchors), the document is changed as a tree and printed anew, which keeps comments and anchors but may move
 * blanks. What was written is always read back before it counts.
 */
import { isDeepStrictEqual } from 'node:util';
import type { SettingEdit } from '@tenon/kernel';
import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  type Node,
  type Pair,
  stringify,
  visit,
  type YAMLMap,
} from 'yaml';
import { errors } from './errors.ts';
import { pairOf, type ParsedSettings, parseSettings } from './yaml-text.ts';

const BOM = '\uFEFF';

/** Applies changes to the text of a settings file. */
export function editSettings(text: string, edits: readonly SettingEdit[], file: string): string {
  const mark = text.startsWith(BOM) ? BOM : '';
  let current = text.slice(mark.length);
  for (const edit of edits) current = applyEdit(current, edit, file);
  return mark + current;
}

function applyEdit(text: string, edit: SettingEdit, file: string): string {
  const parsed = parseSettings(text, file);
  const path = edit.value === undefined ? prunedPath(parsed.values, edit.path) : edit.path;
  if (path.length === 0) return text;
  const expected = structuredClone(parsed.values);
  changeValue(expected, path, edit.value);
  const saysSo = (candidate: string) => {
    try {
      return isDeepStrictEqual(parseSettings(candidate, file).values, expected);
    } catch {
      return false; // A text that cannot be read is no candidate; the tree is changed instead.
    }
  };
  const inPlace = changeText(text, parsed, path, edit.value);
  if (inPlace !== undefined && saysSo(inPlace)) return inPlace;
  const printed = changeTree(text, parsed, path, edit.value);
  if (saysSo(printed)) return printed;
  throw errors.create('SETTINGS_FILES_BY_HAND', { key: path.join('.'), file });
}

/** The path to remove: sections that would be left empty go too. Empty when there is nothing to remove. */
function prunedPath(values: Record<string, unknown>, path: readonly string[]): readonly string[] {
  const parents: unknown[] = [values];
  for (const key of path) {
    const parent = parents.at(-1);
    if (!isRecord(parent) || !Object.hasOwn(parent, key)) return [];
    parents.push(parent[key]);
  }
  let length = path.length;
  while (length > 1 && Object.keys(parents[length - 1] as object).length === 1) length--;
  return path.slice(0, length);
}

function changeValue(values: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [head = '', ...rest] = path;
  if (rest.length > 0) {
    const inner = isRecord(values[head]) ? values[head] : {};
    values[head] = inner;
    changeValue(inner, rest, value);
  } else if (value === undefined) delete values[head];
  else values[head] = value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The text with the change made in place, or undefined when its layout does not allow that. */
function changeText(
  text: string,
  { document }: ParsedSettings,
  path: readonly string[],
  value: unknown,
): string | undefined {
  const { map, pair, depth } = deepest(document, path);
  if (value === undefined) return pair && depth === path.length ? withoutLines(text, pair) : undefined;
  const inline = (content: unknown) =>
    typeof content === 'string' && /[\n\r]/.test(content)
      ? JSON.stringify(content)
      : stringify(content, { lineWidth: 0, collectionStyle: 'flow' }).trimEnd();
  const old = pair?.value as Node | null | undefined;
  const isFilled = old?.range && old.range[1] > old.range[0];
  if (pair && depth === path.length && isFilled) {
    const isInline = isScalar(old) || (isCollection(old) && old.flow === true);
    return isInline && old.range ? splice(text, old.range[0], old.range[1], inline(value)) : undefined;
  }
  const rest = path.slice(pair && isFilled ? depth : Math.max(0, depth - (pair ? 1 : 0)));
  if (pair && !isFilled) return fillEmpty(text, pair, rest.slice(1), value, inline);
  if (map?.flow) return undefined;
  return insertLines(text, map, rest, value, inline);
}

/** The innermost mapping on the path, and the pair that was found last. */
function deepest(document: Document, path: readonly string[]) {
  let map: YAMLMap | undefined = isMap(document.contents) ? document.contents : undefined;
  let pair: Pair | undefined;
  let depth = 0;
  for (const key of path) {
    const next = pairOf(map, key);
    if (!next) return { map, pair: undefined, depth };
    [pair, depth] = [next, depth + 1];
    if (!isMap(next.value)) return { map, pair, depth };
    if (depth < path.length) map = next.value;
  }
  return { map, pair, depth };
}

type Inline = (value: unknown) => string;

const INDENT = '  ';

/** `key:` lines for a path with its value at the end. */
function linesFor(path: readonly string[], value: unknown, indent: string, inline: Inline): string[] {
  return path.map((key, index) => {
    const tail = index === path.length - 1 ? ` ${inline(value)}` : '';
    return `${indent}${INDENT.repeat(index)}${inline(key)}:${tail}`;
  });
}

/** New lines behind the last pair of a mapping, or at the end of a file that has none. */
function insertLines(text: string, map: YAMLMap | undefined, rest: readonly string[], value: unknown, inline: Inline) {
  const first = (map?.items[0]?.key as Node | undefined)?.range?.[0];
  const indent = first === undefined ? '' : text.slice(lineStart(text, first), first);
  if (indent.trim() !== '') return undefined;
  const at = map && map.items.length > 0 ? lineEnd(text, endOf(map)) : text.length;
  return addLines(text, at, linesFor(rest, value, indent, inline));
}

/** A value, or lines below it, for a key that stands there without one. */
function fillEmpty(
  text: string,
  pair: Pair,
  rest: readonly string[],
  value: unknown,
  inline: Inline,
): string | undefined {
  const key = (pair.key as Node).range;
  if (!key) return undefined;
  const colon = text.indexOf(':', key[1]);
  if (colon === -1) return undefined;
  if (rest.length === 0) return splice(text, colon + 1, colon + 1, ` ${inline(value)}`);
  const indent = text.slice(lineStart(text, key[0]), key[0]) + INDENT;
  return indent.trim() === '' ? addLines(text, lineEnd(text, colon), linesFor(rest, value, indent, inline)) : undefined;
}

function addLines(text: string, at: number, lines: readonly string[]): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const before = text.slice(0, at);
  const gap = before === '' || before.endsWith('\n') ? '' : eol;
  return `${before}${gap}${lines.join(eol)}${eol}${text.slice(at)}`;
}

/** The text without the lines of a pair; its comments above stay. */
function withoutLines(text: string, pair: Pair): string | undefined {
  const key = (pair.key as Node).range;
  if (!key) return undefined;
  const start = lineStart(text, key[0]);
  if (text.slice(start, key[0]).trim() !== '') return undefined;
  return splice(text, start, lineEnd(text, endOf(pair.value ?? pair.key)), '');
}

/** Where the content of a node ends, without the comments and blanks behind it. */
function endOf(node: unknown): number {
  const { items, flow, range } = node as Partial<YAMLMap> & Partial<Node>;
  const last = flow ? undefined : items?.at(-1);
  if (last === undefined) return range?.[1] ?? 0;
  const pair = last as Partial<Pair>;
  const inner = 'key' in pair ? ((pair.value as Node | null)?.range ? pair.value : pair.key) : last;
  return endOf(inner);
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}

/** The start of the next line; a position at the start of a line is already there. */
function lineEnd(text: string, at: number): number {
  if (at > 0 && text[at - 1] === '\n') return at;
  const next = text.indexOf('\n', at);
  return next === -1 ? text.length : next + 1;
}

function splice(text: string, start: number, end: number, replacement: string): string {
  return text.slice(0, start) + replacement + text.slice(end);
}

/** The document changed as a tree. Aliases of the changed part, or of what is around it, become what they stood for. */
function changeTree(text: string, { document }: ParsedSettings, path: readonly string[], value: unknown): string {
  for (let length = 1; length < path.length; length++) {
    const node = document.getIn(path.slice(0, length), true);
    if (isAlias(node)) document.setIn(path.slice(0, length), document.createNode(node.toJS(document)));
    // Only the value goes: comments above belong to the key.
    else if (node !== undefined && !isMap(node)) document.setIn(path.slice(0, length), document.createNode({}));
  }
  const changed = document.getIn(path, true);
  const inside = new Set<unknown>(path.map((_, index) => document.getIn(path.slice(0, index), true)));
  if (changed !== undefined && changed !== null) visit(changed as Node, { Node: (_, node) => void inside.add(node) });
  visit(document, {
    Alias: (_, alias) => {
      const source = alias.resolve(document);
      return source && inside.has(source) ? (document.createNode(source.toJS(document)) as Node) : undefined;
    },
  });
  if (value === undefined) document.deleteIn(path);
  // A plain value goes into the node that is there, which keeps its comment.
  else document.setIn(path, typeof value === 'object' && value !== null ? document.createNode(value) : value);
  const printed = document.toString({ lineWidth: 0 });
  return text.includes('\r\n') ? printed.replaceAll('\n', '\r\n') : printed;
}
