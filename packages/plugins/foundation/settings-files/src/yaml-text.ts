/** Imported only when YAML is needed: most runs have no settings file, and the parser is large. */
import {
  type Document,
  LineCounter,
  type Node,
  type Pair,
  parse,
  parseDocument,
  type Scalar,
  stringify,
  type YAMLMap,
} from 'yaml';
import { errors } from './errors.ts';

/** A parsed settings file. */
export interface ParsedSettings {
  readonly document: Document;
  readonly values: Record<string, unknown>;
  locate(path: readonly string[]): { line: number; column: number } | undefined;
}

/** Parses settings. Throws with file, line and column when they cannot be read. */
export function parseSettings(text: string, file: string): ParsedSettings {
  const lines = new LineCounter();
  const document = parseDocument(text.replace(/^\uFEFF/, ''), {
    lineCounter: lines,
    merge: true,
    prettyErrors: false,
    uniqueKeys: true,
  });
  const [problem] = document.errors;
  if (problem) {
    const { line, col } = lines.linePos(problem.pos[0]);
    throw errors.create('SETTINGS_FILES_SYNTAX', { file, line, column: col, problem: sentence(problem) }, problem);
  }
  const values = toValues(document, file, lines);
  return { document, values, locate: (path) => locate(document, lines, path) };
}

function toValues(document: Document, file: string, lines: LineCounter): Record<string, unknown> {
  const { contents } = document;
  const start = lines.linePos(contents?.range?.[0] ?? 0);
  const location = { file, line: Math.max(1, start.line), column: Math.max(1, start.col) };
  let values: unknown;
  try {
    values = withoutSharing(document.toJS() ?? {});
  } catch (fault) {
    // An alias without its anchor, or aliases that would grow without end.
    const problem = fault instanceof Error ? fault.message : String(fault);
    throw errors.create('SETTINGS_FILES_SYNTAX', { ...location, problem }, fault);
  }
  if (typeof values === 'object' && values !== null && !Array.isArray(values)) return values as Record<string, unknown>;
  throw errors.create('SETTINGS_FILES_NOT_A_MAPPING', {
    ...location,
    found: Array.isArray(values) ? 'a list' : 'one value',
  });
}

/** Aliases give the same object twice; a change to one must not change the other. */
function withoutSharing(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSharing);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutSharing(inner)]));
}

/** The parser's problems in words that fit settings. */
function sentence({ code, message }: { code: string; message: string }): string {
  switch (code) {
    case 'DUPLICATE_KEY':
      return 'the same key stands twice in one section';
    case 'TAB_AS_INDENT':
      return 'a tab is used to indent; YAML wants spaces';
    case 'MULTIPLE_DOCS':
      return 'a second document starts here ("---"); settings are one document';
    default:
      return message.split('\n')[0] ?? message;
  }
}

/** Line and column of the key at a path. */
function locate(
  document: Document,
  lines: LineCounter,
  path: readonly string[],
): { line: number; column: number } | undefined {
  let node: unknown = document.contents;
  let offset: number | undefined;
  for (const key of path) {
    const pair = pairOf(node, key);
    if (!pair) break;
    offset = (pair.key as Node | null)?.range?.[0];
    node = pair.value;
  }
  if (offset === undefined) return undefined;
  const { line, col } = lines.linePos(offset);
  return { line, column: col };
}

/** The pair with a key in a mapping. */
export function pairOf(node: unknown, key: string): Pair | undefined {
  const { items } = (node ?? {}) as Partial<YAMLMap>;
  return items?.find((item) => {
    const name = (item as Pair | null)?.key as Partial<Scalar> | null | undefined;
    return name !== null && typeof name === 'object' && 'value' in name && String(name.value) === key;
  }) as Pair | undefined;
}

/** Reads a value as a person types it. What is not meant as anything else is text. */
export function parseValue(text: string, schema: { type?: unknown; anyOf?: unknown } | undefined): unknown {
  // Where text is one of several forms, only a list is meant as one: `*sonnet*` would be an alias in YAML.
  const alsoText =
    Array.isArray(schema?.anyOf) && schema.anyOf.some((form) => (form as { type?: unknown }).type === 'string');
  const wantsText = schema?.type === 'string' || (alsoText && !/^\s*\[/.test(text));
  // A setting that can only be text takes "on" or "007" literally; quotes still mean quotes.
  if (wantsText && !/^(".*"|'.*')$/s.test(text)) return text;
  return parse(text) as unknown;
}

/** Settings as the text of a new YAML file. */
export function settingsText(values: Record<string, unknown>): string {
  return Object.keys(values).length === 0 ? '' : stringify(values, { lineWidth: 0 });
}

/** A value as YAML, for showing it. */
export function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  return stringify(value, { lineWidth: 0 }).trimEnd();
}
