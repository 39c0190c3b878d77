/** A shell script as plain data. Everything that would run is reachable from `statements`. */
export interface BashScript {
  readonly statements: readonly BashStatement[];
  /** True when any part did not parse or was not understood; a judge must then assume the worst. */
  readonly incomplete: boolean;
  /** The parts that did not parse or were not understood. */
  readonly problems: readonly BashProblem[];
}

/** A part of a script that could not be understood. */
export interface BashProblem {
  readonly kind: 'syntax-error' | 'missing' | 'not-understood';
  /** The node kind for `not-understood`, the expected token for `missing`. */
  readonly what: string;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** A word as written, what it is without quoting when that is certain, and what runs to make it. */
export interface BashWord {
  readonly text: string;
  /** The value after quote removal; absent when it depends on an expansion, a glob or a substitution. */
  readonly value?: string;
  /** Names of expanded variables and parameters. */
  readonly expands: readonly string[];
  /** Scripts run by `$(…)`, backticks, `<(…)` and `>(…)` inside the word. */
  readonly runs: readonly (readonly BashStatement[])[];
  /** True when an unquoted `*`, `?`, `[` or brace may expand to other words. */
  readonly globs: boolean;
}

/** `NAME=value` or `NAME+=value`, also of an array or an element. */
export interface BashAssignment {
  readonly name: string;
  readonly append: boolean;
  readonly value: BashWord | readonly BashWord[] | undefined;
}

/** A redirection of a statement. */
export interface BashRedirect {
  /** `>`, `>>`, `<`, `&>`, `>|`, `<<`, `<<-`, `<<<` … */
  readonly operator: string;
  /** The file descriptor written before the operator. */
  readonly descriptor?: string;
  /** The file, descriptor or here-string; for a here-document its delimiter. */
  readonly target?: BashWord;
  /** The text of a here-document; it expands when the delimiter is not quoted. */
  readonly body?: BashWord;
}

interface StatementBase {
  readonly start: number;
  readonly end: number;
  readonly redirects: readonly BashRedirect[];
  /** Ends in `&`. */
  readonly background: boolean;
}

/** One statement of a script. */
export type BashStatement = StatementBase &
  (
    | {
        readonly type: 'command';
        /** Absent when the statement only assigns or redirects. */
        readonly name?: BashWord;
        readonly args: readonly BashWord[];
        readonly assignments: readonly BashAssignment[];
      }
    | { readonly type: 'pipeline'; readonly commands: readonly BashStatement[]; readonly operators: readonly string[] }
    | {
        readonly type: 'list';
        readonly operator: '&&' | '||';
        readonly left: BashStatement;
        readonly right: BashStatement;
      }
    | { readonly type: 'not'; readonly command: BashStatement }
    | { readonly type: 'subshell' | 'group'; readonly body: readonly BashStatement[] }
    | {
        readonly type: 'if' | 'while' | 'until' | 'for' | 'select' | 'case';
        /** Loop variable of `for` and `select`. */
        readonly variable?: string;
        /** The words of `for … in` and the subject and patterns of `case`. */
        readonly words: readonly BashWord[];
        /** Conditions and branches in source order: everything that may run. */
        readonly body: readonly BashStatement[];
      }
    | { readonly type: 'function'; readonly functionName: string; readonly body: readonly BashStatement[] }
    | {
        /** `[[ … ]]`, `[ … ]` and `(( … ))`. */
        readonly type: 'test';
        readonly words: readonly BashWord[];
      }
    | {
        /** `export`, `declare`, `local`, `readonly`, `typeset`, `unset`. */
        readonly type: 'declaration';
        readonly keyword: string;
        readonly args: readonly BashWord[];
        readonly assignments: readonly BashAssignment[];
      }
    | { readonly type: 'unknown'; readonly text: string }
  );
