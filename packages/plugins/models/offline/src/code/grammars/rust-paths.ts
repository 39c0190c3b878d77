/** Paths and `use` of Rust. */
import type { Role } from '../roles.ts';
import { around, fieldOf, nodesOf, type SyntaxNode } from '../syntax-node.ts';

/** The parts of `a::b`, first to last; undefined when one of them is no plain name. */
export function pathParts(path: SyntaxNode): SyntaxNode[] | undefined {
  if (/^(?:identifier|type_identifier|crate|self|super|namespace_identifier)$/.test(path.kind)) return [path];
  if (path.kind === 'generic_type') {
    const type = fieldOf(path, 'type');
    return type && pathParts(type);
  }
  if (path.kind !== 'scoped_identifier' && path.kind !== 'scoped_type_identifier') return undefined;
  const [outer, name] = [fieldOf(path, 'path'), fieldOf(path, 'name')];
  const parts = outer ? pathParts(outer) : [];
  return parts && name ? [...parts, name] : undefined;
}

/** What stands before a node in the tree of its `use`. */
function before(node: SyntaxNode): string[] {
  const parts: string[] = [];
  let via = node;
  for (let at = node.parent; at && at.kind !== 'use_declaration'; via = at, at = at.parent) {
    if (at.kind !== 'scoped_use_list' || via.field !== 'list') continue;
    const path = fieldOf(at, 'path');
    parts.unshift(...(path ? (pathParts(path)?.map(({ text }) => text) ?? []) : []));
  }
  return parts;
}

/** The module that `use a::b::*` opens. */
export function importsOf(wildcard: SyntaxNode): string {
  const path = wildcard.children.find(({ isNamed }) => isNamed);
  return [...before(wildcard), ...(path ? (pathParts(path)?.map(({ text }) => text) ?? []) : [])].join('::');
}

/** A path whose first name another `use` of the same module made known, written out. */
function writtenOut(path: readonly string[], leaf: SyntaxNode, scope: SyntaxNode): readonly string[] {
  const [root, ...rest] = path;
  const own = around(leaf, new Set(['use_declaration']));
  const binding = scope.children
    .filter((node) => node.kind === 'use_declaration' && node !== own)
    .flatMap((node) => [...nodesOf(node)])
    .filter(({ kind, text }) => kind === 'identifier' && text === root)
    .map((node) => useRole(node, scope, false))
    .find((role) => role.is === 'definition');
  const origin = binding?.is === 'definition' ? binding.origin : undefined;
  return origin ? [...origin.from.split('::').filter((part) => part !== ''), origin.name, ...rest] : path;
}

/** A name inside of `use`. */
export function useRole(leaf: SyntaxNode, scope: SyntaxNode, mayFollow = true): Role {
  const parent = leaf.parent;
  if (!parent) return { is: 'key' };
  const isModule = scope.kind !== 'block';
  const full = (path: readonly string[]) => (mayFollow ? writtenOut(path, leaf, scope) : path);
  const binds = (path: readonly string[], name: string): Role => ({
    is: 'definition',
    kind: 'import',
    level: isModule ? 'module' : 'local',
    scope,
    origin: { from: full(path).join('::'), name },
    ...(isModule && { exports: [leaf.text] }),
  });
  if (parent.kind === 'use_as_clause' && leaf.field === 'alias') {
    const path = fieldOf(parent, 'path');
    const parts = [...before(parent), ...(path ? (pathParts(path) ?? []).map(({ text }) => text) : [])];
    // `use a::b::{self as c}` means the module itself.
    if (parts.at(-1) === 'self') return binds(parts.slice(0, -1), '*');
    return binds(parts.slice(0, -1), parts.at(-1) ?? '');
  }
  // The whole path that ends with this name.
  const isName = parent.kind === 'scoped_identifier' && leaf.field === 'name';
  const whole = isName ? parent : leaf;
  const outer = isName ? fieldOf(parent, 'path') : undefined;
  const path = [...before(whole), ...(outer ? (pathParts(outer) ?? []).map(({ text }) => text) : [])];
  const holder = whole.parent;
  if (holder?.kind === 'use_declaration' || holder?.kind === 'use_list') return binds(path, leaf.text);
  const list = holder?.kind === 'scoped_use_list' && whole.field === 'path' ? fieldOf(holder, 'list') : undefined;
  // `use a::b::{self, c}` makes `b` known, too.
  if (list?.children.some(({ kind }) => kind === 'self')) return binds(path, leaf.text);
  if (around(leaf, new Set(['use_declaration'])) && path.length === 0) return { is: 'key' };
  return { is: 'outside', origin: { from: full(path).join('::'), name: leaf.text } };
}
