import type { Tier } from '../../api.ts';
import type { Effect, Trait } from '../finding.ts';

/** What the operands of a program are. */
export type OperandRole =
  | 'read'
  | 'write'
  | 'delete'
  /** All but the last are read, the last is written (`cp a b dir`). */
  | 'copy'
  /** All but the last are taken away, the last is written. */
  | 'move'
  /** All but the last are pointed to, the last is written. */
  | 'link'
  /** The second is written (`uniq in out`). */
  | 'second-written'
  /** Not files. */
  | 'text';

/** Names of the checks that need more than a table. */
export type SpecialName =
  | 'rm'
  | 'find'
  | 'git'
  | 'git-config'
  | 'git-push'
  | 'git-checkout'
  | 'dd'
  | 'chmod'
  | 'kill'
  | 'sed'
  | 'awk'
  | 'tar'
  | 'web'
  | 'sql'
  | 'container-run'
  | 'task-name'
  | 'remote-shell'
  | 'rsync'
  | 'request';

/** What is known about a program or one of its subcommands. Rules are data; what cannot be data is named by `special`. */
export interface Rule {
  readonly tier: Tier;
  /** The end of the sentence "`git push` …"; needed from tier 1 on. */
  readonly why?: string;
  /** Flags that are followed by a value, separated by blanks. */
  readonly takes?: string;
  /** Flags that make a difference; several names are separated by blanks. */
  readonly flags?: Readonly<Record<string, Effect>>;
  /** Flags whose value is a file that is written. */
  readonly writes?: string;
  /** Flags whose value is a command line. */
  readonly runs?: string;
  /** Flags whose value is code or a file of code that is loaded. */
  readonly loads?: string;
  /** Flags with which it only looks, whatever it does otherwise. */
  readonly looks?: string;
  readonly operands?: OperandRole;
  /** Operands that make a difference. */
  readonly words?: readonly (Effect & { readonly match: RegExp })[];
  /** By the first operand; several names are separated by blanks. An unknown one has tier 2. */
  readonly subcommands?: Readonly<Record<string, Rule>>;
  /** The tier of subcommands that are not listed, where 2 is too much. */
  readonly otherwise?: Rule;
  /** `-name` is one flag and not four. */
  readonly longFlags?: true;
  readonly special?: SpecialName;
  readonly trait?: Trait;
  /** It is only that nobody knows what it does. */
  readonly unclear?: true;
}

/** Rules by the names of programs; several names are separated by blanks. */
export type RuleTable = Readonly<Record<string, Rule>>;

/** A table with one entry per name. */
export function byName<T>(table: Readonly<Record<string, T>>): ReadonlyMap<string, T> {
  return new Map(
    Object.entries(table).flatMap(([names, value]) => names.split(' ').map((name) => [name, value] as const)),
  );
}
