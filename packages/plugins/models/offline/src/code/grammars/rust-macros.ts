/** Names inside of Rust macros, whose arguments are tokens without a tree. */
import type { Role } from '../roles.ts';
import { around, fieldOf, nodesOf, sibling, type SyntaxNode } from '../syntax-node.ts';

const FORMATS =
  /^(?:e?print(?:ln)?|format(?:_args)?|write(?:ln)?|panic|todo|unimplemented|unreachable|(?:debug_)?assert(?:_eq|_ne)?|info|warn|error|debug|trace|anyhow|bail|ensure)$/;
const BINDS = new Set('let mut ref for fn struct enum trait mod use const static type'.split(' '));

/** True for tokens that may declare a name: what a macro makes of them is not known. */
function mayBind(leaf: SyntaxNode): boolean {
  const [before, after] = [sibling(leaf, -1)?.text ?? '', sibling(leaf, 1)?.text ?? ''];
  const behind = leaf.parent && sibling(leaf.parent, 1)?.text;
  return (
    BINDS.has(before) ||
    [':', '=', 'in', '=>', '|', '@'].includes(after) ||
    (before === '|' && after === ',') ||
    // `Some(name) =>` and `if let Some(name) =`
    behind === '=>' ||
    behind === '='
  );
}

/** A name among the tokens of a macro; `self` is the type around it. */
export function tokenRole(leaf: SyntaxNode, self: string | undefined): Role {
  if (around(leaf, new Set(['macro_definition']))) return { is: 'unclear', why: 'it is a part of a macro' };
  const [before, after] = [sibling(leaf, -1), sibling(leaf, 1)];
  if (after?.text === '!') return { is: 'key' };
  if (before?.text === '.') {
    const object = sibling(before, -1);
    const isSelf = object?.text === 'self' && self !== undefined;
    return { is: 'member', ...(isSelf && { self }) };
  }
  if (before?.text !== '::') {
    return isBoundIn(outermost(leaf), leaf.text) ? BOUND_INSIDE : { is: 'reference' };
  }
  const parts: SyntaxNode[] = [];
  for (let at: SyntaxNode | undefined = before; at?.text === '::'; at = sibling(parts[0] ?? leaf, -1)) {
    const part = sibling(at, -1);
    if (!part || !/^(?:identifier|crate|self|super)$/.test(part.kind)) break;
    parts.unshift(part);
  }
  const [root, ...rest] = parts;
  if (!root) return { is: 'unclear', why: 'the path before it is not known' };
  if (root.text === 'Self') return { is: 'member', ...(self !== undefined && rest.length === 0 && { self }) };
  const origin = { from: parts.map(({ text }) => text).join('::'), name: leaf.text };
  if (root.kind !== 'identifier') return { is: 'outside', origin };
  return { is: 'member', root, path: rest.map(({ text }) => text), otherwise: origin };
}

const BOUND_INSIDE: Role = { is: 'unclear', why: 'it may be declared inside of a macro call' };

function isBoundIn(call: SyntaxNode, name: string): boolean {
  return [...nodesOf(call)].some(
    (node) => node.kind === 'identifier' && node.text === name && sibling(node, -1)?.text !== '.' && mayBind(node),
  );
}

/** The macro call around all others. */
function outermost(node: SyntaxNode): SyntaxNode {
  let [call, next] = [node, around(node, CALLS)];
  while (next) [call, next] = [next, around(next, CALLS)];
  return call;
}

const CALLS = new Set(['macro_invocation']);

/** `"{name}"` of a formatting macro uses the variable. */
export function formatRole(text: SyntaxNode, name: string, start: number): Role | undefined {
  const call = around(text, new Set(['macro_invocation']));
  if (text.kind !== 'string_content' || !call) return undefined;
  const at = start - text.start;
  const [before, after] = [text.text.slice(0, at), text.text.slice(at + name.length)];
  if (!/(?<!\{)(?:\{\{)*\{$/.test(before) || !/^[:}]/.test(after)) return undefined;
  const macro = fieldOf(call, 'macro')?.text.split('::').at(-1) ?? '';
  if (isBoundIn(outermost(call), name)) return BOUND_INSIDE;
  return FORMATS.test(macro)
    ? { is: 'reference', space: 'value' }
    : { is: 'unclear', why: `the text may be read by \`${macro}!\`` };
}
