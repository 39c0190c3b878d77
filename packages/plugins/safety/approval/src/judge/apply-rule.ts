/** Applies a rule of the tables to one call of a program. */
import type { ProgramCall } from './bench.ts';
import { findingOf, judgeBase } from './rule-findings.ts';
import { findFlags, type Options, readOptions } from './options.ts';
import type { Touch } from './places.ts';
import { byName, type Rule } from './rules/rule.ts';
import { SPECIALS } from './special/index.ts';
import type { Word } from './words.ts';

/** Judges a call by its rule. */
export async function applyRule(call: ProgramCall, rule: Rule): Promise<void> {
  const takes = [rule.takes, rule.writes, rule.runs, rule.loads].filter((part) => part !== undefined).join(' ');
  const stops = rule.subcommands !== undefined;
  const options = readOptions(call.args, { takes, longFlags: rule.longFlags, stops });
  await judgeFlags(call, rule, options);
  const special = rule.special === undefined ? undefined : SPECIALS[rule.special];
  if (rule.subcommands && options.rest.length > 0) {
    // Globals such as `git -c` have a check of their own.
    if (special) await special(call, options, rule);
    return subcommand(call, rule, options);
  }
  const isLooking = findFlags(options.flags, rule.looks).length > 0;
  const replaces = special === undefined ? undefined : await special(call, options, rule);
  if (replaces === 'judged') return;
  judgeBase(call, isLooking ? { ...rule, tier: 0 } : rule);
  if (!isLooking) judgeWords(call, rule, options.operands);
  judgeOperands(call, isLooking ? { ...rule, operands: 'read' } : rule, options.operands);
}

async function subcommand(call: ProgramCall, rule: Rule, options: Options): Promise<void> {
  const [first, ...args] = options.rest as [Word, ...Word[]];
  const name = first.value;
  const subrule = name === undefined ? undefined : byName(rule.subcommands ?? {}).get(name);
  const unknown: Rule = { tier: 2, why: 'is not known', operands: 'text', unclear: true };
  const next = subrule ?? rule.otherwise ?? unknown;
  const shown = `${call.name} ${name ?? first.text}`;
  // Policies match the words without the program's own flags in front: `git -C x push` is `git push`.
  const argv = [...call.name.split(' '), name, ...args.map(({ value }) => value)];
  // `otherwise` may itself look at the words: of `gh pr list`, `pr` is not listed and `list` is.
  await applyRule({ ...call, name: shown, args, argv }, next);
}

async function judgeFlags(call: ProgramCall, rule: Rule, { flags }: Options): Promise<void> {
  const { judge, state, argv } = call;
  for (const [names, effect] of Object.entries(rule.flags ?? {})) {
    const [flag] = findFlags(flags, names);
    if (flag) judge.add(findingOf(call, effect, flag.name));
  }
  for (const { value } of findFlags(flags, rule.writes)) if (value) judge.touch('write', value, state, argv);
  for (const { value, name } of findFlags(flags, rule.loads)) {
    if (value) judge.add({ tier: 2, reason: `\`${call.name} ${name}\` loads code`, argv, unclear: true });
  }
  for (const { value, name } of findFlags(flags, rule.runs)) {
    if (value?.value !== undefined) await judge.script(value.value.replace(/^[!:]+/, ''), state.fork());
    else if (value)
      judge.add({
        tier: 2,
        reason: `\`${call.name} ${name}\` runs a command that is only known when it runs`,
        argv,
        unclear: true,
      });
  }
}

function judgeWords(call: ProgramCall, rule: Rule, operands: readonly Word[]): void {
  for (const { match, ...effect } of rule.words ?? []) {
    const operand = operands.find(({ value, prefix }) => match.test(value ?? prefix));
    if (operand) call.judge.add(findingOf(call, effect, operand.text.slice(0, 40)));
  }
}

function judgeOperands(call: ProgramCall, rule: Rule, operands: readonly Word[]): void {
  const { judge, state, argv } = call;
  const each = (kind: Touch, words: readonly Word[]) => {
    for (const word of words) judge.touch(kind, word, state, argv);
  };
  const last = operands.slice(-1);
  const others = operands.slice(0, -1);
  const role = rule.operands ?? 'read';
  switch (role) {
    case 'text':
      return;
    case 'copy':
      each('read', others);
      return each('write', operands.length > 1 ? last : []);
    case 'move':
      each('move', others);
      return each('write', operands.length > 1 ? last : []);
    case 'link':
      each('link', others.length > 0 ? others : operands);
      return each('write', others.length > 0 ? last : []);
    case 'second-written':
      each('read', operands.slice(0, 1));
      return each('write', operands.slice(1, 2));
    case 'read':
    case 'write':
    case 'delete':
      return each(role, operands);
  }
}
