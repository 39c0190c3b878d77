/** What the parts of the judge share: what they ask of it, and what one call of a program is. */
import type { BashRedirect, BashScript } from './bash.ts';
import type { Finding, Trait } from './finding.ts';
import type { Touch, Surroundings } from './places.ts';
import type { ShellState } from './state.ts';
import type { Word } from './words.ts';

/** What a command reads from its input. */
export interface Stdin {
  readonly kind: 'none' | 'text' | 'file' | 'pipe';
  /** The text, as far as it is known. */
  readonly text?: string;
  /** True when parts of the text are only known when it runs. */
  readonly isPartial?: boolean;
  readonly file?: Word;
  /** Where a pipe's content comes from. */
  readonly traits?: ReadonlySet<Trait>;
  /** True when the lines of a pipe are files below the folder that the shell is in. */
  readonly lists?: boolean;
}

/** What the judge asks the outside. */
export interface JudgeTools {
  parse(text: string): Promise<BashScript>;
  /** The text of a script, if it is there, short and no binary. */
  readScript(path: string): Promise<string | undefined>;
  isFolder(path: string): boolean;
  exists(path: string): boolean;
}

/** What is special about a call. */
export interface CallOptions {
  readonly redirects?: readonly BashRedirect[];
  /** Only looking whether this could be dangerous: what is not known is not noted. */
  readonly isProbe?: boolean;
}

/** Where findings are collected, and what can be judged in turn. */
export interface Bench {
  readonly findings: readonly Finding[];
  readonly world: Surroundings;
  readonly tools: JudgeTools;
  /** Notes something. */
  add(...findings: readonly Finding[]): void;
  /** Judges the text of a script. */
  script(text: string, state: ShellState): Promise<void>;
  /** Judges words as a command. */
  argv(words: readonly Word[], state: ShellState, stdin: Stdin, options?: CallOptions): Promise<void>;
  /** Notes what touching the file of a word amounts to. */
  touch(kind: Touch, word: Word, state: ShellState, argv?: Finding['argv']): void;
  /** Where the output comes from that a word is made of. */
  traitsOf(word: Word): ReadonlySet<Trait>;
  /** Words of something that is not understood: it may run any of them, so the worst counts. */
  suspiciousWords(words: readonly Word[], state: ShellState): Promise<void>;
  /** Calls a function that the same command defined. */
  callFunction(name: string, args: readonly Word[], state: ShellState, stdin: Stdin): Promise<void>;
  /** `alias name=value`. */
  alias(name: string, value: string, state: ShellState): Promise<void>;
  /** Another place to collect findings, for what is only looked at. */
  probe(world?: Surroundings): Bench;
}

/** One call of a program. */
export interface ProgramCall {
  readonly judge: Bench;
  readonly state: ShellState;
  readonly name: string;
  readonly args: readonly Word[];
  /** The words for policies; the program's folder is left out. */
  readonly argv: readonly (string | undefined)[];
  readonly stdin: Stdin;
  readonly redirects: readonly BashRedirect[];
}
