/** What is known about a shell at one point of one way through a command. Ways that differ are followed one by one. */
import type { Node } from './shell/syntax.ts';
import type { Value } from './shell/values.ts';

/** A shell. It is never changed: whatever happens gives another one. */
export interface Shell {
  /** The folder that it is in, absolute. */
  readonly cwd: string;
  /** The folder before, when this command changed it. */
  readonly oldCwd?: string;
  /** What the command itself has set. */
  readonly variables: ReadonlyMap<string, Value>;
  /** The words of the script that runs; undefined where nobody knows them. */
  readonly positional?: readonly Value[] | undefined;
  /** What the command itself, or an earlier one in the same shell, has defined. */
  readonly functions?: ReadonlyMap<string, Node>;
  /** The folders that `pushd` left. */
  readonly stack?: readonly string[];
}

/** How a statement may end. */
export interface Outcome {
  readonly shell: Shell;
  /** Whether it worked; undefined when both is possible. */
  readonly ok: boolean | undefined;
}

/** What a statement reads. */
export interface Input {
  readonly kind: 'none' | 'text' | 'names' | 'unknown';
  readonly text?: string;
  /** The folders that the names are below. */
  readonly below?: readonly string[];
}

/** What a statement prints, as far as that matters to somebody who uses it. */
export type Output = Input;

/** Nothing is read, or what is read cannot matter. */
export const NO_INPUT: Input = { kind: 'none' };
/** Something that nobody knows. */
export const UNKNOWN_INPUT: Input = { kind: 'unknown' };

const MAX_WAYS = 16;

/** Outcomes without repetitions; undefined when there are too many ways. */
export function distinct(outcomes: readonly Outcome[]): readonly Outcome[] | undefined {
  if (outcomes.length <= 1) return outcomes;
  const byKey = new Map(outcomes.map((outcome) => [keyOf(outcome), outcome]));
  return byKey.size > MAX_WAYS ? undefined : [...byKey.values()];
}

const identities = new WeakMap<Node, number>();
let lastIdentity = 0;

/** A number of its own for each body: bodies of different texts may begin at the same offset. */
function identityOf(body: Node): number {
  const known = identities.get(body) ?? ++lastIdentity;
  identities.set(body, known);
  return known;
}

function keyOf({ shell, ok }: Outcome): string {
  return JSON.stringify([
    ok ?? null,
    shell.cwd,
    shell.oldCwd ?? null,
    shell.stack ?? null,
    shell.positional ?? null,
    [...(shell.functions ?? [])].map(([name, body]) => [name, identityOf(body)]),
    [...shell.variables].sort(([a], [b]) => (a < b ? -1 : 1)),
  ]);
}
