/** Rules of a policy, as they are written and as they are used. */
import type { WayOut } from '../api.ts';

/** What a rule says. Deny beats ask, ask beats allow. */
export type Decision = 'allow' | 'ask' | 'deny';

/** A rule as it stands in a file. All conditions must hold. */
export interface RuleData {
  readonly decide: Decision;
  /** Names of tools; `*` stands for anything. */
  readonly tool?: string | readonly string[];
  /** The words of a program's call: `git push *`. */
  readonly command?: string | readonly string[];
  /** A glob for files; relative ones start at the workspace, or at the project for the policy of one. */
  readonly path?: string;
  /** The fingerprint of exactly one call. */
  readonly call?: string;
  /** The fingerprint of what a stranger says about a tool: the rule does not hold for the tool when that changes. */
  readonly fingerprint?: string;
  /** Lets an allow rule hold for leaving the sandbox too: for the network alone, or altogether. */
  readonly sandbox?: WayOut;
  /** Lets an allow rule hold for tier 3 too. */
  readonly tier3?: boolean;
  /** Shown with a refusal. */
  readonly reason?: string;
  readonly examples?: { readonly match?: readonly string[]; readonly not?: readonly string[] };
}

/** A rule with the place that it comes from. */
export interface PolicyRule extends RuleData {
  readonly file: string;
  readonly line: number;
  /** The folder that relative globs start at; the workspace when absent. */
  readonly base?: string;
}

/** The keys of a rule, for checking files. */
export const RULE_KEYS = [
  'decide',
  'tool',
  'command',
  'path',
  'call',
  'fingerprint',
  'sandbox',
  'tier3',
  'reason',
  'examples',
] as const;
