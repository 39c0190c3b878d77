import type { CommandCall } from '@tenon/command-line/api';
import { errors } from '../errors.ts';

/** The exit codes of `grep`: found, nothing found, something is wrong. */
export const FOUND = 0;
export const NOTHING_FOUND = 1;
export const TROUBLE = 2;

/** A flag that takes a whole number. */
export function numberFlag({ flags }: CommandCall, command: string, name: string, fallback: number, least = 1): number {
  const text = flags[name];
  if (text === undefined) return fallback;
  const value = Number(text);
  if (Number.isInteger(value) && value >= least) return value;
  throw errors.create('TOOLS_FLAG_VALUE', {
    flag: `--${name}`,
    expected: `a whole number from ${least} on`,
    value: String(text),
    command,
  });
}

/** The paths that were named; the working folder if there are none. */
export function pathsOf({ args }: CommandCall): string[] {
  const words = args['paths'];
  const paths = words === undefined ? [] : Array.isArray(words) ? words : [words];
  return paths.length > 0 ? paths : ['.'];
}
