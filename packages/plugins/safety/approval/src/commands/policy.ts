/** `tenon policy check|list`. */
import { resolve } from 'node:path';
import type { CommandCall } from '@tenon/command-line/api';
import { plainLine } from '@tenon/wording';
import { TenonError } from '@tenon/kernel';
import { errors } from '../errors.ts';
import type { PolicyRule } from '../policy/rule.ts';
import type { CommandParts } from './parts.ts';

/** `tenon policy check`; the exit code is 1 when a policy is invalid. */
export async function checkPolicy({ policies }: CommandParts, { io, flags, args, cwd }: CommandCall): Promise<number> {
  const file = args['file'];
  const origins = typeof file === 'string' ? [{ file: resolve(cwd, file) }] : policies.origins(cwd);
  const results: { file: string; rules?: number; examples?: number; problem?: string }[] = [];
  for (const origin of origins) {
    try {
      const rules = await policies.read(origin);
      if (rules === undefined && typeof file === 'string')
        throw errors.create('APPROVAL_POLICY_MISSING', { file: origin.file });
      if (rules)
        results.push({
          file: origin.file,
          rules: rules.length,
          examples: rules.reduce((sum, rule) => sum + exampleCount(rule), 0),
        });
    } catch (fault) {
      if (!(fault instanceof TenonError)) throw fault;
      results.push({ file: origin.file, problem: fault.message });
    }
  }
  const isValid = results.every(({ problem }) => problem === undefined);
  if (flags['json']) await io.json({ valid: isValid, files: results });
  else if (results.length === 0)
    await io.err('There is no policy here. See "Policies" in `tenon read docs://guide/safety.md`.\n');
  for (const { file, rules, examples, problem } of flags['json'] ? [] : results) {
    if (problem === undefined) await io.out(`${plainLine(file)}: ${rules} rules, ${examples} examples, all right.\n`);
    else await io.err(`${plainLine(problem)}\n`);
  }
  return isValid ? 0 : 1;
}

function exampleCount({ examples }: PolicyRule): number {
  return (examples?.match?.length ?? 0) + (examples?.not?.length ?? 0);
}

/** `tenon policy list` */
export async function listPolicy({ policies, mode }: CommandParts, { io, flags, cwd }: CommandCall): Promise<void> {
  const loaded = await policies.load(cwd);
  const rows = loaded.flatMap(({ rules, ignored }) => [
    ...rules.map((rule) => ({ ...rule, active: true })),
    ...ignored.map((rule) => ({ ...rule, active: false })),
  ]);
  if (flags['json']) return io.json({ mode, rules: rows });
  await io.out(`Mode: ${mode}\n`);
  if (rows.length === 0) return io.err('No rule holds here. See "Policies" in `tenon read docs://guide/safety.md`.\n');
  for (const row of rows) {
    const what = [
      row.tool === undefined ? '' : `tool ${textOf(row.tool)}`,
      row.command === undefined ? '' : `command ${textOf(row.command)}`,
      row.path === undefined ? '' : `path ${row.path}`,
      row.call === undefined ? '' : `call ${row.call.slice(0, 12)}`,
      row.sandbox === undefined
        ? ''
        : row.sandbox === 'network'
          ? 'also with the network'
          : 'also outside of the sandbox',
      row.tier3 === true ? 'also tier 3' : '',
      row.active ? '' : 'ignored: the folder is not trusted',
    ];
    const shown = plainLine(what.filter((part) => part !== '').join(', '));
    await io.out(`${row.decide.padEnd(5)}  ${shown}  (${plainLine(row.file)}:${row.line})\n`);
  }
}

function textOf(value: string | readonly string[]): string {
  return typeof value === 'string' ? value : value.join(' ');
}
