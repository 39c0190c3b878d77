/** What "for this session" and "always" allow: calls like the one that was asked about, and nothing wider. */
import type { ToolCallEvent } from '@tenon/tools/api';
import type { Finding } from './judge/finding.ts';
import { RULES } from './judge/rules/index.ts';
import type { RuleData } from './policy/rule.ts';

/** The rules that would have let a call through. */
export function rulesFor(
  { tool, fingerprint }: Pick<ToolCallEvent, 'tool' | 'fingerprint'>,
  open: readonly Finding[],
  digest: string,
  isCommand: boolean,
): RuleData[] {
  const isDangerous = open.some(({ tier }) => tier === 3);
  const isLeaving = open.some(({ leaves }) => leaves !== undefined);
  const exact: RuleData = {
    decide: 'allow',
    tool,
    call: digest,
    ...(isLeaving && { sandbox: 'outside' }),
    ...(isDangerous && { tier3: true }),
  };
  // What destroys is never allowed by likeness.
  if (isDangerous) return [exact];
  const rules = open.map((finding) => ruleFor(tool, finding, isCommand));
  if (rules.includes(undefined)) return [exact];
  // A tool of a stranger that changes what it says is another tool: it is asked about again.
  const bound = (rules as RuleData[]).map((rule) => (fingerprint === undefined ? rule : { ...rule, fingerprint }));
  const distinct = [...new Map(bound.map((rule) => [JSON.stringify(rule), rule])).values()];
  // A rule for leaving the sandbox covers what the program does inside of it, too.
  const outside = new Set(distinct.filter(({ sandbox }) => sandbox).map(({ command }) => JSON.stringify(command)));
  return distinct.filter(({ sandbox, command }) => sandbox !== undefined || !outside.has(JSON.stringify(command)));
}

function ruleFor(tool: string, { argv, path, leaves }: Finding, isCommand: boolean): RuleData | undefined {
  const sandbox = leaves === undefined ? {} : { sandbox: leaves };
  if (argv !== undefined) {
    if (argv.includes(undefined)) return undefined;
    const words = (argv as string[]).map((word) => word.replaceAll('*', '\\*'));
    const [name = '', verb] = words;
    const hasVerbs = RULES.get(name)?.subcommands !== undefined && verb !== undefined && !verb.startsWith('-');
    return { decide: 'allow', tool, command: hasVerbs ? [name, verb, '*'] : words, ...sandbox };
  }
  if (path !== undefined) return { decide: 'allow', tool, path: path.replace(/[*?{}]/g, '?') };
  return isCommand ? undefined : { decide: 'allow', tool };
}
