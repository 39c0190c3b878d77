/** Points at the tool that does a simple command's work better. */
import type { ShellToolsSettings } from './generated/settings.ts';
import type { SimpleCommand } from './bash-syntax.ts';

/** When a command is refused, and what to use instead. */
export type InterceptionRule = ShellToolsSettings['interceptRules'][number];

/** What was found. */
export interface Interception {
  readonly tool: string;
  readonly message: string;
}

/** The first rule that fits, if its tool can be used. */
export function findInterception(
  command: SimpleCommand,
  rules: readonly InterceptionRule[],
  isActive: (tool: string) => boolean,
): Interception | undefined {
  const rule = rules.find((candidate) => fits(candidate, command) && isActive(candidate.tool));
  return rule && { tool: rule.tool, message: rule.message };
}

function fits(rule: InterceptionRule, command: SimpleCommand): boolean {
  const has = (options: readonly string[] = []) =>
    command.args.some((arg) => options.some((option) => isOption(arg, option)));
  if (!rule.programs.includes(command.program)) return false;
  if ((rule.onlyWith && !has(rule.onlyWith)) || has(rule.notWith)) return false;
  if (rule.when === 'write') return command.writes.length > 0;
  if (rule.when === 'here-document') return command.writes.length > 0 && command.hasHereDocument;
  // Where the output goes into a file the work is another one: a copy, a list to be kept.
  if (command.writes.length > 0 || command.appends.length > 0 || command.hasHereDocument) return false;
  return rule.when !== 'file' || hasFile(command, rule.operands ?? 0);
}

/** True with an operand that is an ordinary file: what /dev, /proc and /sys hold is not to be read with a tool. */
function hasFile({ args }: SimpleCommand, skipped: number): boolean {
  const isValue = (arg: string, before = '') => /^\+?\d+$/.test(arg) && /^-[A-Za-z]$/.test(before);
  const operands = args.filter((arg, index) => !arg.startsWith('-') && !isValue(arg, args[index - 1])).slice(skipped);
  return operands.length > 0 && !operands.some((path) => /^\/(dev|proc|sys)\//.test(path));
}

/** `-i` is also in `-pi` and `-i.bak`, but not in `-Ilib`; long options may carry a value. */
function isOption(arg: string, option: string): boolean {
  if (option.startsWith('--')) return arg === option || arg.startsWith(`${option}=`);
  if (option.length !== 2) return arg === option;
  const letters = /^-[a-z]$/.test(option) ? /^-([a-z]+)/ : /^-([A-Za-z]+)$/;
  return letters.exec(arg)?.[1]?.includes(option.slice(1)) ?? false;
}
