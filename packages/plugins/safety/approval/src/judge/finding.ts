import type { TextSpan } from '@tenon/tools/api';
import type { Tier, WayOut } from '../api.ts';

/** What a rule says about a program, a flag or a word: how risky it is, and the end of the sentence "`git push` …". */
export interface Effect {
  readonly tier: Tier;
  readonly why: string;
}

/** Where output comes from, as far as it matters to whoever runs it as code. */
export type Trait = 'network' | 'decoded';

/** One thing that a call would do. A command has at least one for every program that it runs. */
export interface Finding {
  readonly tier: Tier;
  /** Empty when there is nothing to say against it. */
  readonly reason: string;
  /** The words of the program's call; unknown ones are undefined. Policies match these. */
  readonly argv?: readonly (string | undefined)[];
  /** Where it stands in the text of the command, where that is known; otherwise the words are looked for. */
  readonly span?: TextSpan;
  /** The file that is touched, absolute. */
  readonly path?: string;
  /** The file is changed, not only read; said where that is a reason to ask. */
  readonly changes?: true;
  readonly trait?: Trait;
  /** True when it only says that something is not understood: where a sandbox confines the call, that is no reason to ask. */
  readonly unclear?: true;
  /** Another tool that would do the same: rules about that one hold too. */
  readonly like?: string;
  /** How far the program leaves the sandbox: such a finding is asked about in every mode, and allowed only by rules that say so. */
  readonly leaves?: WayOut;
}

/** A finding that says "nobody can know" unless it is certain danger. */
export function unclearBelow3(finding: Finding): Finding {
  return finding.tier < 3 ? { ...finding, unclear: true } : finding;
}

/** The highest tier among findings. */
export function worstTier(findings: readonly Finding[]): Tier {
  return findings.reduce<Tier>((worst, { tier }) => (tier > worst ? tier : worst), 0);
}

/** What makes the call so risky: the reasons of the highest tier first, each once. */
export function reasonsOf(findings: readonly Finding[]): string[] {
  const telling = findings.filter(({ reason, tier }) => reason !== '' && tier > 0);
  return [...new Set(telling.toSorted((left, right) => right.tier - left.tier).map(({ reason }) => reason))];
}
