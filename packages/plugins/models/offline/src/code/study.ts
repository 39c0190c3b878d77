/** Finds out what names mean in one file: roles come from the grammar, scopes tell which declaration a place means. */
import type { Binding, FileFacts, Mention, Usage } from './facts.ts';
import type { DefinitionRole, Grammar, Role, Space } from './roles.ts';
import { nodeAt, nodesOf, type SyntaxNode, type SyntaxTree } from './syntax-node.ts';

/** A file and its text. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

/** Studies a file for some names. */
export function study({ path, text }: Source, tree: SyntaxTree, grammar: Grammar, names: readonly string[]): FileFacts {
  const scopes = new Scopes(path, text, tree.root, grammar);
  const mentions = names.flatMap((name) =>
    [...text.matchAll(nameInText(name))].map(({ index }) => mentionAt(scopes, tree.root, name, index)),
  );
  return {
    path,
    hasErrors: tree.errors.some((error) => grammar.tolerates?.(error) !== true),
    bindings: names.flatMap((name) => scopes.bindingsOf(name)),
    mentions,
    module: grammar.moduleFacts(tree.root),
  };
}

/** Matches a name that is not part of a longer one. */
export function nameInText(name: string): RegExp {
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(String.raw`(?<![\p{L}\p{N}_$])${escaped}(?![\p{L}\p{N}_$])`, 'gu');
}

function mentionAt(scopes: Scopes, root: SyntaxNode, name: string, start: number): Mention {
  const node = nodeAt(root, start, start + name.length);
  const base = { path: scopes.path, name, start, ...scopes.positionOf(start), inner: scopes.innerOf(node) };
  const { grammar } = scopes;
  if (!grammar.names.has(node.kind)) {
    const role = grammar.roleInText?.(node, name, start);
    return role ? mentionOf(scopes, base, node, role) : { ...base, ...textUsage(node) };
  }
  // `#name` and the like are other names that only contain this one.
  if (node.text !== name) return { ...base, usage: 'key' };
  return mentionOf(scopes, base, node, grammar.roleOf(node));
}

type Base = Pick<Mention, 'path' | 'name' | 'start' | 'line' | 'column' | 'inner'>;

function textUsage(node: SyntaxNode): { usage: Usage; why?: string } {
  const kinds = `${node.kind} ${node.parent?.kind ?? ''}`;
  if (/comment/.test(kinds)) return { usage: 'comment' };
  if (/string|char|jsx_text|regex|template/.test(kinds)) return { usage: 'string' };
  return { usage: 'unclear', why: 'the parser does not say what it is' };
}

function mentionOf(scopes: Scopes, base: Base, node: SyntaxNode, role: Role): Mention {
  switch (role.is) {
    case 'definition': {
      const binding = scopes.definedBy(node, role);
      return { ...base, usage: 'name', isDefinition: true, binding, ...(role.shorthand && { shorthand: true }) };
    }
    case 'reference': {
      const binding = scopes.resolve(node, base.name, role.space ?? 'any', role.isGlobal === true);
      return { ...base, usage: 'name', ...(binding && { binding }), ...(role.shorthand && { shorthand: true }) };
    }
    case 'member':
      return { ...base, ...memberUsage(scopes, base.name, role), ...(role.space && { space: role.space }) };
    case 'outside':
      return { ...base, usage: 'outside', origin: role.origin, ...(role.as !== undefined && { as: role.as }) };
    case 'export': {
      const binding = role.value && scopes.resolve(role.value, role.value.text, 'any', false);
      return { ...base, usage: 'export', ...(binding && { binding }) };
    }
    case 'key':
    case 'path':
      return { ...base, usage: role.is };
    case 'unclear':
      return { ...base, usage: 'unclear', why: role.why };
  }
}

function memberUsage(
  scopes: Scopes,
  name: string,
  { root, path = [], self, otherwise }: Role & { is: 'member' },
): Pick<Mention, 'usage' | 'origin' | 'memberOf' | 'root'> {
  if (self !== undefined) return { usage: 'member', memberOf: self };
  if (!root) return { usage: 'member' };
  const owner = scopes.resolve(root, root.text, 'any', false);
  const origin = owner ? owner.origin && scopes.grammar.memberOf(owner.origin, path, name) : otherwise;
  if (origin) return { usage: 'outside', origin };
  const isOfType =
    path.length === 0 && owner?.kinds.some((kind) => /class|interface|enum|struct|trait|type/.test(kind));
  return { usage: 'member', root: root.text, ...(owner && isOfType && { memberOf: owner.name }) };
}

type Draft = { -readonly [Key in keyof Binding]: Binding[Key] } & { node: SyntaxNode; from?: number };

/** The declarations of a file, found name by name. */
class Scopes {
  readonly path: string;
  readonly grammar: Grammar;
  readonly #lineStarts: number[] = [0];
  readonly #leaves = new Map<string, SyntaxNode[]>();
  readonly #byName = new Map<string, { byScope: Map<SyntaxNode, Draft[]>; byLeaf: Map<SyntaxNode, Draft> }>();

  constructor(path: string, text: string, root: SyntaxNode, grammar: Grammar) {
    this.path = path;
    this.grammar = grammar;
    for (const { index } of text.matchAll(/\n/g)) this.#lineStarts.push(index + 1);
    for (const node of nodesOf(root)) {
      if (!grammar.names.has(node.kind)) continue;
      const leaves = this.#leaves.get(node.text);
      if (leaves) leaves.push(node);
      else this.#leaves.set(node.text, [node]);
    }
  }

  positionOf(start: number): { line: number; column: number } {
    let [low, high] = [0, this.#lineStarts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#lineStarts[middle] ?? 0) <= start) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: start - (this.#lineStarts[low] ?? 0) };
  }

  innerOf(node: SyntaxNode): readonly string[] {
    return this.grammar.innerModules?.(node) ?? [];
  }

  bindingsOf(name: string): readonly Binding[] {
    return [...this.#of(name).byScope.values()].flat();
  }

  definedBy(leaf: SyntaxNode, role: DefinitionRole): Binding {
    return this.#of(leaf.text).byLeaf.get(leaf) ?? this.#draft(leaf, role);
  }

  /** The declaration that a name means at a place. */
  resolve(leaf: SyntaxNode, name: string, space: Space, isGlobal: boolean): Binding | undefined {
    const { byScope } = this.#of(name);
    let via = leaf;
    for (let scope = leaf.parent; scope; via = scope, scope = scope.parent) {
      if (isGlobal && scope.parent) continue;
      const binding = byScope
        .get(scope)
        ?.filter(
          ({ level, space: declared, from = 0 }) =>
            fits(declared, space) && from <= leaf.start && (level !== 'member' || this.grammar.seesMembers === true),
        )
        .toSorted((a, b) => (b.from ?? 0) - (a.from ?? 0))[0];
      if (binding && (this.grammar.sees?.(scope, via, leaf) ?? true)) return binding;
    }
    return undefined;
  }

  #of(name: string) {
    const cached = this.#byName.get(name);
    if (cached) return cached;
    const declarations = { byScope: new Map<SyntaxNode, Draft[]>(), byLeaf: new Map<SyntaxNode, Draft>() };
    this.#byName.set(name, declarations);
    const exported: { leaf: SyntaxNode; role: Role & { is: 'reference' } }[] = [];
    for (const leaf of this.#leaves.get(name) ?? []) {
      const role = this.grammar.roleOf(leaf);
      if (role.is === 'reference' && role.exports) exported.push({ leaf, role });
      if (role.is !== 'definition') continue;
      const inScope = declarations.byScope.get(role.scope) ?? [];
      declarations.byScope.set(role.scope, inScope);
      const isMethod = role.space === 'method';
      const same = role.isSeparate ? undefined : inScope.find(({ space }) => (space === 'method') === isMethod);
      const draft = same ? merged(same, role) : this.#draft(leaf, role);
      if (!same) inScope.push(draft);
      declarations.byLeaf.set(leaf, draft);
    }
    for (const { leaf, role } of exported) {
      const binding = this.resolve(leaf, name, role.space ?? 'any', false) as Draft | undefined;
      if (binding) binding.exports = [...new Set([...binding.exports, ...(role.exports ?? [])])];
    }
    return declarations;
  }

  #draft(leaf: SyntaxNode, role: DefinitionRole): Draft {
    const {
      kind,
      level,
      scope,
      space = 'any',
      from,
      owner,
      isInherited,
      origin,
      exports = [],
      isForward,
      unclear,
    } = role;
    return {
      path: this.path,
      name: leaf.text,
      kinds: [kind],
      level,
      line: this.positionOf(leaf.start).line,
      scope: { start: scope.start, end: scope.end },
      space,
      inner: this.innerOf(leaf),
      exports,
      node: scope,
      ...(from !== undefined && { from }),
      ...(owner !== undefined && { owner }),
      ...(isInherited && { isInherited }),
      ...(origin && { origin }),
      ...(isForward && { isForward }),
      ...(unclear !== undefined && { unclear }),
    };
  }
}

/** True when names of these spaces can mean the same. */
export function fits(declared: Space, expected: Space): boolean {
  return declared === 'any' || expected === 'any' || declared === expected;
}

/** A second declaration of the same name in the same scope is the same thing: overloads, assignments, prototypes. */
function merged(
  draft: Draft,
  { kind, space = 'any', exports = [], isForward, origin, unclear, from }: DefinitionRole,
): Draft {
  if (!draft.kinds.includes(kind)) draft.kinds = [...draft.kinds, kind];
  if (draft.space !== space) draft.space = 'any';
  draft.exports = [...new Set([...draft.exports, ...exports])];
  if (!isForward) delete draft.isForward;
  if (from === undefined) delete draft.from;
  else if (draft.from !== undefined) draft.from = Math.min(draft.from, from);
  if (unclear !== undefined) draft.unclear = unclear;
  if (origin?.from !== draft.origin?.from || origin?.name !== draft.origin?.name) {
    draft.unclear = 'it is declared more than once, from different places';
    if (origin) draft.origin = origin;
  }
  return draft;
}
