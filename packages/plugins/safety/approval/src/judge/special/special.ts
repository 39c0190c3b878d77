import type { ProgramCall } from '../bench.ts';
import type { Options } from '../options.ts';
import type { Rule } from '../rules/rule.ts';

/** `judged` means that the table has nothing to add. */
export type Outcome = 'judged' | undefined;

/** Looks at one call of a program. */
export type Special = (call: ProgramCall, options: Options, rule: Rule) => Outcome | Promise<Outcome>;
