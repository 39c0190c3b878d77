/** What the parts of the proof share: where findings are collected, and what can be proven in turn. */
import type { Finding } from '../judge/finding.ts';
import type { Surroundings } from '../judge/places.ts';
import type { Grammar } from './grammar.ts';
import type { CallWord } from './language.ts';
import type { Input, Outcome, Output, Shell } from './state.ts';

/** How something ran. */
export interface Ran {
  /** The ways in which it may have ended; none when it never comes back (`exit`). */
  readonly outcomes: readonly Outcome[];
  readonly output: Output;
}

/** What the proof asks the outside. */
export interface ProofTools {
  /** The grammar of a program that a user has added. */
  userGrammar(program: string): Promise<Grammar | undefined>;
  /** What known danger a script of the workspace holds; `isShell` when a shell runs it, whatever its name. */
  dangersIn(path: string, argv: Finding['argv'], isShell: boolean): Promise<readonly Finding[]>;
}

/** One call of a program. */
export interface Call {
  readonly proof: Proof;
  readonly name: string;
  readonly words: readonly CallWord[];
  /** The words for policies. */
  readonly argv: readonly (string | undefined)[];
  readonly shell: Shell;
  readonly input: Input;
}

/** Where a command is proven. */
export interface Proof {
  readonly world: Surroundings;
  readonly tools: ProofTools;
  readonly findings: readonly Finding[];
  /** True when files may have been made or changed. */
  readonly isChanged: boolean;
  /** Files whose content the command itself has put there; the text, where it is known. */
  readonly writtenData: Map<string, string | undefined>;
  /** Whether names below these folders, as something lists them now, are one word each. */
  areWords(folders: readonly string[]): boolean;
  /** Notes something. */
  add(...findings: readonly Finding[]): void;
  /** Keeps the tier of what was noted since then low, but for these. */
  lower(since: number, tier: Finding['tier'], kept: ReadonlySet<Finding>): void;
  /** Proves the text of a script in a shell of its own. */
  script(
    text: string,
    shell: Shell,
    input: Input,
    options?: { readonly isPosix?: boolean; readonly word?: CallWord },
  ): Promise<Ran>;
  /** Proves words as a command. */
  argv(words: readonly CallWord[], shell: Shell, input: Input): Promise<Ran>;
  /** Leaves the loop that runs. */
  leaveLoop(shell: Shell): void;
  /** Leaves the function that runs; false when none does. */
  leaveFunction(shell: Shell): boolean;
  /** Checks a variable that programs get. */
  exported(
    name: string,
    value: string | undefined,
    shell: Shell,
    word: { readonly start?: number; readonly end?: number },
    program?: string,
  ): void;
}
