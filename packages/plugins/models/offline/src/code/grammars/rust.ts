/** What names mean in Rust. */
import type { DefinitionRole, Grammar, ModuleFacts, Role, Space } from '../roles.ts';
import { around, fieldOf, isWithin, nodesOf, type SyntaxNode } from '../syntax-node.ts';
import { formatRole, tokenRole } from './rust-macros.ts';
import { importsOf, pathParts, useRole } from './rust-paths.ts';

const BLOCKS = new Set(['source_file', 'declaration_list', 'block']);
const IMPLS = new Set(['impl_item', 'trait_item']);
const PATTERNS = new Set([
  'tuple_pattern',
  'tuple_struct_pattern',
  'struct_pattern',
  'field_pattern',
  'ref_pattern',
  'mut_pattern',
  'reference_pattern',
  'slice_pattern',
  'or_pattern',
  'captured_pattern',
  'match_pattern',
]);
const ITEMS: Readonly<Record<string, readonly [kind: string, space: Space]>> = {
  function_item: ['function', 'value'],
  function_signature_item: ['function', 'value'],
  struct_item: ['struct', 'any'],
  union_item: ['struct', 'any'],
  enum_item: ['enum', 'any'],
  trait_item: ['trait', 'type'],
  type_item: ['type', 'type'],
  associated_type: ['type', 'type'],
  const_item: ['variable', 'value'],
  static_item: ['variable', 'value'],
  mod_item: ['module', 'any'],
};

/** Rust. */
export const rustGrammar: Grammar = {
  names: new Set(['identifier', 'type_identifier', 'field_identifier', 'shorthand_field_identifier']),
  roleOf,
  roleInText: formatRole,
  sees,
  memberOf: ({ from, name: outer }, path, name) => ({
    from: [from, ...(outer === '*' ? [] : [outer]), ...path].filter((part) => part !== '').join('::'),
    name,
  }),
  moduleFacts,
  innerModules,
};

function innerModules(node: SyntaxNode): readonly string[] {
  const names: string[] = [];
  for (let at = node.parent; at; at = at.parent) {
    // The name of a module belongs to the module around it.
    if (at.kind === 'mod_item' && isWithin(node, fieldOf(at, 'body'))) names.unshift(fieldOf(at, 'name')?.text ?? '');
  }
  return names;
}

function sees(scope: SyntaxNode, via: SyntaxNode, leaf: SyntaxNode): boolean {
  if (scope.kind === 'if_expression') return via.field !== 'alternative';
  if (scope.kind === 'for_expression') return via.field === 'body';
  if (!BLOCKS.has(scope.kind)) return true;
  const inner = scope.kind === 'source_file' ? [] : innerModules(scope.children[0] ?? scope);
  return innerModules(leaf).join('::') === inner.join('::');
}

function roleOf(leaf: SyntaxNode): Role {
  const parent = leaf.parent;
  if (!parent) return { is: 'reference' };
  if (around(leaf, new Set(['attribute_item', 'inner_attribute_item']))) return { is: 'key' };
  if (around(leaf, new Set(['use_declaration']))) return useRole(leaf, scopeOf(leaf));
  switch (parent.kind) {
    case 'label':
    case 'lifetime':
    case 'macro_definition':
      return { is: 'key' };
    case 'macro_invocation':
      return leaf.field === 'macro' ? { is: 'key' } : { is: 'reference' };
    case 'token_tree':
      return tokenRole(leaf, implOwner(leaf)?.name);
    case 'scoped_identifier':
    case 'scoped_type_identifier':
      return leaf.field === 'name' ? pathRole(leaf, parent) : { is: 'reference' };
    case 'field_expression':
      if (leaf.field === 'field') return memberRole(leaf, fieldOf(parent, 'value'));
      break;
    case 'field_initializer':
      if (leaf.field === 'field' || leaf.kind === 'field_identifier') return { is: 'key' };
      break;
    case 'shorthand_field_initializer':
      return { is: 'reference', space: 'value', shorthand: true };
    case 'field_declaration':
    case 'enum_variant':
      if (leaf.field === 'name') return memberDefinition(leaf, parent, 'property');
      break;
    case 'type_parameter':
    case 'const_parameter':
      if (leaf.field === 'name') return inner(parent.parent?.parent ?? parent, 'type parameter');
      break;
    case 'type_binding':
      if (leaf.field === 'name') return { is: 'key' };
      break;
    default:
  }
  return (
    itemRole(leaf, parent) ??
    patternRole(leaf) ?? { is: 'reference', ...(leaf.kind === 'type_identifier' && { space: 'type' }) }
  );
}

function inner(scope: SyntaxNode, kind: string): Role {
  return { is: 'definition', kind, level: 'local', scope };
}

/** The module or block that declarations at a place belong to. */
function scopeOf(node: SyntaxNode): SyntaxNode {
  let scope = around(node, BLOCKS) ?? node;
  while (scope.kind === 'declaration_list' && scope.parent?.kind !== 'mod_item') scope = around(scope, BLOCKS) ?? scope;
  return scope;
}

function itemRole(leaf: SyntaxNode, parent: SyntaxNode): Role | undefined {
  const item = ITEMS[parent.kind];
  if (!item || leaf.field !== 'name') return undefined;
  const holder = parent.parent?.kind === 'declaration_list' ? parent.parent.parent : undefined;
  if (holder && IMPLS.has(holder.kind)) {
    return memberDefinition(leaf, parent, item[0] === 'function' ? 'method' : 'property');
  }
  const scope = scopeOf(parent);
  const isLocal = scope.kind === 'block';
  const [kind, space] = item;
  const role: DefinitionRole = {
    is: 'definition',
    kind,
    space,
    scope,
    level: isLocal ? 'local' : 'module',
    ...(!isLocal && { exports: [leaf.text] }),
  };
  // What stands behind `name::` of a module is looked for in that module.
  return kind === 'module' ? { ...role, origin: { from: `self::${leaf.text}`, name: '*' } } : role;
}

/** The type whose methods are declared around a place. */
function implOwner(node: SyntaxNode): { name: string; isInherited: boolean } | undefined {
  const impl = around(node, new Set([...IMPLS, 'struct_item', 'enum_item', 'union_item']));
  if (!impl) return undefined;
  const type = fieldOf(impl, 'type') ?? fieldOf(impl, 'name');
  const base = type?.kind === 'generic_type' ? fieldOf(type, 'type') : type;
  return { name: base?.text ?? '', isInherited: impl.kind === 'trait_item' || fieldOf(impl, 'trait') !== undefined };
}

function memberDefinition(leaf: SyntaxNode, parent: SyntaxNode, kind: string): Role {
  const owner = implOwner(parent);
  return {
    is: 'definition',
    kind,
    level: 'member',
    scope: parent.parent ?? parent,
    owner: owner?.name ?? '',
    ...(owner?.isInherited && { isInherited: true }),
  };
}

function memberRole(leaf: SyntaxNode, object: SyntaxNode | undefined): Role {
  const self = object?.kind === 'self' ? implOwner(leaf)?.name : undefined;
  if (self !== undefined) return { is: 'member', self };
  return object?.kind === 'identifier' ? { is: 'member', root: object } : { is: 'member' };
}

/** `a::b::name`: a name of the module or type before it. */
function pathRole(leaf: SyntaxNode, scoped: SyntaxNode): Role {
  const path = fieldOf(scoped, 'path');
  const parts = path && pathParts(path);
  if (!parts) return { is: 'unclear', why: 'the path before it is not known' };
  const [root, ...rest] = parts;
  if (root?.text === 'Self') {
    const self = rest.length === 0 ? implOwner(leaf)?.name : undefined;
    return { is: 'member', ...(self !== undefined && { self }) };
  }
  const from = parts.map(({ text }) => text).join('::');
  const origin = { from, name: leaf.text };
  if (!root || root.kind !== 'identifier') return { is: 'outside', origin };
  return { is: 'member', root, path: rest.map(({ text }) => text), otherwise: origin };
}

function patternRole(leaf: SyntaxNode): Role | undefined {
  if (leaf.kind === 'type_identifier' || leaf.kind === 'field_identifier') {
    return leaf.kind === 'field_identifier' ? { is: 'key' } : undefined;
  }
  let node = leaf;
  while (node.parent && PATTERNS.has(node.parent.kind)) {
    if (node.field === 'type' || node.field === 'condition') return undefined;
    node = node.parent;
  }
  const owner = node.parent;
  const scope = owner && patternScope(owner, node);
  if (!owner || !scope) return undefined;
  // A capital letter in a pattern means a constant or a variant that is there already.
  if (/^\p{Lu}/u.test(leaf.text) && leaf.kind === 'identifier') return { is: 'reference' };
  return {
    is: 'definition',
    kind: owner.kind === 'parameter' || owner.kind === 'closure_parameters' ? 'parameter' : 'variable',
    level: 'local',
    space: 'value',
    scope,
    ...(owner.kind === 'let_declaration' && { from: owner.end, isSeparate: true }),
    ...(leaf.kind === 'shorthand_field_identifier' && { shorthand: true }),
  };
}

function patternScope(owner: SyntaxNode, node: SyntaxNode): SyntaxNode | undefined {
  switch (owner.kind) {
    case 'let_declaration':
      return node.field === 'pattern' ? around(owner, BLOCKS) : undefined;
    case 'parameter':
      return node.field === 'pattern'
        ? around(owner, new Set(['function_item', 'function_signature_item', 'closure_expression']))
        : undefined;
    case 'closure_parameters':
      return owner.parent;
    case 'for_expression':
      return node.field === 'pattern' ? owner : undefined;
    case 'let_condition':
      return node.field === 'pattern'
        ? around(owner, new Set(['if_expression', 'while_expression', 'match_arm', 'block']))
        : undefined;
    case 'match_arm':
      return node.field === 'pattern' ? owner : undefined;
    default:
      return undefined;
  }
}

function moduleFacts(root: SyntaxNode): ModuleFacts {
  const stars = [...nodesOf(root)].flatMap((node) => {
    if (node.kind !== 'use_wildcard') return [];
    return [{ from: importsOf(node), inner: innerModules(node), isPassedOn: true }];
  });
  return { stars, isModule: true };
}
