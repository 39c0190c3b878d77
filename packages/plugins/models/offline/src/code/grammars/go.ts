/** What names mean in Go. */
import type { DefinitionRole, Grammar, ModuleFacts, Role } from '../roles.ts';
import { around, fieldOf, nodesOf, type SyntaxNode } from '../syntax-node.ts';

const FUNCTIONS = new Set(['function_declaration', 'method_declaration', 'func_literal']);
const WITH_PARAMETERS = new Set([...FUNCTIONS, 'function_type', 'method_elem', 'method_spec']);
const BLOCKS = new Set([
  ...'source_file block if_statement for_statement expression_switch_statement type_switch_statement select_statement expression_case default_case type_case communication_case'.split(
    ' ',
  ),
  ...FUNCTIONS,
]);

/** Go. */
export const goGrammar: Grammar = {
  names: new Set(['identifier', 'type_identifier', 'field_identifier', 'package_identifier', 'label_name']),
  roleOf,
  memberOf: ({ from, name: outer }, path, name) => (outer === '*' && path.length === 0 ? { from, name } : undefined),
  moduleFacts,
};

function roleOf(leaf: SyntaxNode): Role {
  const parent = leaf.parent;
  if (!parent || leaf.kind === 'label_name') return { is: 'key' };
  switch (parent.kind) {
    case 'import_spec':
      return imports(parent, pathOf(parent));
    case 'selector_expression':
      if (leaf.field === 'field') return memberRole(leaf, fieldOf(parent, 'operand'));
      break;
    case 'qualified_type':
      if (leaf.field === 'name') return memberRole(leaf, fieldOf(parent, 'package'));
      break;
    case 'function_declaration':
      if (leaf.field === 'name') return declared('function', leaf, parent);
      break;
    case 'method_declaration':
      if (leaf.field === 'name') return method(parent, receiverType(parent));
      break;
    case 'method_elem':
    case 'method_spec':
    case 'field_declaration':
      if (leaf.field === 'name') {
        return { ...method(parent, typeName(leaf)), kind: parent.kind === 'field_declaration' ? 'property' : 'method' };
      }
      break;
    case 'type_spec':
    case 'type_alias':
      if (leaf.field === 'name') {
        const type = fieldOf(parent, 'type')?.kind ?? '';
        return declared(
          type === 'struct_type' ? 'struct' : type === 'interface_type' ? 'interface' : 'type',
          leaf,
          parent,
        );
      }
      break;
    case 'const_spec':
    case 'var_spec':
      if (leaf.field === 'name') return declared('variable', leaf, parent);
      break;
    case 'parameter_declaration':
    case 'variadic_parameter_declaration':
      if (leaf.field === 'name') {
        return { is: 'definition', kind: 'parameter', level: 'local', scope: around(leaf, WITH_PARAMETERS) ?? parent };
      }
      break;
    case 'literal_element':
      if (parent.field === 'key') return { is: 'unclear', why: 'it can be a field or the key of a map' };
      break;
    case 'expression_list': {
      const statement = parent.parent;
      const isNew = statement?.kind === 'short_var_declaration' || isRangeWithNames(statement);
      if (isNew && parent.field === 'left') return declared('variable', leaf, statement as SyntaxNode);
      if (statement?.kind === 'type_switch_statement' && parent.field === 'alias') {
        return { is: 'definition', kind: 'variable', level: 'local', scope: statement };
      }
      break;
    }
    default:
  }
  return leaf.kind === 'field_identifier' || leaf.kind === 'package_identifier' ? { is: 'key' } : { is: 'reference' };
}

function isRangeWithNames(node: SyntaxNode | undefined): boolean {
  return node?.kind === 'range_clause' && node.children.some(({ kind }) => kind === ':=');
}

function declared(kind: string, leaf: SyntaxNode, node: SyntaxNode): Role {
  const scope = around(node, BLOCKS) ?? node;
  const isTop = scope.kind === 'source_file';
  return {
    is: 'definition',
    kind,
    level: isTop ? 'module' : 'local',
    scope,
    ...(isTop ? { exports: [leaf.text] } : { from: node.end }),
  };
}

function method(node: SyntaxNode, owner: string): DefinitionRole {
  // Any type with such a method may stand for an interface.
  return { is: 'definition', kind: 'method', level: 'member', scope: node, owner, isInherited: true };
}

function receiverType(node: SyntaxNode): string {
  const receiver = fieldOf(node, 'receiver');
  return receiver ? ([...nodesOf(receiver)].find(({ kind }) => kind === 'type_identifier')?.text ?? '') : '';
}

function typeName(leaf: SyntaxNode): string {
  return fieldOf(around(leaf, new Set(['type_spec'])), 'name')?.text ?? '';
}

function memberRole(leaf: SyntaxNode, operand: SyntaxNode | undefined): Role {
  if (operand?.kind !== 'identifier' && operand?.kind !== 'package_identifier') return { is: 'member' };
  const from = importsIn(leaf)
    .filter((spec) => fieldOf(spec, 'name') === undefined)
    .map(pathOf)
    .find((path) => packageOf(path) === operand.text);
  return { is: 'member', root: operand, ...(from !== undefined && { otherwise: { from, name: leaf.text } }) };
}

function importsIn(node: SyntaxNode): SyntaxNode[] {
  let root = node;
  while (root.parent) root = root.parent;
  return root.children
    .filter(({ kind }) => kind === 'import_declaration')
    .flatMap((declaration) => [...nodesOf(declaration)].filter(({ kind }) => kind === 'import_spec'));
}

function pathOf(spec: SyntaxNode): string {
  return fieldOf(spec, 'path')?.text.slice(1, -1) ?? '';
}

/** The name that an import makes known: the last part of its path, without a version. */
function packageOf(path: string): string {
  const parts = path.split('/').filter((part) => !/^v\d+$/.test(part));
  return (parts.at(-1) ?? '').replace(/\.v\d+$/, '');
}

function imports(spec: SyntaxNode, from: string): Role {
  const scope = around(spec, new Set(['source_file'])) ?? spec;
  return { is: 'definition', kind: 'import', level: 'module', scope, origin: { from, name: '*' } };
}

function moduleFacts(root: SyntaxNode): ModuleFacts {
  const name = root.children.find(({ kind }) => kind === 'package_clause')?.children.at(-1)?.text;
  const stars = importsIn(root)
    .filter((spec) => fieldOf(spec, 'name')?.kind === 'dot')
    .map((spec) => ({ from: pathOf(spec), inner: [], isPassedOn: false }));
  return { stars, isModule: true, ...(name !== undefined && { packageName: name }) };
}
