/** `tenon rules list` and `tenon rules show`. */
import type { CommandCall } from '@tenon/command-line/api';
import { plainLine, plainText } from '@tenon/wording';
import type { TenonError } from '@tenon/kernel';
import type { KnownRule, Rules } from './api.ts';
import { unknownRule } from './rule-scheme.ts';
import { StreamRule } from './stream/stream-rule.ts';

/** Lists the rules of the folder, and what is wrong with their conditions. */
export async function listRules(rules: Rules, { io, flags, cwd, signal }: CommandCall): Promise<void> {
  const all = await rules.list(cwd, signal);
  const problems = all.filter(({ use }) => use === 'stream').flatMap((rule) => problemsOf(rule, cwd));
  if (flags['json'] === true) {
    return io.json({
      rules: all.map(({ content, ...rule }) => ({ ...rule, chars: content.length })),
      problems: problems.map(asData),
    });
  }
  if (all.length === 0) await io.out('There are no rules here.\n');
  const width = Math.max(0, ...all.map(({ name }) => name.length));
  for (const rule of all) {
    await io.out(`${plainLine(rule.name).padEnd(width)}  ${rule.use.padEnd(6)}  ${plainLine(aboutOf(rule))}\n`);
  }
  for (const problem of problems) await io.err(`${plainText(problem.message)} ${plainText(problem.next)}\n`);
}

/** Shows one rule. */
export async function showRule(rules: Rules, { io, args, flags, cwd, signal }: CommandCall): Promise<void> {
  const all = await rules.list(cwd, signal);
  const name = String(args['name']);
  const rule = all.find((entry) => entry.name === name);
  if (!rule) throw unknownRule(name, all);
  if (flags['json'] === true) return io.json(rule);
  await io.out(`${plainLine(rule.path)} (${rule.family}, ${rule.level}, ${rule.use})\n\n${plainText(rule.content)}\n`);
}

function problemsOf(rule: KnownRule, cwd: string): TenonError[] {
  const problems: TenonError[] = [];
  void new StreamRule(rule, cwd, (problem) => problems.push(problem));
  return problems;
}

function asData({ code, message, next }: TenonError): object {
  return { code, message, next };
}

function aboutOf({ description, globs, condition, scope, path }: KnownRule): string {
  const parts = [
    description?.replace(/\s+/g, ' '),
    globs && globs.length > 0 && `files: ${globs.join(', ')}`,
    condition && condition.length > 0 && `when: ${condition.join(' | ')}`,
    scope && scope.length > 0 && `in: ${scope.join(', ')}`,
    path,
  ];
  return parts.filter(Boolean).join(' · ');
}
