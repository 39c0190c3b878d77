/** Tries the examples of rules when a policy is loaded, so that a rule that does not do what its author thinks is found at once. */
import { resolve } from 'node:path';
import { errors } from '../errors.ts';
import type { Finding } from '../judge/finding.ts';
import { hitOf, type JudgedCall } from './decide.ts';
import type { PolicyRule } from './rule.ts';

/** What trying examples needs. */
export interface ExampleHost {
  readonly workspace: string;
  readonly home: string;
  /** What a command could do. */
  assess(command: string): Promise<readonly Finding[]>;
}

/** Throws for the first example that a rule treats otherwise than it says. */
export async function checkExamples(rules: readonly PolicyRule[], host: ExampleHost): Promise<void> {
  for (const rule of rules) {
    for (const text of rule.examples?.match ?? [])
      if (!(await fits(rule, text, host))) throw failed(rule, text, 'does not match');
    for (const text of rule.examples?.not ?? [])
      if (await fits(rule, text, host)) throw failed(rule, text, 'matches, but must not');
  }
}

function failed({ file, line }: PolicyRule, text: string, what: string): Error {
  return errors.create('APPROVAL_POLICY_INVALID', { file, line, problem: `the rule ${what} its example \`${text}\`` });
}

async function fits(rule: PolicyRule, text: string, host: ExampleHost): Promise<boolean> {
  const [only] = typeof rule.tool === 'string' ? [rule.tool] : (rule.tool ?? []);
  const isToolRule = rule.command === undefined && rule.path === undefined;
  // An example of a rule about tools is the name of one; otherwise any tool that fits will do.
  const tool = isToolRule ? text : rule.command === undefined ? (only ?? 'read') : 'bash';
  const call: JudgedCall = {
    tool,
    findings: [],
    digest: rule.call ?? '',
    workspace: host.workspace,
    home: host.home,
    confined: false,
  };
  const base = rule.base ?? host.workspace;
  const findings: readonly Finding[] =
    rule.command !== undefined
      ? await host.assess(text)
      : rule.path !== undefined
        ? [{ tier: 0, reason: '', path: text.startsWith('~/') ? host.home + text.slice(1) : resolve(base, text) }]
        : [{ tier: 0, reason: '' }];
  const effective = rule.command !== undefined && rule.tool !== undefined ? { ...rule, tool: '*' } : rule;
  return findings.some((finding) => hitOf(effective, finding, call) === 'yes');
}
