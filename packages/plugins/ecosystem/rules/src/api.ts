/** What other plugins may use of the rules: what there is for a folder, in the groups that decide how each is used. */
import { service } from '@tenon/kernel';
import type { Rule } from '@tenon/discovery/api';

/**
 * How a rule reaches the model. `always`: its text is in the system prompt. `listed`: name and description are there, and
 * the model reads the rest. `files`: it comes with the result of the first call that touches such a file. `stream`: it cuts
 * in when the model writes something. `manual`: only when somebody reads it.
 */
export type RuleUse = 'always' | 'listed' | 'files' | 'stream' | 'manual';

/** A rule, whose it is and how it is used. */
export interface KnownRule extends Rule {
  readonly use: RuleUse;
  readonly family: string;
  readonly level: 'user' | 'project';
  readonly bundle?: string;
  /** True when it comes from a project that the user has not trusted. */
  readonly isUntrusted?: boolean;
}

/** Finds rules. */
export interface Rules {
  /** All rules that hold in a folder. */
  list(cwd: string, signal?: AbortSignal): Promise<readonly KnownRule[]>;
}

/** The rules of a folder. */
export const rulebook = service<Rules>('rulebook');

export { errors } from './errors.ts';
