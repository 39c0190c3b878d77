/** What names mean in C. */
import type { Grammar, ModuleFacts, Role } from '../roles.ts';
import { around, fieldOf, nodesOf, type SyntaxNode } from '../syntax-node.ts';

const DECLARATORS = new Set([
  'pointer_declarator',
  'array_declarator',
  'function_declarator',
  'parenthesized_declarator',
  'init_declarator',
  'attributed_declarator',
]);
const BLOCKS = new Set(['translation_unit', 'compound_statement', 'for_statement', 'function_definition']);
const TAGS: Readonly<Record<string, string>> = {
  struct_specifier: 'struct',
  union_specifier: 'struct',
  enum_specifier: 'enum',
};

/** C. */
export const cGrammar: Grammar = {
  names: new Set(['identifier', 'type_identifier', 'field_identifier', 'statement_identifier']),
  roleOf,
  memberOf: () => undefined,
  moduleFacts,
};

function roleOf(leaf: SyntaxNode): Role {
  const parent = leaf.parent;
  if (!parent || leaf.kind === 'statement_identifier') return { is: 'key' };
  if (/^preproc_(?:function_)?def$/.test(parent.kind)) return { is: 'unclear', why: 'it is a macro' };
  if (parent.kind === 'preproc_params') return { is: 'key' };
  const tag = TAGS[parent.kind];
  if (tag !== undefined && leaf.field === 'name') {
    const hasBody = fieldOf(parent, 'body') !== undefined;
    return hasBody ? declared(leaf, parent, tag) : { is: 'reference', space: 'type' };
  }
  if (parent.kind === 'enumerator' && leaf.field === 'name') return declared(leaf, parent, 'variable');
  if (leaf.kind === 'field_identifier') return fieldRole(leaf, parent);
  return declaratorRole(leaf) ?? { is: 'reference', space: leaf.kind === 'type_identifier' ? 'type' : 'value' };
}

function fieldRole(leaf: SyntaxNode, parent: SyntaxNode): Role {
  if (parent.kind === 'field_expression') {
    const object = fieldOf(parent, 'argument');
    return object?.kind === 'identifier' ? { is: 'member', root: object } : { is: 'member' };
  }
  const struct = around(leaf, new Set(['struct_specifier', 'union_specifier']));
  if (!around(leaf, new Set(['field_declaration'])) || !struct) return { is: 'key' };
  const owner = fieldOf(struct, 'name')?.text ?? '';
  return { is: 'definition', kind: 'property', level: 'member', scope: struct, owner };
}

function declaratorRole(leaf: SyntaxNode): Role | undefined {
  let node = leaf;
  let isFunction = false;
  while (node.parent && DECLARATORS.has(node.parent.kind)) {
    if (node.field !== 'declarator' && node.parent.kind !== 'parenthesized_declarator') return undefined;
    isFunction = node.parent.kind === 'function_declarator' && node === leaf;
    node = node.parent;
  }
  if (node.field !== 'declarator') return undefined;
  const owner = node.parent;
  switch (owner?.kind) {
    case 'function_definition':
      return declared(leaf, owner, 'function');
    case 'declaration':
      return declared(leaf, owner, isFunction ? 'function' : 'variable', isFunction || isExtern(owner));
    case 'type_definition':
      return declared(leaf, owner, 'type');
    case 'parameter_declaration':
      return { is: 'definition', kind: 'parameter', level: 'local', space: 'value', scope: parameterScope(owner) };
    default:
      return undefined;
  }
}

/** The function that a parameter belongs to. The names in a prototype are known nowhere else. */
function parameterScope(parameter: SyntaxNode): SyntaxNode {
  let declarator = parameter.parent?.parent;
  while (declarator && DECLARATORS.has(declarator.kind)) declarator = declarator.parent;
  return declarator?.kind === 'function_definition' ? declarator : parameter;
}

function isExtern(declaration: SyntaxNode): boolean {
  return declaration.children.some(({ kind, text }) => kind === 'storage_class_specifier' && text === 'extern');
}

function declared(leaf: SyntaxNode, node: SyntaxNode, kind: string, isForward = false): Role {
  let scope = around(node, BLOCKS) ?? node;
  if (scope.kind === 'function_definition') scope = around(scope, BLOCKS) ?? scope;
  const isTop = scope.kind === 'translation_unit';
  const isStatic = node.children.some(({ kind: of, text }) => of === 'storage_class_specifier' && text === 'static');
  return {
    is: 'definition',
    kind,
    level: isTop ? 'module' : 'local',
    space: kind === 'struct' || kind === 'enum' ? 'type' : kind === 'type' ? 'type' : 'value',
    scope,
    ...(isTop && !isStatic && { exports: [leaf.text] }),
    ...(!isTop && { from: leaf.end }),
    ...(isForward && { isForward: true }),
  };
}

function moduleFacts(root: SyntaxNode): ModuleFacts {
  const includes = [...nodesOf(root)]
    .filter(({ kind }) => kind === 'preproc_include')
    .map((node) => fieldOf(node, 'path'))
    .flatMap((path) => (path?.kind === 'string_literal' ? [path.text.slice(1, -1)] : []));
  return { stars: [], isModule: false, includes };
}
