/**
 * What readers of small languages (`languages/NAME.ts`) and checks (`checks/NAME.ts`) are given and must do. They only say what words
 * mean; the engine judges files, commands and scripts afterwards. What they do not understand to the last character they refuse.
 */
import type { Tier } from '../api.ts';
import type { Role } from './role.ts';

/** A word of a call, after everything that the shell does to it. */
export interface CallWord {
  /** Undefined when it is only known when the command runs. */
  readonly value: string | undefined;
  /** What it certainly begins with; the whole value when that is known. */
  readonly prefix: string;
  /** True when it may be any number of words, also none (`$x` without quotes, `"$@"`). */
  readonly isMany: boolean;
  /** Names of files that are there, below these folders (absolute), for what `find` and the like listed. */
  readonly below?: readonly string[];
  /** The number of a process that this shell has started (`$!`). */
  readonly isOwnProcess?: true;
  /** It came from a glob that found one file or several; the order of several depends on the machine. */
  readonly glob?: 'one' | 'several';
  /** It is a glob that found nothing and could be meant to hide a name: no path is to be made of it. */
  readonly isUnmatched?: true;
  /** With a glob: it finds everything in this folder (absolute), but for hidden files. */
  readonly sweeps?: string;
  /** Where it stands in the command; both absent for words that stand nowhere. */
  readonly start?: number;
  readonly end?: number;
}

/** The words of a call as its grammar sorted them. */
export interface ParsedCall {
  /** The program and its subcommands: `['git', 'remote', 'add']`. */
  readonly path: readonly string[];
  /** Values by the flag's first spelling in the grammar; an empty list for flags without one. Present only for flags that stand there. */
  readonly flags: ReadonlyMap<string, readonly CallWord[]>;
  readonly operands: readonly CallWord[];
  /** How many operands stand before `--`; absent without it. */
  readonly dashes?: number;
}

/** How a reader or check says what words mean. */
export interface Meaning {
  /** The words as sorted by the grammar; readers of `words` get only the program and no flags or operands. */
  readonly call: ParsedCall;
  /** The folder that the shell is in, absolute. */
  readonly cwd: string;
  /** The user's home folder. */
  readonly home: string;
  /** The words of what runs before it and may have changed files. */
  readonly changes: readonly (readonly (string | undefined)[])[];
  /** The word is this to the program. Relative paths start at `folder`, or the current one. */
  role(role: Exclude<Role, 'command'>, word: CallWord, options?: { readonly folder?: CallWord }): void;
  /** A piece of a word is this to the program: `role` for a text that the reader took out of a word. */
  text(role: Exclude<Role, 'command'>, value: string, options?: { readonly folder?: CallWord }): void;
  /** Runs these words as a command. */
  command(words: readonly CallWord[]): void;
  /** Adds a finding; `why` is the end of the sentence "`find` …". */
  add(tier: Tier, why: string): void;
  /** What it prints are names of files below these. */
  lists(folders: readonly CallWord[]): void;
  /** Not understood: `what` is the rest of the sentence "not understood: …", for example "the flag -foo of find". Ends the reading. */
  refuse(what: string, word?: CallWord): never;
}

/** Reads the words or the code of a small language. */
export interface Language {
  /**
   * For `code.NAME`: the value (one word). For `words: NAME`: all words behind the program's name. A word can be unknown
   * (`value === undefined`): refuse it unless it cannot matter.
   */
  read(words: readonly CallWord[], meaning: Meaning): void;
}

/** Looks at a whole call for what a table cannot say. It can only add findings or refuse. */
export interface Check {
  check(call: ParsedCall, meaning: Meaning): void;
}

/** A word that is known. */
export function knownWord(value: string): CallWord {
  return { value, prefix: value, isMany: false };
}

/** Thrown by what does not understand something. */
export class NotUnderstood extends Error {
  readonly what: string;
  readonly start: number | undefined;
  readonly end: number | undefined;
  /** The words of the program whose words are not understood. */
  argv: readonly (string | undefined)[] | undefined;

  constructor(what: string, where: { readonly start?: number | undefined; readonly end?: number | undefined } = {}) {
    super(what);
    this.name = 'NotUnderstood';
    this.what = what;
    this.start = where.start;
    this.end = where.end;
    this.argv = undefined;
  }
}
