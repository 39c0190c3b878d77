import type { CommandCall } from '@tenon/command-line/api';
import { counted, didYouMean, plainLine } from '@tenon/wording';
import { type Entry, messageOf, type Registry, TenonError } from '@tenon/kernel';
import type { DoctorCheck, DoctorFinding } from './api.ts';
import { errors } from './errors.ts';

/** What one check found. */
export interface CheckReport {
  readonly check: string;
  readonly title: string;
  readonly findings: readonly DoctorFinding[];
}

const LAST = 100;

/** Runs the checks (all, or those named) one after the other, in their order. */
export async function runChecks(
  registry: Registry<DoctorCheck>,
  names: readonly string[],
  signal: AbortSignal,
): Promise<CheckReport[]> {
  const all = [...registry.list()].sort((a, b) => orderOf(a) - orderOf(b) || (a.key < b.key ? -1 : 1));
  const checks = all.map(({ key }) => key);
  for (const check of names) {
    if (!checks.includes(check)) {
      throw errors.create('DOCTOR_UNKNOWN_CHECK', { check, hint: didYouMean(check, checks), checks });
    }
  }
  const reports: CheckReport[] = [];
  for (const { key, data } of all) {
    if (names.length > 0 && !names.includes(key)) continue;
    signal.throwIfAborted();
    const findings = await runOne(registry, key, signal);
    reports.push({ check: key, title: typeof data['title'] === 'string' ? data['title'] : key, findings });
  }
  return reports;
}

function orderOf({ data }: Entry<DoctorCheck>): number {
  return typeof data['order'] === 'number' ? data['order'] : LAST;
}

/** A check that fails is a finding itself; the others still run. */
async function runOne(
  registry: Registry<DoctorCheck>,
  key: string,
  signal: AbortSignal,
): Promise<readonly DoctorFinding[]> {
  try {
    return await (await registry.resolve(key)).run({ signal });
  } catch (fault) {
    signal.throwIfAborted();
    // A plugin that could not start has said why, and what to do about it.
    if (fault instanceof TenonError)
      return [{ name: key, status: 'problem', text: fault.message.trim().replaceAll(/\s+/g, ' '), next: fault.next }];
    const owner = registry.get(key)?.source.plugin ?? 'unknown';
    const next = `Report this to the author of plugin "${owner}".`;
    return [{ name: key, status: 'problem', text: `the check itself failed: ${messageOf(fault)}`, next }];
  }
}

/** Whether anything makes `tenon doctor` fail. */
export function hasProblem(reports: readonly CheckReport[]): boolean {
  return reports.some(({ findings }) => findings.some(({ status }) => status === 'problem'));
}

const MARKS = { ok: 'ok', warning: 'warning', problem: 'PROBLEM' } as const;
const COLORS = { ok: 32, warning: 33, problem: 31 } as const;

/** The report as a person reads it. */
export function reportText(reports: readonly CheckReport[], { color }: Pick<CommandCall['io'], 'color'>): string {
  const paint = (code: number, text: string) => (color ? `\u001b[${code}m${text}\u001b[0m` : text);
  const parts = reports.map(({ title, findings }) => {
    const width = Math.max(0, ...findings.map(({ name }) => name.length));
    const lines = findings.map(({ name, status, text, next }) => {
      const mark = paint(COLORS[status], MARKS[status].padEnd(7));
      return `  ${mark}  ${name.padEnd(width)}  ${plainLine(text)}${next ? `\n           next: ${plainLine(next)}` : ''}\n`;
    });
    return `${paint(1, title)}\n${lines.join('')}`;
  });
  const count = (status: DoctorFinding['status']) =>
    reports.reduce((sum, { findings }) => sum + findings.filter((finding) => finding.status === status).length, 0);
  const [problems, warnings] = [count('problem'), count('warning')];
  const verdict =
    problems > 0 ? 'Something needs your attention' : warnings > 0 ? 'It works, with limits' : 'All is well';
  return `${parts.join('\n')}\n${verdict}: ${counted(problems, 'problem')}, ${counted(warnings, 'warning')}.\n`;
}
