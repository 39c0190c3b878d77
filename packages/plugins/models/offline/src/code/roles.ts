/** What a name can be at one place of a program, as far as the tree around it tells. */
import type { SyntaxNode } from './syntax-node.ts';

/** Names of one space do not hide those of another: a type and a function can share a name. */
export type Space = 'value' | 'type' | 'method' | 'any';

/** Where a binding can be seen from. */
export type Level =
  /** By other files, as far as the language lets them. */
  | 'module'
  /** Through something else: a class, an interface, a struct. */
  | 'member'
  /** In its function or block alone. */
  | 'local';

/** The module a name comes from, and its name there; `*` is the module as a whole. */
export interface Origin {
  readonly from: string;
  readonly name: string;
}

/** What a name is at one place. */
export type Role =
  | DefinitionRole
  | {
      readonly is: 'reference';
      readonly space?: Space;
      /** `{ name }`: the word is the name of a property, too. */
      readonly shorthand?: true;
      /** The names under which this very place offers it to other files. */
      readonly exports?: readonly string[];
      /** Python's `global`: the search starts at the module. */
      readonly isGlobal?: true;
    }
  /** `thing.name`; `root` is the name at the start of `thing`, `path` what stands between. */
  | {
      readonly is: 'member';
      readonly root?: SyntaxNode;
      readonly path?: readonly string[];
      /** The class around it, for `this.name`. */
      readonly self?: string;
      readonly space?: Space;
      /** What it means when this file knows nothing of the name of `root`. */
      readonly otherwise?: Origin;
    }
  /** A name of another module, written out; `as` when it is offered again under a name. */
  | { readonly is: 'outside'; readonly origin: Origin; readonly as?: string }
  /** The name under which a value is offered to other files. */
  | { readonly is: 'export'; readonly value: SyntaxNode | undefined }
  /** A property, a label, a parameter of somebody else's function. */
  | { readonly is: 'key' }
  /** A part of the name of a file or module. */
  | { readonly is: 'path' }
  | { readonly is: 'unclear'; readonly why: string };

/** A place that declares a name. */
export interface DefinitionRole {
  readonly is: 'definition';
  readonly kind: string;
  readonly level: Level;
  /** The node in which the name is known. */
  readonly scope: SyntaxNode;
  readonly space?: Space;
  /** Known only from here on. */
  readonly from?: number;
  /** A second declaration in the same scope is another thing. */
  readonly isSeparate?: true;
  /** For members: whose. */
  readonly owner?: string;
  /** For members: the owner has parents or interfaces that may ask for the name. */
  readonly isInherited?: true;
  readonly origin?: Origin;
  readonly exports?: readonly string[];
  readonly shorthand?: true;
  /** Says that the thing is elsewhere: a prototype. */
  readonly isForward?: true;
  /** Renaming it would change more than this name: a parameter that is a property, too. */
  readonly unclear?: string;
}

/** What has to be known of a language to tell what a name means. */
export interface Grammar {
  /** Kinds of the leaves that are names. */
  readonly names: ReadonlySet<string>;
  roleOf(leaf: SyntaxNode): Role;
  /** A name inside of a text that counts as code: `"{name}"` in Rust, `__all__` in Python. */
  roleInText?(text: SyntaxNode, name: string, start: number): Role | undefined;
  /** True when the members of a class are known by their bare names inside of it. */
  readonly seesMembers?: true;
  /** False when what stands in `via` does not see the names of a scope around it. */
  sees?(scope: SyntaxNode, via: SyntaxNode, leaf: SyntaxNode): boolean;
  /** What `root.path.name` means when `root` was taken from another module. */
  memberOf(origin: Origin, path: readonly string[], name: string): Origin | undefined;
  /** True for something that the parser does not know though the language does, and that changes nothing here. */
  tolerates?(error: SyntaxNode): boolean;
  /** What a file says about itself as a module. */
  moduleFacts(root: SyntaxNode): ModuleFacts;
  /** The modules inside of the file around a place, outermost first. */
  innerModules?(node: SyntaxNode): readonly string[];
}

/** What a file says about itself as a module. */
export interface ModuleFacts {
  /** The package it says it belongs to. */
  readonly packageName?: string;
  /** Modules all of whose names are known here; `isPassedOn` when also to those who use this one. */
  readonly stars: readonly { readonly from: string; readonly inner: readonly string[]; readonly isPassedOn: boolean }[];
  /** False for scripts whose names are seen by all others. */
  readonly isModule: boolean;
  /** True when what it offers is one object, as with `module.exports`. */
  readonly isCommonJs?: boolean;
  readonly includes?: readonly string[];
}
