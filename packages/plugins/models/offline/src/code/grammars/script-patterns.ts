/** What patterns of JavaScript bind, and where their values come from. */
import { fieldOf, type SyntaxNode } from '../syntax-node.ts';

const INSIDE = new Set([
  'object_pattern',
  'array_pattern',
  'pair_pattern',
  'assignment_pattern',
  'object_assignment_pattern',
  'rest_pattern',
]);
const PARAMETERS = new Set(['required_parameter', 'optional_parameter', 'formal_parameters']);

/** What a pattern around a name belongs to; undefined when the name is not bound there. */
export function patternTop(leaf: SyntaxNode): { owner: SyntaxNode; isParameter: boolean } | undefined {
  let node = leaf;
  let owner = leaf.parent;
  while (owner && INSIDE.has(owner.kind)) {
    // What stands on the right of `=` or before `:` is used, not bound.
    if (node.field === 'right' || node.field === 'key') return undefined;
    node = owner;
    owner = owner.parent;
  }
  if (!owner) return undefined;
  if (PARAMETERS.has(owner.kind)) {
    const isBound = node.field === 'pattern' || owner.kind === 'formal_parameters';
    return isBound ? { owner, isParameter: true } : undefined;
  }
  if (owner.kind === 'arrow_function' && node.field === 'parameter') return { owner, isParameter: true };
  if (owner.kind === 'variable_declarator' && node.field === 'name') return { owner, isParameter: false };
  if (owner.kind === 'catch_clause' && node.field === 'parameter') return { owner, isParameter: false };
  const declares = owner.kind === 'for_in_statement' && node.field === 'left' && fieldOf(owner, 'kind') !== undefined;
  return declares ? { owner, isParameter: false } : undefined;
}

/** The module that `require('x')` or `import('x')` loads, awaited or not. */
export function isLoaded(value: SyntaxNode): string | undefined {
  if (value.kind === 'await_expression' || value.kind === 'parenthesized_expression') {
    const inner = value.children.find(({ isNamed }) => isNamed);
    return inner && isLoaded(inner);
  }
  if (value.kind !== 'call_expression') return undefined;
  const [called, args] = [fieldOf(value, 'function'), fieldOf(value, 'arguments')];
  if (called?.text !== 'require' && called?.kind !== 'import') return undefined;
  const [source] = args?.children.filter(({ isNamed }) => isNamed) ?? [];
  return source?.kind === 'string' ? source.text.slice(1, -1) : undefined;
}

/** The module that `const { name: other } = require('x')` takes its names from. */
export function sourceModule(pair: SyntaxNode): string | undefined {
  const pattern = pair.parent;
  const owner = pattern?.parent;
  if (pattern?.kind !== 'object_pattern' || owner?.kind !== 'variable_declarator') return undefined;
  const value = fieldOf(owner, 'value');
  return value && isLoaded(value);
}

/** The module that a parameter stands for: `import('x').then((module) => …)` and `.then(({ name }) => …)`. */
export function loadedFor(leaf: SyntaxNode): string | undefined {
  const isShort = leaf.kind === 'shorthand_property_identifier_pattern';
  let node: SyntaxNode | undefined = isShort ? leaf.parent : leaf;
  if (node?.parent && PARAMETERS.has(node.parent.kind) && node.parent.kind !== 'formal_parameters') node = node.parent;
  const list = node?.parent;
  const callback = list?.kind === 'formal_parameters' ? list.parent : list;
  const isFirst = list?.kind !== 'formal_parameters' || list.children.find(({ isNamed }) => isNamed) === node;
  const call = callback?.parent?.kind === 'arguments' ? callback.parent.parent : undefined;
  const called = fieldOf(call, 'function');
  if (!isFirst || called?.kind !== 'member_expression' || fieldOf(called, 'property')?.text !== 'then')
    return undefined;
  const object = fieldOf(called, 'object');
  return object && isLoaded(object);
}

/** True for the text that names a module in an import, an export or a call that loads one. */
export function isSpecifier(text: SyntaxNode): boolean {
  const literal = text.kind === 'string_fragment' ? text.parent : undefined;
  if (literal?.kind !== 'string') return false;
  const call = literal.parent?.kind === 'arguments' ? literal.parent.parent : undefined;
  return literal.field === 'source' || (call !== undefined && isLoaded(call) !== undefined);
}
