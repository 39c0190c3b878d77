/** What a person can answer, and what each answer means. */
import type { Extent, HeldApproval, WayOut } from './api.ts';
import type { RuleData } from './policy/rule.ts';
import { visible } from './question.ts';

/** An answer: no, or how far a yes goes. */
export type Choice = { readonly extent: Extent; readonly way?: WayOut } | 'deny';

/** What the answers follow from. Only this process knows the rules of what it asks. */
export interface Offered extends Pick<HeldApproval, 'expected' | 'refused' | 'ways' | 'onlyOnce'> {
  readonly rules?: readonly RuleData[];
  readonly widerRules?: readonly RuleData[];
}

/** The answers to offer, by what the person reads. */
export function choicesFor(held: Offered, hasSession: boolean): ReadonlyMap<string, Choice> {
  const all = allChoices(held, hasSession);
  if (held.onlyOnce !== true) return all;
  return new Map([...all].filter(([, choice]) => choice === 'deny' || choice.extent === 'once'));
}

function allChoices(held: Offered, hasSession: boolean): ReadonlyMap<string, Choice> {
  if (held.expected !== undefined) return widerChoices(held, hasSession);
  if (held.refused === undefined) {
    return new Map<string, Choice>([
      ['Allow once', { extent: 'once' }],
      ...(hasSession ? [['Allow for this session', { extent: 'session' }] as const] : []),
      ['Always allow (writes a policy rule)', { extent: 'always' }],
      ['Deny', 'deny'],
    ]);
  }
  return new Map<string, Choice>([
    ...(held.ways?.includes('network') === true
      ? [['Run it once with the network, still in the sandbox', { extent: 'once', way: 'network' }] as const]
      : []),
    ['Run it once outside of the sandbox', { extent: 'once', way: 'outside' }],
    [
      `Always run this outside of the sandbox (writes a policy rule: ${wordsOf(held.rules ?? [])})`,
      { extent: 'always', way: 'outside' },
    ],
    ['No', 'deny'],
  ]);
}

const WAYS: Readonly<Record<WayOut, string>> = { network: 'with the network', outside: 'outside of the sandbox' };

/** For a command that has not run, and that the sandbox would stop. */
function widerChoices({ ways = [], widerRules = [] }: Offered, hasSession: boolean): ReadonlyMap<string, Choice> {
  // The narrowest that helps; who wants more for longer writes a rule.
  const way = ways[0] ?? 'outside';
  const words = wordsOf(widerRules);
  return new Map<string, Choice>([
    ...ways.map((one) => [`Allow once, ${WAYS[one]}`, { extent: 'once', way: one }] as const),
    ['Allow once, in the sandbox as it is', { extent: 'once' }],
    ...(hasSession ? [[`Allow for this session, ${WAYS[way]} (${words})`, { extent: 'session', way }] as const] : []),
    [`Always allow, ${WAYS[way]} (writes a policy rule: ${words})`, { extent: 'always', way }],
    ['Deny', 'deny'],
  ]);
}

/** The rules that an answer for longer would write. */
export function rulesBy(
  { rules = [], widerRules }: Pick<Offered, 'rules' | 'widerRules'>,
  way: WayOut | undefined,
): readonly RuleData[] {
  const taken = way === undefined ? rules : (widerRules ?? rules);
  const isNarrow = ({ sandbox }: RuleData) => way === 'network' && sandbox !== undefined;
  return taken.map((rule) => (isNarrow(rule) ? { ...rule, sandbox: 'network' } : rule));
}

function wordsOf(rules: readonly RuleData[]): string {
  const words = rules.map(({ command, path }) =>
    command === undefined ? (path ?? 'exactly this call') : textOf(command),
  );
  return visible([...new Set(words)].join(', '));
}

function textOf(command: string | readonly string[]): string {
  return typeof command === 'string' ? command : command.join(' ');
}
