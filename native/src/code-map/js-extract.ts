/** What one text defines and which names it uses, as in crates/code-map/src/extract.rs. */
import type { Node } from 'web-tree-sitter';
import type { SyntaxSymbol } from '../syntax/contract.ts';
import { LANGUAGES, type LanguageInfo } from '../syntax/language-table.ts';
import { gotoNext } from '../syntax/outline.ts';
import { symbolsOf } from '../syntax/symbols.ts';
import type { ParsedText } from '../syntax/wasm-engine.ts';

/** One definition. */
export interface Definition {
  readonly name: string;
  readonly kind: string;
  readonly line: number;
  /** Other files cannot refer to it. */
  readonly isPrivate: boolean;
  /** The enclosing definition in the same list. */
  readonly parent?: number;
}

/** What one text contributes. */
export interface Extract {
  readonly definitions: readonly Definition[];
  /** Every used name with what its uses count. */
  readonly uses: ReadonlyMap<string, number>;
}

const KINDS = new Set(
  'function method class interface struct enum trait type constant variable macro module'.split(' '),
);
const NOT_CODE = new Set('json yaml toml markdown html css diff ini xml regex'.split(' '));
const CALLBACK_LANGUAGES = new Set(['typescript', 'tsx', 'javascript']);
const SCOPES = new Set(['function', 'method', 'constructor', 'variable']);
const MOST_DEFINITIONS = 2_000;
const MOST_NAMES = 5_000;
const PLAIN_USE = 4;
const MEMBER_USE = 1;

/** Whether a language has definitions and uses: data, prose and markup do not. */
export function isCode(info: LanguageInfo): boolean {
  return !NOT_CODE.has(info.id);
}

const FAMILIES: Readonly<Record<string, string>> = {
  tsx: 'typescript',
  javascript: 'typescript',
  vue: 'typescript',
  svelte: 'typescript',
  astro: 'typescript',
  cpp: 'c',
  objc: 'c',
  kotlin: 'java',
  scala: 'java',
};

/** Languages that can refer to each other's names have the same mark; it stands before every name. */
export function family(info: LanguageInfo): string {
  const first = FAMILIES[info.id] ?? info.id;
  return String.fromCodePoint(
    33 +
      Math.min(
        90,
        LANGUAGES.findIndex(({ id }) => id === first),
      ),
  );
}

/** Reads a parsed text. */
export function extractParsed({ tree, info, source }: ParsedText): Extract {
  return {
    definitions: definitionsOf(symbolsOf(tree.rootNode, info, source), info, source.text, source.lineStarts),
    uses: identifiers(tree.rootNode, source.text),
  };
}

/** Reads a text word by word. */
export function extractWords(text: string): Extract {
  const uses = new Map<string, number>();
  for (const word of text.split(/[^A-Za-z0-9_]+/)) if (isName(word)) count(uses, word, PLAIN_USE);
  return { definitions: [], uses };
}

function definitionsOf(
  symbols: readonly SyntaxSymbol[],
  info: LanguageInfo,
  text: string,
  lineStarts: readonly number[],
): Definition[] {
  const hasCallbacks = CALLBACK_LANGUAGES.has(info.id);
  const exportsOneByOne = hasCallbacks && text.includes('export ') && !text.includes('export {');
  const kept: Definition[] = [];
  const places: { readonly around?: number | undefined; readonly local: boolean }[] = [];
  for (const symbol of symbols) {
    const outer = symbol.parent === undefined ? undefined : places[symbol.parent];
    const lineStart = lineStarts[symbol.range.startLine - 1] ?? 0;
    const at = lineStart + symbol.range.startColumn - 1;
    const before = text.slice(lineStart, at);
    const isTop = symbol.parent === undefined;
    const local = (outer?.local ?? false) || (hasCallbacks && isTop && /^[ \t]/.test(before));
    let around = outer?.around;
    if (!local && isKept(symbol.kind, info) && isName(symbol.name) && kept.length < MOST_DEFINITIONS) {
      kept.push({
        name: symbol.name,
        kind: symbol.kind,
        line: symbol.range.startLine,
        isPrivate: isTop && isPrivate(before, text.slice(at).split('\n', 1)[0] ?? '', info, exportsOneByOne),
        ...(around !== undefined && { parent: around }),
      });
      around = kept.length - 1;
    }
    places.push({ around, local: local || SCOPES.has(symbol.kind) });
  }
  return kept;
}

function isKept(kind: string, info: LanguageInfo): boolean {
  return KINDS.has(kind) && (kind !== 'module' || info.id === 'ruby' || info.id === 'erlang');
}

function isPrivate(before: string, line: string, info: LanguageInfo, exportsOneByOne: boolean): boolean {
  if (CALLBACK_LANGUAGES.has(info.id))
    return exportsOneByOne && !before.startsWith('export') && !line.startsWith('export');
  if (info.id === 'rust') return !line.startsWith('pub') && !line.startsWith('macro_rules');
  return (info.id === 'c' || info.id === 'cpp') && line.startsWith('static ') && !line.includes('inline');
}

const NAME_KINDS = new Set(['constant', 'name', 'word', 'variable_name', 'atom', 'var']);

function identifiers(root: Node, text: string): Map<string, number> {
  const uses = new Map<string, number>();
  const cursor = root.walk();
  for (;;) {
    if (cursor.gotoFirstChild()) continue;
    const type = cursor.nodeType;
    if (cursor.nodeIsNamed && (type.endsWith('identifier') || NAME_KINDS.has(type))) {
      const name = text.slice(cursor.startIndex, cursor.endIndex);
      const isMember = type === 'property_identifier' || type === 'field_identifier';
      if (isName(name)) count(uses, name, isMember ? MEMBER_USE : PLAIN_USE);
    }
    if (!gotoNext(cursor, [])) break;
  }
  cursor.delete();
  return uses;
}

function count(uses: Map<string, number>, name: string, weight: number): void {
  const before = uses.get(name);
  if (before !== undefined || uses.size < MOST_NAMES) uses.set(name, (before ?? 0) + weight);
}

/** Names are of one word; a heading or a selector is none. Their length counts in bytes. */
function isName(name: string): boolean {
  const bytes = Buffer.byteLength(name);
  // oxlint-disable-next-line no-control-regex -- everything beyond ASCII may be part of a name
  return bytes >= 3 && bytes <= 100 && /^(?!\d)(?:[\w$?!]|[^\u0000-\u007f])+$/.test(name);
}
