/** What names mean in JavaScript and TypeScript. */
import type { Grammar, Origin, Role } from '../roles.ts';
import { around, fieldOf, type SyntaxNode } from '../syntax-node.ts';
import { exportedName, exportRole, exportsOf, importRole, isExportsObject, moduleFacts } from './script-modules.ts';
import { isLoaded, isSpecifier, loadedFor, patternTop, sourceModule } from './script-patterns.ts';

const FUNCTIONS = new Set(
  'function_declaration function_expression generator_function generator_function_declaration arrow_function method_definition function_signature function_type constructor_type method_signature abstract_method_signature call_signature construct_signature'.split(
    ' ',
  ),
);
const BLOCKS = new Set([
  ...'program statement_block switch_body for_statement for_in_statement catch_clause class_static_block class_declaration abstract_class_declaration class interface_declaration type_alias_declaration conditional_type index_signature'.split(
    ' ',
  ),
  ...FUNCTIONS,
]);
const VAR_SCOPES = new Set(['program', 'class_static_block', ...FUNCTIONS]);
const MEMBER_SCOPES = new Set(['class_body', 'interface_body', 'object_type', 'enum_body']);
const CLASSES = new Set(['class_declaration', 'abstract_class_declaration', 'class', 'interface_declaration']);

/** JavaScript and TypeScript. */
export const scriptGrammar: Grammar = {
  names: new Set(
    'identifier type_identifier property_identifier private_property_identifier shorthand_property_identifier shorthand_property_identifier_pattern statement_identifier'.split(
      ' ',
    ),
  ),
  roleOf,
  roleInText: (text) => (isSpecifier(text) ? { is: 'path' } : undefined),
  memberOf: ({ from, name: outer }, path, name) => {
    if (path.length > 0) return undefined;
    if (outer === '*') return { from, name };
    // `import whole from './old.cjs'` gives the object that the module offers.
    return outer === 'default' ? { from, name: `default.${name}` } : undefined;
  },
  // `export type * from`
  tolerates: ({ text, parent }) => text === 'type' && parent?.kind === 'export_statement',
  moduleFacts,
};

function roleOf(leaf: SyntaxNode): Role {
  const parent = leaf.parent;
  if (!parent) return { is: 'reference' };
  switch (leaf.kind) {
    case 'statement_identifier':
    case 'private_property_identifier':
      return { is: 'key' };
    case 'property_identifier':
      return propertyRole(leaf, parent);
    case 'shorthand_property_identifier':
      return isExportsObject(parent)
        ? { is: 'reference', space: 'value', exports: [leaf.text] }
        : { is: 'reference', space: 'value', shorthand: true };
    default:
      return nameRole(leaf, parent);
  }
}

function nameRole(leaf: SyntaxNode, parent: SyntaxNode): Role {
  const space = leaf.kind === 'type_identifier' ? 'type' : 'value';
  switch (parent.kind) {
    case 'import_specifier':
    case 'import_clause':
    case 'namespace_import':
    case 'import_require_clause':
      return importRole(leaf, parent);
    case 'export_specifier':
      return exportRole(leaf, parent);
    case 'namespace_export':
      return { is: 'key' };
    case 'required_parameter':
    case 'optional_parameter':
      // `[start: number]` names a part of a tuple.
      if (parent.parent?.kind === 'tuple_type' && leaf.field !== 'type') return { is: 'key' };
      break;
    case 'export_statement':
      return { is: 'reference', exports: ['default'] };
    case 'nested_type_identifier':
    case 'nested_identifier':
      if (leaf.field === 'name' || leaf.field === 'property') return memberRole(leaf, parent.children[0]);
      return { is: 'reference' };
    case 'jsx_opening_element':
    case 'jsx_closing_element':
    case 'jsx_self_closing_element':
      return /^[a-z]/.test(leaf.text) ? { is: 'key' } : { is: 'reference', space: 'value' };
    case 'assignment_expression':
      if (leaf.field === 'right' && exportedName(parent) !== undefined) {
        return { is: 'reference', space: 'value', exports: [exportedName(parent) ?? ''] };
      }
      break;
    case 'pair':
      if (leaf.field === 'value' && parent.parent && isExportsObject(parent.parent)) {
        return { is: 'reference', space: 'value', exports: [fieldOf(parent, 'key')?.text ?? ''] };
      }
      break;
    default:
  }
  return (
    declarationRole(leaf, parent) ??
    patternRole(leaf) ?? {
      is: 'reference',
      space,
      ...(leaf.kind.startsWith('shorthand') && { shorthand: true }),
    }
  );
}

const DECLARED: Readonly<Record<string, readonly [kind: string, space: 'value' | 'type' | 'any']>> = {
  function_declaration: ['function', 'value'],
  generator_function_declaration: ['function', 'value'],
  function_signature: ['function', 'value'],
  function_expression: ['function', 'value'],
  generator_function: ['function', 'value'],
  class_declaration: ['class', 'any'],
  abstract_class_declaration: ['class', 'any'],
  class: ['class', 'any'],
  interface_declaration: ['interface', 'type'],
  type_alias_declaration: ['type', 'type'],
  enum_declaration: ['enum', 'any'],
  internal_module: ['namespace', 'any'],
  module: ['namespace', 'any'],
  type_parameter: ['type parameter', 'type'],
  mapped_type_clause: ['type parameter', 'type'],
  index_signature: ['parameter', 'value'],
};

function declarationRole(leaf: SyntaxNode, parent: SyntaxNode): Role | undefined {
  if (parent.kind === 'infer_type') {
    const scope = around(leaf, new Set(['conditional_type'])) ?? parent;
    return { is: 'definition', kind: 'type parameter', level: 'local', scope, space: 'type' };
  }
  const declared = DECLARED[parent.kind];
  if (!declared || leaf.field !== 'name') return undefined;
  const [kind, space] = declared;
  const isOwn = /^(?:function_expression|generator_function|class|index_signature)$/.test(parent.kind);
  const inner = kind === 'type parameter' || parent.kind === 'class' || isOwn;
  const scope = isOwn ? parent : (around(parent, BLOCKS) ?? parent);
  return {
    is: 'definition',
    kind,
    space,
    scope,
    level: inner ? 'local' : levelOf(scope),
    ...(!inner && exportsOf(parent, leaf.text)),
  };
}

function levelOf(scope: SyntaxNode): 'module' | 'local' {
  return scope.kind === 'program' ? 'module' : 'local';
}

function propertyRole(leaf: SyntaxNode, parent: SyntaxNode): Role {
  switch (parent.kind) {
    case 'member_expression': {
      const value = parent.parent?.kind === 'assignment_expression' && exportedName(parent.parent) === leaf.text;
      if (value && parent.field === 'left') {
        const right = fieldOf(parent.parent, 'right');
        return { is: 'export', value: right?.kind === 'identifier' ? right : undefined };
      }
      return memberRole(leaf, fieldOf(parent, 'object'));
    }
    case 'pair_pattern': {
      const from = sourceModule(parent);
      return from ? { is: 'outside', origin: { from, name: leaf.text } } : { is: 'key' };
    }
    case 'pair': {
      const value = fieldOf(parent, 'value');
      if (!parent.parent || !isExportsObject(parent.parent)) return { is: 'key' };
      return { is: 'export', value: value?.kind === 'identifier' ? value : undefined };
    }
    case 'method_definition':
    case 'abstract_method_signature':
    case 'method_signature':
      return memberDefinition(leaf, parent, 'method');
    case 'public_field_definition':
    case 'field_definition':
    case 'property_signature':
      return memberDefinition(leaf, parent, isFunction(fieldOf(parent, 'value')) ? 'method' : 'property');
    default:
      return { is: 'key' };
  }
}

function memberDefinition(leaf: SyntaxNode, parent: SyntaxNode, kind: string): Role {
  const scope = parent.parent;
  if (!scope || !MEMBER_SCOPES.has(scope.kind)) return { is: 'key' };
  const owner = scope.parent && CLASSES.has(scope.parent.kind) ? scope.parent : undefined;
  if (!owner) return { is: 'key' };
  const isInherited =
    owner.children.some(({ kind: of }) => /heritage|extends/.test(of)) || /interface/.test(owner.kind);
  return {
    is: 'definition',
    kind,
    level: 'member',
    scope,
    owner: fieldOf(owner, 'name')?.text ?? '',
    ...(isInherited && { isInherited: true }),
  };
}

function memberRole(leaf: SyntaxNode, object: SyntaxNode | undefined): Role {
  if (!object) return { is: 'member' };
  const from = isLoaded(object);
  if (from !== undefined) return { is: 'outside', origin: { from, name: leaf.text } };
  if (object.kind === 'this') {
    const self = classOfThis(leaf);
    return { is: 'member', ...(self !== undefined && { self }) };
  }
  const path: string[] = [];
  let root: SyntaxNode = object;
  for (;;) {
    if (root.kind === 'non_null_expression' || root.kind === 'parenthesized_expression') {
      const inner = root.children.find(({ isNamed }) => isNamed);
      if (!inner) return { is: 'member' };
      root = inner;
    } else if (/^(?:member_expression|nested_identifier|nested_type_identifier)$/.test(root.kind)) {
      path.unshift(root.children.at(-1)?.text ?? '');
      root = root.children[0] as SyntaxNode;
    } else break;
  }
  return root.kind === 'identifier' ? { is: 'member', root, path } : { is: 'member' };
}

/** The class whose `this` is meant; functions other than arrows have their own. */
function classOfThis(leaf: SyntaxNode): string | undefined {
  for (let at = leaf.parent; at; at = at.parent) {
    if (at.kind === 'class_body') return fieldOf(at.parent, 'name')?.text ?? '';
    const isOwnThis = FUNCTIONS.has(at.kind) && at.kind !== 'arrow_function';
    if (isOwnThis && at.parent?.kind !== 'class_body') return undefined;
  }
  return undefined;
}

function patternRole(leaf: SyntaxNode): Role | undefined {
  const top = patternTop(leaf);
  if (!top) return undefined;
  const { owner, isParameter } = top;
  const shorthand = leaf.kind === 'shorthand_property_identifier_pattern' && ({ shorthand: true } as const);
  if (isParameter) {
    const scope = around(leaf, BLOCKS) ?? owner;
    const from = loadedFor(leaf);
    const isWhole = !leaf.kind.startsWith('shorthand');
    const isProperty = owner.children.some(({ kind }) => kind === 'accessibility_modifier' || kind === 'readonly');
    return {
      is: 'definition',
      kind: 'parameter',
      level: 'local',
      space: 'value',
      scope,
      ...shorthand,
      ...(from !== undefined && { origin: { from, name: isWhole ? '*' : leaf.text } }),
      ...(isProperty && { unclear: 'it is a parameter and a property at once' }),
    };
  }
  const isVar = owner.parent?.kind === 'variable_declaration' || fieldOf(owner, 'kind')?.text === 'var';
  const scope = around(owner, isVar ? VAR_SCOPES : BLOCKS) ?? owner;
  const value = fieldOf(owner, 'value');
  const own = owner.kind === 'for_in_statement' || owner.kind === 'catch_clause' ? (isVar ? scope : owner) : scope;
  const origin = originOf(leaf, owner);
  const isWhole = leaf.parent === owner;
  return {
    is: 'definition',
    kind: isWhole && isFunction(value) ? 'function' : isWhole && value?.kind === 'class' ? 'class' : 'variable',
    level: levelOf(own),
    space: 'value',
    scope: own,
    ...shorthand,
    ...(origin && { origin }),
    ...(owner.parent && exportsOf(owner.parent, leaf.text)),
  };
}

function isFunction(value: SyntaxNode | undefined): boolean {
  return value !== undefined && /^(?:arrow_function|function_expression|generator_function)$/.test(value.kind);
}

/** `const { name } = require('x')` and `const name = await import('x')` take from a module. */
function originOf(leaf: SyntaxNode, owner: SyntaxNode): Origin | undefined {
  const value = fieldOf(owner, 'value');
  const from = value && isLoaded(value);
  if (from === undefined) return undefined;
  const pattern = fieldOf(owner, 'name');
  if (pattern === leaf) return { from, name: '*' };
  if (pattern?.kind !== 'object_pattern') return undefined;
  const holder = leaf.parent;
  if (holder === pattern) return { from, name: leaf.text };
  const isDirect = holder?.parent === pattern;
  if (isDirect && holder.kind === 'pair_pattern') return { from, name: fieldOf(holder, 'key')?.text ?? '' };
  return isDirect && holder.kind === 'object_assignment_pattern' ? { from, name: leaf.text } : undefined;
}
