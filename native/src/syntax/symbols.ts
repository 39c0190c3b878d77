/** The symbols of a parsed text: what it declares, where, and inside what. */
import type { Node } from 'web-tree-sitter';
import type { SyntaxSymbol } from './contract.ts';
import type { LanguageInfo, SymbolSpec } from './language-table.ts';
import { gotoNext } from './outline.ts';
import { cutText, type SourceText } from './source-text.ts';

const MAX_NAME = 200;
const TYPE_LIKE = new Set(['class', 'interface', 'struct', 'trait', 'impl', 'enum']);
const FUNCTION_LIKE = new Set(['function', 'method', 'constructor']);

/** All symbols in source order. */
export function symbolsOf(root: Node, info: LanguageInfo, source: SourceText): SyntaxSymbol[] {
  const symbols: SyntaxSymbol[] = [];
  if (info.symbols.length === 0) return symbols;
  const specs = new Map<string, SymbolSpec>();
  for (const spec of info.symbols) if (!specs.has(spec.node)) specs.set(spec.node, spec);
  const ancestors: (number | undefined)[] = [];
  const cursor = root.walk();
  for (;;) {
    const parent = ancestors.at(-1);
    let inner = parent;
    const spec = cursor.nodeIsNamed ? specs.get(cursor.nodeType) : undefined;
    const symbol = spec && toSymbol(spec, cursor.currentNode, parent, symbols, source);
    if (symbol !== undefined) inner = symbols.push(symbol) - 1;
    if (cursor.gotoFirstChild()) ancestors.push(inner);
    else if (!gotoNext(cursor, ancestors)) break;
  }
  cursor.delete();
  return symbols;
}

function toSymbol(
  spec: SymbolSpec,
  node: Node,
  parent: number | undefined,
  symbols: readonly SyntaxSymbol[],
  source: SourceText,
): SyntaxSymbol | undefined {
  if (spec.requires !== undefined && node.childForFieldName(spec.requires) === null) return undefined;
  const enclosing: SyntaxSymbol[] = [];
  for (let at = parent; at !== undefined; at = symbols[at]?.parent) {
    const symbol = symbols[at];
    if (symbol !== undefined) enclosing.push(symbol);
  }
  if (spec.outer === true && enclosing.some((symbol) => FUNCTION_LIKE.has(symbol.kind))) return undefined;
  if (spec.maxDepth !== undefined && enclosing.length >= spec.maxDepth) return undefined;
  const nameNode = findName(node, spec.name);
  if (nameNode === undefined || (spec.only !== undefined && !spec.only.includes(nameNode.type))) return undefined;
  const name = cleanName(source.text.slice(nameNode.startIndex, nameNode.endIndex));
  if (name === '') return undefined;
  const field = spec.refine && node.childForFieldName(spec.refine.field);
  const refined = field ? spec.refine?.kinds[field.type] : undefined;
  const kind = refined ?? spec.symbol;
  const method = kind === 'function' && enclosing[0] !== undefined && TYPE_LIKE.has(enclosing[0].kind);
  return {
    name,
    kind: method ? 'method' : kind,
    range: source.range(node.startIndex, node.endIndex),
    ...(parent === undefined ? {} : { parent }),
  };
}

/** Follows `field`, `field*`, `@kind|kind` and `.` steps to the node that holds the name. */
function findName(node: Node, path: string): Node | undefined {
  let current: Node | null | undefined = node;
  for (const step of path.split('/')) {
    if (step === '.') continue;
    if (step.startsWith('@')) {
      const kinds = step.slice(1).split('|');
      current = current.namedChildren.find((child) => child !== null && kinds.includes(child.type));
    } else if (step.endsWith('*')) {
      const field = step.slice(0, -1);
      current = current.childForFieldName(field);
      for (let inner: Node | null = current; inner; inner = inner.childForFieldName(field)) current = inner;
    } else {
      current = current.childForFieldName(step);
    }
    if (!current) return undefined;
  }
  return current;
}

/** The first line, without surrounding blanks and quotes. */
function cleanName(text: string): string {
  const line = (text.split('\n')[0] ?? '').replace(/^[ \t\r]+|[ \t\r]+$/g, '').replace(/^["'`]+|["'`]+$/g, '');
  return cutText(line, MAX_NAME);
}
