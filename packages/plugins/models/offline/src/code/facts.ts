/** What the rules know of a file: who declares a name in it, and what the name means wherever it stands. */
import type { Level, ModuleFacts, Origin, Space } from './roles.ts';

/** A thing that has a name. */
export interface Binding {
  readonly path: string;
  readonly name: string;
  /** What it is declared as; several for things that share name and place. */
  readonly kinds: readonly string[];
  readonly level: Level;
  readonly line: number;
  /** Where it is known, by places in the text. */
  readonly scope: { readonly start: number; readonly end: number };
  readonly space: Space;
  readonly inner: readonly string[];
  readonly exports: readonly string[];
  readonly owner?: string;
  readonly isInherited?: boolean;
  readonly origin?: Origin;
  readonly isForward?: boolean;
  readonly unclear?: string;
}

/** How a name is used at one place. */
export type Usage = 'name' | 'member' | 'outside' | 'export' | 'key' | 'path' | 'comment' | 'string' | 'unclear';

/** One place of a name. Line and column are from 1 and 0. */
export interface Mention {
  readonly path: string;
  readonly name: string;
  readonly start: number;
  readonly line: number;
  readonly column: number;
  readonly usage: Usage;
  readonly inner: readonly string[];
  /** What it means, when this file declares or imports it. */
  readonly binding?: Binding;
  readonly isDefinition?: true;
  readonly shorthand?: true;
  /** What it means, when it is a name of another module. */
  readonly origin?: Origin;
  /** The name under which it is offered again. */
  readonly as?: string;
  /** For members: the class whose member it is. */
  readonly memberOf?: string;
  /** For members, where a method and a field can share a name: which of them. */
  readonly space?: Space;
  /** For members: what stands before the dot. */
  readonly root?: string;
  readonly why?: string;
}

/** What the rules know of a file. */
export interface FileFacts {
  readonly path: string;
  /** The parser did not understand all of it. */
  readonly hasErrors: boolean;
  readonly bindings: readonly Binding[];
  readonly mentions: readonly Mention[];
  readonly module: ModuleFacts;
}

/** A thing as people call it: "function", or "class and variable". */
export function kindText({ kinds }: Pick<Binding, 'kinds'>): string {
  return kinds.join(' and ');
}
