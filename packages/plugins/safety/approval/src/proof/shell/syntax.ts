/** The shapes that the strict reader gives a script in. Offsets count from the beginning of the whole command. */
import type { Cut } from './cut.ts';

/** Where something stands. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A piece of a word. */
export type Part =
  /** Literal text; what is not quoted may hold globs, braces and a tilde. */
  | { readonly type: 'text'; readonly value: string; readonly quoted: boolean }
  /** `$name`, `${name}`, `${name:-word}`. */
  | {
      readonly type: 'variable';
      readonly name: string;
      readonly quoted: boolean;
      readonly braced: boolean;
      readonly fallback?: readonly Part[];
      readonly cut?: Cut;
    }
  /** `$(…)` and backticks. */
  | { readonly type: 'output'; readonly script: Script; readonly quoted: boolean }
  /** `<(…)`. */
  | { readonly type: 'process'; readonly script: Script }
  /** `$((…))`, `$?`, `$#`, `$$`: digits that nobody needs to know. The names in it must hold numbers: arithmetic can run code. */
  | { readonly type: 'number'; readonly quoted: boolean; readonly names: readonly string[] };

/** A word. */
export interface WordNode extends Span {
  readonly parts: readonly Part[];
}

/** `NAME=value`. */
export interface Assignment extends Span {
  readonly name: string;
  readonly value: WordNode;
}

/** A redirection. `descriptor` is what stands before it. */
export type Redirect = Span & { readonly descriptor?: number } & (
    | { readonly type: 'read' | 'write' | 'append' | 'both' | 'both-append' | 'read-write'; readonly target: WordNode }
    /** `2>&1`, `2>&-`. */
    | { readonly type: 'duplicate' }
    | { readonly type: 'text'; readonly body: WordNode }
  );

/** A statement. */
export type Node = Span &
  (
    | {
        readonly type: 'simple';
        readonly assignments: readonly Assignment[];
        readonly words: readonly WordNode[];
        readonly redirects: readonly Redirect[];
      }
    /** `name() { … }`: the body with its redirections. */
    | { readonly type: 'function'; readonly name: string; readonly body: Node }
    | { readonly type: 'pipeline'; readonly commands: readonly Node[] }
    | { readonly type: 'list'; readonly operator: '&&' | '||'; readonly left: Node; readonly right: Node }
    | { readonly type: 'not'; readonly command: Node }
    | { readonly type: 'group' | 'subshell'; readonly body: Script; readonly redirects: readonly Redirect[] }
    | {
        readonly type: 'if';
        readonly branches: readonly { readonly condition: Script; readonly body: Script }[];
        readonly otherwise?: Script;
        readonly redirects: readonly Redirect[];
      }
    | {
        readonly type: 'for';
        readonly name: string;
        readonly words: readonly WordNode[];
        readonly body: Script;
        readonly redirects: readonly Redirect[];
      }
    | {
        readonly type: 'while';
        readonly condition: Script;
        readonly body: Script;
        readonly redirects: readonly Redirect[];
      }
    | {
        readonly type: 'case';
        readonly word: WordNode;
        readonly clauses: readonly { readonly patterns: readonly WordNode[]; readonly body: Script }[];
        readonly redirects: readonly Redirect[];
      }
    /** `[[ … ]]`: the words that are expanded; operators are checked by the reader. */
    | { readonly type: 'test'; readonly words: readonly WordNode[]; readonly redirects: readonly Redirect[] }
  );

/** Statements one after another. */
export interface Script {
  readonly items: readonly { readonly node: Node; readonly background: boolean }[];
}
