/** Findings from the words of rules. */
import type { ProgramCall } from './bench.ts';
import type { Effect, Finding } from './finding.ts';
import type { Rule } from './rules/rule.ts';

/** The finding of the program as such. */
export function judgeBase({ judge, name, argv }: ProgramCall, { tier, why = '', trait, unclear }: Rule): void {
  const reason = tier === 0 ? '' : `\`${name}\` ${why}`;
  judge.add({ tier, reason, argv, ...(trait && { trait }), ...(unclear && { unclear }) });
}

/** A finding for an effect of a flag or word. */
export function findingOf({ name, argv }: ProgramCall, { tier, why }: Effect, detail = ''): Finding {
  return { tier, reason: tier === 0 ? '' : `\`${[name, detail].join(' ').trim()}\` ${why}`, argv };
}
