/** What a policy and the mode say about a call. */
import type { Tier } from '../api.ts';
import { type Finding, reasonsOf, worstTier } from '../judge/finding.ts';
import { type Match, matchName, matchWords, pathPattern, patternWords } from './patterns.ts';
import type { PolicyRule } from './rule.ts';

/** How much is asked. */
export type Mode = 'ask' | 'strict' | 'yolo';

/** A call that was judged. */
export interface JudgedCall {
  readonly tool: string;
  readonly findings: readonly Finding[];
  /** The fingerprint of the call. */
  readonly digest: string;
  /** What tells the tool of a stranger from another of the same name. */
  readonly fingerprint?: string;
  readonly workspace: string;
  readonly home: string;
  /** Whether a sandbox confines what the call runs. */
  readonly confined: boolean;
}

/** What is to be done. `open` are the findings that nobody has allowed. */
export type Verdict =
  | { readonly kind: 'allow' }
  | { readonly kind: 'deny'; readonly reason: string; readonly rule: PolicyRule }
  | {
      readonly kind: 'ask';
      readonly tier: Tier;
      readonly reasons: readonly string[];
      readonly open: readonly Finding[];
    };

const ASKS_FROM: Readonly<Record<Mode, Tier>> = { strict: 1, ask: 2, yolo: 3 };

/** Decides: deny beats ask, ask beats allow, and allow holds for tier 3 only where it says so. */
export function decide(call: JudgedCall, rules: readonly PolicyRule[], mode: Mode): Verdict {
  const hits = rules.map((rule) => ({ rule, hits: call.findings.map((finding) => hitOf(rule, finding, call)) }));
  const denied = hits.find(({ rule, hits: found }) => rule.decide === 'deny' && found.includes('yes'));
  if (denied) return { kind: 'deny', reason: ruleReason(denied.rule), rule: denied.rule };
  const asks = hits.filter(
    ({ rule, hits: found }) =>
      (rule.decide === 'ask' && found.some((hit) => hit !== 'no')) ||
      (rule.decide === 'deny' && found.includes('maybe')),
  );
  const open = call.findings.filter((finding, index) => {
    if (finding.tier < ASKS_FROM[mode] && finding.leaves === undefined) return false;
    // Confinement answers what nobody can know. Who chose `strict` wants to know.
    if (finding.unclear === true && call.confined && mode !== 'strict') return false;
    return !hits.some(
      ({ rule, hits: found }) =>
        rule.decide === 'allow' &&
        found[index] === 'yes' &&
        (finding.tier < 3 || rule.tier3 === true) &&
        letsOut(rule, finding),
    );
  });
  if (asks.length === 0 && open.length === 0) return { kind: 'allow' };
  const asked = asks.flatMap(({ hits: found }) => call.findings.filter((_, index) => found[index] !== 'no'));
  const all = [...new Set([...open, ...asked])];
  return {
    kind: 'ask',
    tier: worstTier(all),
    reasons: [...asks.map(({ rule }) => ruleReason(rule)), ...reasonsOf(all)],
    open: all,
  };
}

/** Nobody means to open the sandbox with a rule that does not say so; an exact call was shown as it is. */
function letsOut({ sandbox, call }: PolicyRule, { leaves }: Finding): boolean {
  if (leaves === undefined || sandbox === 'outside' || sandbox === leaves) return true;
  return call !== undefined && sandbox === undefined;
}

/** Whether a rule speaks of a finding. */
export function hitOf(rule: PolicyRule, finding: Finding, call: JudgedCall): Match {
  const names = finding.like === undefined ? [call.tool] : [call.tool, finding.like];
  const { tool } = rule;
  if (tool !== undefined && !names.some((name) => matchName(tool, name))) return 'no';
  if (rule.call !== undefined && rule.call !== call.digest) return 'no';
  if (rule.fingerprint !== undefined && rule.fingerprint !== call.fingerprint) return 'no';
  if (rule.path !== undefined) {
    if (finding.path === undefined) return 'no';
    const pattern = pathPattern(rule.path, { base: rule.base ?? call.workspace, home: call.home });
    if (!pattern.test(finding.path)) return 'no';
  }
  if (rule.command === undefined) return 'yes';
  return finding.argv === undefined ? 'no' : matchWords(patternWords(rule.command), finding.argv);
}

function ruleReason({ reason, file, line, decide: verb }: PolicyRule): string {
  return reason ?? `a rule says ${verb} (${file}:${line})`;
}
