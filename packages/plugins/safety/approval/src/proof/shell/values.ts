/** What is known about a value while a command is proven: the text, or how it begins and where it lies. */

/** A value. */
export interface Value {
  /** The text; undefined when it is only known when the command runs. */
  readonly text: string | undefined;
  /** What it certainly begins with. */
  readonly prefix: string;
  /** Absolute folders: it is a path below one of them. */
  readonly below?: readonly string[];
  /** With `below`: it is a list of such paths, one per line. */
  readonly isList?: boolean;
  /** It is a number: no blanks, no globs. */
  readonly isNumber?: boolean;
  /** With `isNumber`: it may be empty instead. */
  readonly mayBeEmpty?: boolean;
  /** It is the number of a process that this shell has started (`$!`). */
  readonly isOwnProcess?: boolean;
}

/** A value that is known. */
export function known(text: string): Value {
  return { text, prefix: text };
}

/** Some number. */
export const NUMBER: Value = { text: undefined, prefix: '', isNumber: true };

/** Whether it is certainly a number. */
export function isNumeric({ text, isNumber, mayBeEmpty }: Value): boolean {
  return text === undefined ? isNumber === true && mayBeEmpty !== true : /^-?\d+$/.test(text);
}

/** A value of which nothing is known. */
export const UNKNOWN: Value = { text: undefined, prefix: '' };
