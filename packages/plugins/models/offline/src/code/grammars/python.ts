/** What names mean in Python. */
import type { DefinitionRole, Grammar, ModuleFacts, Origin, Role } from '../roles.ts';
import { around, fieldOf, isWithin, nodesOf, type SyntaxNode } from '../syntax-node.ts';

const FUNCTIONS = new Set(['function_definition', 'lambda']);
const COMPREHENSIONS = new Set([
  'list_comprehension',
  'set_comprehension',
  'dictionary_comprehension',
  'generator_expression',
]);
const SCOPES = new Set(['module', 'class_definition', ...FUNCTIONS]);
const NESTED = new Set([...FUNCTIONS, ...COMPREHENSIONS]);
const PATTERNS = new Set([
  'pattern_list',
  'tuple_pattern',
  'list_pattern',
  'list_splat_pattern',
  'tuple',
  'list',
  'parenthesized_expression',
]);
const PARAMETERS = new Set([
  'default_parameter',
  'typed_parameter',
  'typed_default_parameter',
  'list_splat_pattern',
  'dictionary_splat_pattern',
]);

/** Python. */
export const pythonGrammar: Grammar = {
  names: new Set(['identifier']),
  roleOf,
  roleInText,
  seesMembers: true,
  sees,
  // `from . import lib` and `import pkg.lib` both make `lib.name` a name of the module.
  memberOf: ({ from, name: outer }, path, name) => ({
    from: [from, ...(outer === '*' ? [] : [outer]), ...path].reduce(joined),
    name,
  }),
  moduleFacts,
};

/** A module below another. */
function joined(outer: string, inner: string): string {
  return outer.endsWith('.') ? `${outer}${inner}` : `${outer}.${inner}`;
}

function roleOf(leaf: SyntaxNode): Role {
  const parent = leaf.parent;
  if (!parent) return { is: 'reference' };
  switch (parent.kind) {
    case 'attribute':
      if (leaf.field === 'attribute') return memberRole(leaf, fieldOf(parent, 'object'));
      break;
    case 'keyword_argument':
      if (leaf.field === 'name') return { is: 'key' };
      break;
    case 'keyword_pattern':
      return { is: 'key' };
    case 'dotted_name':
      return dottedRole(leaf, parent);
    case 'aliased_import':
      return importedAs(leaf, parent);
    case 'global_statement':
      return { is: 'reference', isGlobal: true };
    case 'nonlocal_statement':
      return { is: 'reference' };
    case 'function_definition':
    case 'class_definition':
      if (leaf.field === 'name') return declared(leaf, parent);
      break;
    default:
  }
  return parameterRole(leaf) ?? assignedRole(leaf) ?? { is: 'reference' };
}

function sees(scope: SyntaxNode, via: SyntaxNode, leaf: SyntaxNode): boolean {
  // Defaults, annotations and decorators are worked out outside of the function.
  if (FUNCTIONS.has(scope.kind)) return via.field === 'body' || parameterRole(leaf) !== undefined;
  if (scope.kind === 'class_definition') {
    const nested = around(leaf, NESTED);
    return via.field === 'body' && !(nested && isWithin(nested, scope) && !isParameterPart(leaf, nested, scope));
  }
  if (COMPREHENSIONS.has(scope.kind)) {
    const first = scope.children.find(({ kind }) => kind === 'for_in_clause');
    return !isWithin(leaf, fieldOf(first, 'right'));
  }
  return true;
}

/** A default or annotation of a method sees the names of the class. */
function isParameterPart(leaf: SyntaxNode, nested: SyntaxNode, scope: SyntaxNode): boolean {
  const outer = around(nested, NESTED);
  const isDirect = !outer || !isWithin(outer, scope);
  return isDirect && nested.kind === 'function_definition' && !isWithin(leaf, fieldOf(nested, 'body'));
}

function definition(leaf: SyntaxNode, kind: string, scope: SyntaxNode, extra: Partial<DefinitionRole> = {}): Role {
  const isModule = scope.kind === 'module';
  const isMember = scope.kind === 'class_definition';
  return {
    is: 'definition',
    kind,
    scope,
    level: isModule ? 'module' : isMember ? 'member' : 'local',
    ...(isModule && { exports: [leaf.text] }),
    ...(isMember && { owner: fieldOf(scope, 'name')?.text ?? '' }),
    ...(isMember && fieldOf(scope, 'superclasses') && { isInherited: true }),
    ...extra,
  };
}

function declared(leaf: SyntaxNode, parent: SyntaxNode): Role {
  const scope = scopeFor(leaf.text, parent);
  const isMethod = scope.kind === 'class_definition' && parent.kind === 'function_definition';
  return definition(leaf, parent.kind === 'class_definition' ? 'class' : isMethod ? 'method' : 'function', scope);
}

/** The scope that a name is bound in: of the function, unless `global` or `nonlocal` says otherwise. */
function scopeFor(name: string, node: SyntaxNode): SyntaxNode {
  const scope = around(node, SCOPES) ?? node;
  if (scope.kind !== 'function_definition') return scope;
  const said = [...nodesOf(scope)].find(
    (node) =>
      /^(?:global|nonlocal)_statement$/.test(node.kind) &&
      node.children.some(({ text }) => text === name) &&
      around(node, SCOPES) === scope,
  );
  if (!said) return scope;
  if (said.kind === 'nonlocal_statement') return scopeFor(name, scope);
  let top = scope;
  while (top.parent) top = top.parent;
  return top;
}

function parameterRole(leaf: SyntaxNode): Role | undefined {
  let node = leaf;
  while (node.parent && PARAMETERS.has(node.parent.kind)) {
    if (node.field === 'value' || node.field === 'type') return undefined;
    node = node.parent;
  }
  const list = node.parent;
  if (list?.kind !== 'parameters' && list?.kind !== 'lambda_parameters') return undefined;
  return { is: 'definition', kind: 'parameter', level: 'local', scope: list.parent ?? list };
}

function assignedRole(leaf: SyntaxNode): Role | undefined {
  let node = leaf;
  while (node.parent && PATTERNS.has(node.parent.kind)) node = node.parent;
  const owner = node.parent;
  if (!owner) return undefined;
  const isTarget =
    ((owner.kind === 'assignment' || owner.kind === 'augmented_assignment') && node.field === 'left') ||
    (owner.kind === 'for_statement' && node.field === 'left') ||
    owner.kind === 'as_pattern_target' ||
    (owner.kind === 'named_expression' && node.field === 'name');
  if (isTarget) {
    const scope = scopeFor(leaf.text, owner);
    return definition(leaf, scope.kind === 'class_definition' ? 'property' : 'variable', scope);
  }
  if (owner.kind === 'for_in_clause' && node.field === 'left') {
    return { is: 'definition', kind: 'variable', level: 'local', scope: around(owner, COMPREHENSIONS) ?? owner };
  }
  if (owner.kind === 'type' && owner.parent?.kind === 'type_alias_statement' && owner.field === 'left') {
    return definition(leaf, 'type', scopeFor(leaf.text, owner));
  }
  return undefined;
}

function dottedRole(leaf: SyntaxNode, dotted: SyntaxNode): Role {
  const statement = dotted.parent;
  const names = dotted.children.filter(({ isNamed }) => isNamed);
  switch (statement?.kind) {
    case 'import_from_statement':
      return dotted.field === 'name' ? binds(leaf, statement, { from: moduleOf(statement), name: leaf.text }) : PATH;
    case 'import_statement':
      // `import a.b` makes `a` known.
      return leaf === names[0] ? binds(leaf, statement, { from: leaf.text, name: '*' }) : PATH;
    case 'aliased_import':
      return importedName(leaf, dotted, statement);
    case 'case_pattern':
    case 'keyword_pattern':
      if (names.length === 1) return definition(leaf, 'variable', scopeFor(leaf.text, dotted));
      break;
    default:
  }
  if (leaf === names[0]) return { is: 'reference' };
  const path = names.slice(1, names.indexOf(leaf)).map(({ text }) => text);
  return { is: 'member', path, ...(names[0] && { root: names[0] }) };
}

const PATH: Role = { is: 'path' };

function binds(leaf: SyntaxNode, statement: SyntaxNode, origin: Origin): Role {
  return definition(leaf, 'import', scopeFor(leaf.text, statement), { origin });
}

function importedName(leaf: SyntaxNode, dotted: SyntaxNode, aliased: SyntaxNode): Role {
  const statement = aliased.parent;
  if (statement?.kind !== 'import_from_statement' || dotted.field !== 'name') return PATH;
  return { is: 'outside', origin: { from: moduleOf(statement), name: leaf.text } };
}

function importedAs(leaf: SyntaxNode, aliased: SyntaxNode): Role {
  const statement = aliased.parent;
  const name = fieldOf(aliased, 'name')?.text ?? '';
  if (!statement) return PATH;
  const isFrom = statement.kind === 'import_from_statement';
  return binds(leaf, statement, isFrom ? { from: moduleOf(statement), name } : { from: name, name: '*' });
}

/** The module of `from … import`, with its dots. */
function moduleOf(statement: SyntaxNode): string {
  return (fieldOf(statement, 'module_name')?.text ?? '').replaceAll(/\s/g, '');
}

function memberRole(leaf: SyntaxNode, object: SyntaxNode | undefined): Role {
  const path: string[] = [];
  let root = object;
  while (root?.kind === 'attribute') {
    path.unshift(fieldOf(root, 'attribute')?.text ?? '');
    root = fieldOf(root, 'object');
  }
  if (root?.kind !== 'identifier') return { is: 'member' };
  const self = path.length === 0 ? classOf(leaf, root.text) : undefined;
  return self === undefined ? { is: 'member', root, path } : { is: 'member', self };
}

/** The class, when a name is the first parameter of the method around. */
function classOf(leaf: SyntaxNode, name: string): string | undefined {
  if (name !== 'self' && name !== 'cls') return undefined;
  const owner = around(leaf, new Set(['class_definition']));
  return fieldOf(owner, 'name')?.text;
}

/** `__all__` names what a module offers, in quotes. */
function roleInText(text: SyntaxNode, name: string): Role | undefined {
  if (text.kind !== 'string_content' || text.text !== name) return undefined;
  const list = text.parent?.parent;
  const assignment = list && /^(?:list|tuple|expression_list)$/.test(list.kind) ? list.parent : undefined;
  if (!assignment || !assignment.kind.endsWith('assignment')) return undefined;
  return fieldOf(assignment, 'left')?.text === '__all__' ? { is: 'reference', isGlobal: true } : undefined;
}

function moduleFacts(root: SyntaxNode): ModuleFacts {
  const stars = [...nodesOf(root)].flatMap((node) =>
    node.kind === 'import_from_statement' && node.children.some(({ kind }) => kind === 'wildcard_import')
      ? [{ from: moduleOf(node), inner: [], isPassedOn: true }]
      : [],
  );
  return { stars, isModule: true };
}
