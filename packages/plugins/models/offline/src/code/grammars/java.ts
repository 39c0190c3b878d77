/** What names mean in Java. */
import type { Grammar, ModuleFacts, Role, Space } from '../roles.ts';
import { around, fieldOf, isWithin, nodesOf, type SyntaxNode } from '../syntax-node.ts';

const TYPES = new Set([
  'class_declaration',
  'interface_declaration',
  'enum_declaration',
  'record_declaration',
  'annotation_type_declaration',
]);
const BODIES = new Set(['class_body', 'interface_body', 'enum_body', 'enum_body_declarations', 'annotation_type_body']);
const BLOCKS = new Set([
  ...'program block constructor_body method_declaration constructor_declaration lambda_expression for_statement enhanced_for_statement catch_clause try_with_resources_statement switch_block switch_block_statement_group'.split(
    ' ',
  ),
  ...BODIES,
]);
const KINDS: Readonly<Record<string, string>> = {
  class_declaration: 'class',
  record_declaration: 'class',
  interface_declaration: 'interface',
  annotation_type_declaration: 'interface',
  enum_declaration: 'enum',
};

/** Java. */
export const javaGrammar: Grammar = {
  names: new Set(['identifier', 'type_identifier']),
  roleOf,
  seesMembers: true,
  memberOf: () => undefined,
  moduleFacts,
};

function roleOf(leaf: SyntaxNode): Role {
  const parent = leaf.parent;
  if (!parent) return { is: 'reference' };
  if (around(leaf, new Set(['package_declaration']))) return { is: 'key' };
  const statement = around(leaf, new Set(['import_declaration']));
  if (statement) return importRole(leaf, statement);
  if (TYPES.has(parent.kind) && leaf.field === 'name') return typeRole(leaf, parent);
  switch (parent.kind) {
    case 'method_declaration':
      if (leaf.field === 'name') return memberDefinition(parent, 'method', 'method');
      break;
    case 'constructor_declaration':
    case 'compact_constructor_declaration':
      if (leaf.field === 'name') return { is: 'reference', space: 'type' };
      break;
    case 'enum_constant':
      if (leaf.field === 'name') return memberDefinition(parent, 'property', 'value');
      break;
    case 'variable_declarator':
      if (leaf.field === 'name') return variableRole(parent);
      break;
    case 'formal_parameter':
    case 'catch_formal_parameter':
    case 'resource':
      if (leaf.field === 'name') return parameter(leaf, parent);
      break;
    case 'inferred_parameters':
      return parameter(leaf, parent);
    case 'lambda_expression':
      if (leaf.field === 'parameters') return parameter(leaf, parent);
      break;
    case 'enhanced_for_statement':
      if (leaf.field === 'name')
        return { is: 'definition', kind: 'variable', level: 'local', space: 'value', scope: parent };
      break;
    case 'type_parameter':
      return {
        is: 'definition',
        kind: 'type parameter',
        level: 'local',
        space: 'type',
        scope: parent.parent?.parent ?? parent,
      };
    case 'method_invocation':
      if (leaf.field === 'name') return invoked(leaf, fieldOf(parent, 'object'));
      break;
    case 'field_access':
      if (leaf.field === 'field') return memberRole(leaf, fieldOf(parent, 'object'), 'value');
      break;
    case 'scoped_type_identifier':
      if (leaf !== parent.children[0]) return { is: 'member' };
      break;
    case 'method_reference':
      if (leaf !== parent.children[0]) return memberRole(leaf, parent.children[0], 'method');
      break;
    case 'labeled_statement':
    case 'break_statement':
    case 'continue_statement':
      return { is: 'key' };
    case 'element_value_pair':
      if (leaf.field === 'key') return { is: 'key' };
      break;
    case 'marker_annotation':
    case 'annotation':
      return { is: 'reference', space: 'type' };
    default:
  }
  return { is: 'reference', space: leaf.kind === 'type_identifier' ? 'type' : 'any' };
}

function typeRole(leaf: SyntaxNode, parent: SyntaxNode): Role {
  const scope = around(parent, BLOCKS) ?? parent;
  const isTop = scope.kind === 'program';
  return {
    is: 'definition',
    kind: KINDS[parent.kind] ?? 'class',
    level: isTop ? 'module' : BODIES.has(scope.kind) ? 'member' : 'local',
    space: 'type',
    scope,
    ...(isTop && { exports: [leaf.text] }),
    ...(!isTop && { owner: fieldOf(scope.parent, 'name')?.text ?? '' }),
  };
}

function memberDefinition(node: SyntaxNode, kind: string, space: Space): Role {
  const scope = around(node, BODIES) ?? node;
  const owner = around(scope, TYPES);
  const isInherited = owner?.children.some(({ field }) => field === 'superclass' || field === 'interfaces');
  return {
    is: 'definition',
    kind,
    level: 'member',
    space,
    scope,
    owner: fieldOf(owner, 'name')?.text ?? '',
    ...((isInherited || owner?.kind === 'interface_declaration') && { isInherited: true }),
  };
}

function variableRole(declarator: SyntaxNode): Role {
  const declaration = declarator.parent;
  if (declaration?.kind === 'field_declaration') return memberDefinition(declaration, 'property', 'value');
  const scope = around(declarator, BLOCKS) ?? declarator;
  const isParameter = declaration?.kind === 'spread_parameter';
  return { is: 'definition', kind: isParameter ? 'parameter' : 'variable', level: 'local', space: 'value', scope };
}

function parameter(leaf: SyntaxNode, parent: SyntaxNode): Role {
  const scope = around(leaf, BLOCKS) ?? parent;
  const isRecord = parent.kind === 'formal_parameter' && parent.parent?.parent?.kind === 'record_declaration';
  if (isRecord) return { is: 'unclear', why: 'it is a part of a record' };
  return { is: 'definition', kind: 'parameter', level: 'local', space: 'value', scope };
}

function invoked(leaf: SyntaxNode, object: SyntaxNode | undefined): Role {
  return object ? memberRole(leaf, object, 'method') : { is: 'reference', space: 'method' };
}

function memberRole(leaf: SyntaxNode, object: SyntaxNode | undefined, space: Space): Role {
  if (object?.kind === 'this') {
    const self = fieldOf(around(leaf, TYPES), 'name')?.text;
    return { is: 'member', space, ...(self !== undefined && { self }) };
  }
  return { is: 'member', space, ...(object?.kind === 'identifier' && { root: object }) };
}

function importRole(leaf: SyntaxNode, statement: SyntaxNode): Role {
  const whole = statement.children.find(({ isNamed }) => isNamed);
  const isLast = whole !== undefined && leaf.end === whole.end;
  const isStar = statement.children.some(({ kind }) => kind === 'asterisk');
  if (!isLast || isStar || !whole || !isWithin(leaf, whole)) return { is: 'key' };
  const from = whole.text.slice(0, -leaf.text.length).replace(/\.$/, '');
  if (statement.children.some(({ kind }) => kind === 'static')) {
    return { is: 'unclear', why: 'it is imported from a class' };
  }
  return {
    is: 'definition',
    kind: 'import',
    level: 'module',
    space: 'type',
    scope: statement.parent ?? statement,
    origin: { from, name: leaf.text },
  };
}

function moduleFacts(root: SyntaxNode): ModuleFacts {
  const declared = root.children.find(({ kind }) => kind === 'package_declaration');
  const packageName = declared?.children.findLast(({ isNamed }) => isNamed)?.text ?? '';
  const stars = [...nodesOf(root)]
    .filter(
      ({ kind, children }) => kind === 'import_declaration' && children.some((child) => child.kind === 'asterisk'),
    )
    .map(({ children }) => ({
      from: children.find(({ isNamed }) => isNamed)?.text ?? '',
      inner: [],
      isPassedOn: false,
    }));
  return { stars, isModule: true, packageName };
}
