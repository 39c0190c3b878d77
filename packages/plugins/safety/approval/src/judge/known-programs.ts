import { BUILTINS } from './builtins.ts';
import { RULES } from './rules/index.ts';
import { INTERPRETERS, SHELLS } from './rules/interpreters.ts';
import { WRAPPERS } from './rules/wrappers.ts';

/** Whether there is anything to say about a program of this name. */
export function isKnownProgram(name: string): boolean {
  return RULES.has(name) || WRAPPERS.has(name) || SHELLS.has(name) || INTERPRETERS.has(name) || BUILTINS.has(name);
}
