/** How files of JavaScript offer names to each other, and take them. */
import type { DefinitionRole, ModuleFacts, Role } from '../roles.ts';
import { around, fieldOf, nodesOf, sibling, type SyntaxNode } from '../syntax-node.ts';

/** What a declaration offers: itself, the default, or nothing. */
export function exportsOf(declaration: SyntaxNode, name: string): { exports?: string[]; unclear?: string } {
  const outer = declaration.parent;
  if (outer?.kind === 'ambient_declaration') return exportsOf(outer, name);
  if (outer?.kind !== 'export_statement') return {};
  if (outer.parent?.kind !== 'program') return { unclear: 'it is a part of a namespace' };
  return { exports: [outer.children.some(({ kind }) => kind === 'default') ? 'default' : name] };
}

/** A name in an import. */
export function importRole(leaf: SyntaxNode, parent: SyntaxNode): Role {
  const from = sourceOf(parent);
  const scope = around(leaf, new Set(['program', 'statement_block'])) ?? parent;
  const binds = (name: string): DefinitionRole => ({
    is: 'definition',
    kind: 'import',
    level: 'module',
    scope,
    origin: { from, name },
  });
  if (parent.kind === 'import_clause') return binds('default');
  if (parent.kind !== 'import_specifier') return binds('*');
  const [name, alias] = [fieldOf(parent, 'name'), fieldOf(parent, 'alias')];
  if (alias && leaf === name) return { is: 'outside', origin: { from, name: leaf.text } };
  return binds(name?.text ?? leaf.text);
}

/** A name in `export { … }`. */
export function exportRole(leaf: SyntaxNode, parent: SyntaxNode): Role {
  const [name, alias] = [fieldOf(parent, 'name'), fieldOf(parent, 'alias')];
  const as = alias?.text ?? leaf.text;
  const from = sourceOf(parent);
  if (leaf === alias) return from === '' ? { is: 'export', value: name } : { is: 'key' };
  return from === '' ? { is: 'reference', exports: [as] } : { is: 'outside', origin: { from, name: leaf.text }, as };
}

/** The module that an import or export statement around a node names. */
function sourceOf(node: SyntaxNode): string {
  const own = fieldOf(node, 'source');
  const statement = own ? node : around(node, new Set(['import_statement', 'export_statement']));
  return (own ?? fieldOf(statement, 'source'))?.text.slice(1, -1) ?? '';
}

/** The object of `module.exports = { … }`. */
export function isExportsObject(object: SyntaxNode): boolean {
  const assignment = object.kind === 'object' ? object.parent : undefined;
  return (
    assignment?.kind === 'assignment_expression' &&
    object.field === 'right' &&
    /^(?:module\.)?exports$/.test(fieldOf(assignment, 'left')?.text ?? '')
  );
}

/** `name` of `exports.name = …`. */
export function exportedName(assignment: SyntaxNode): string | undefined {
  return /^(?:module\.)?exports\.([\w$]+)$/.exec(fieldOf(assignment, 'left')?.text ?? '')?.[1];
}

/** What a file says about itself as a module. */
export function moduleFacts(root: SyntaxNode): ModuleFacts {
  const stars = root.children.flatMap((node) => {
    const isStar = node.kind === 'export_statement' && node.children.some(({ kind }) => kind === '*');
    return isStar ? [{ from: sourceOf(node), inner: [], isPassedOn: true }] : [];
  });
  const isCommonJs = [...nodesOf(root)].some(
    (node) =>
      node.kind === 'identifier' &&
      ((node.text === 'module' && sibling(node, 1)?.kind === '.') ||
        node.text === 'exports' ||
        node.text === 'require'),
  );
  const isModule = isCommonJs || root.children.some(({ kind }) => /^(?:import|export)_statement$/.test(kind));
  return { stars, isModule, isCommonJs };
}
