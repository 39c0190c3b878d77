/** Grammars of programs: the types, and the strict reader of their YAML. The format is described in docs/design/command-grammars.md. */
import type { Tier } from '../api.ts';
import type { ListRole, Role } from './role.ts';

/** How a program reads its words. */
export type Style = 'gnu' | 'posix' | 'long' | 'plain';

/** What a flag's value or an operand may be: a role, or exactly one of these words. */
export type ValueSpec = Role | readonly string[];

/** What a flag does. */
export interface FlagSpec {
  /** The first spelling: what checks and readers know it by. */
  readonly name: string;
  readonly value?: ValueSpec;
  /** The value can only be attached: `--color=always`, `-i.bak`. */
  readonly isOptional: boolean;
  /** The value may be missing where the flag is the last word: `git branch --merged`. */
  readonly isLast?: true;
  /** Adds a finding. */
  readonly tier?: Tier;
  readonly why?: string;
  /** With it, the whole call has at most this tier. */
  readonly lowers?: Tier;
  /** Changes what operands are. */
  readonly operands?: Operands;
  /** Nothing but this flag may stand there: `--version`. */
  readonly isOnly: boolean;
  /** With it (or not any more with it) the output is names of files. */
  readonly lists?: boolean;
  /** Its value is replaced in the command by what the input lists (`xargs -I {}`). */
  readonly isReplaced: boolean;
}

/** One step of a sequence of operands. */
export interface OperandStep {
  readonly value: ValueSpec;
  readonly min: 0 | 1;
  readonly isRepeated: boolean;
}

/** What operands are: a sequence, or a role of all of them. */
export type Operands = readonly OperandStep[] | ListRole;

/** The grammar of a program or of one of its subcommands. */
export interface Grammar {
  /** The program and its subcommands: `git remote add`. */
  readonly path: readonly string[];
  readonly style: Style;
  /** For `long`: flags may follow operands. */
  readonly isMixed: boolean;
  readonly tier: Tier;
  /** The end of the sentence "`sort` …". */
  readonly why: string;
  readonly flags: ReadonlyMap<string, FlagSpec>;
  /** `-5` is a flag. */
  readonly numberFlag?: FlagSpec;
  /** Absent: none allowed. */
  readonly operands?: Operands;
  readonly subcommands?: ReadonlyMap<string, Grammar>;
  /** What holds when no subcommand stands there. */
  readonly alone?: Grammar;
  readonly check?: string;
  readonly words?: string;
  /** What it prints are names of files below the folder or its operands. */
  readonly lists?: 'folder' | 'operands';
  /** With these flags only, it prints lines of its input as they are. */
  readonly filters?: ReadonlySet<string>;
  /** Adds what its input lists to its command. */
  readonly appends: boolean;
}
