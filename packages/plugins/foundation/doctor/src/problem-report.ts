/** A report for whoever helps with a problem. One text that its author can read before it is shared. */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { KernelView } from '@tenon/host';
import { messageOf } from '@tenon/kernel';
import { createRedactor, secretHider, secretValuesOf } from '@tenon/log';
import { plainText } from '@tenon/wording';
import { errors } from './errors.ts';
import { type CheckReport, reportText } from './report.ts';

const MAX_LOG_BYTES = 256 * 1024;
const MAX_LOG_LINES = 500;

/** What the report is made from. */
export interface ReportParts {
  readonly kernel: KernelView;
  readonly checks: readonly CheckReport[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: Date;
}

/** Writes the report to a new file, for the user alone. */
export async function writeReport(file: string, parts: ReportParts): Promise<void> {
  const text = await problemReport(parts);
  try {
    const handle = await open(file, 'wx', 0o600);
    try {
      await handle.writeFile(text);
    } finally {
      await handle.close();
    }
  } catch (fault) {
    throw errors.create('DOCTOR_REPORT_FILE', { file, reason: messageOf(fault) }, fault);
  }
}

/** The report as Markdown, without secrets and without the name of the home folder. */
export async function problemReport({ kernel, checks, env, now }: ReportParts): Promise<string> {
  const { state, home } = kernel.folders;
  const redact = createRedactor(secretValuesOf(env));
  const sections = [
    ['What the checks found', reportText(checks, { color: false })],
    ['Settings that differ from their defaults', await changedSettings(kernel, secretHider(env))],
    ['The end of the log', await endOf(join(state, 'log', 'tenon.jsonl'))],
    ['The end of the log of the keeper', await endOf(join(state, 'runs', 'keeper.log'))],
  ] as const;
  const body = sections.map(([title, text]) => `## ${title}\n\n${fenced(plainText(text).trim() || 'Nothing.')}\n`);
  const whole = redact([`# Tenon ${kernel.version}, ${now.toISOString()}\n`, ...body].join('\n'));
  return home.length > 1 ? whole.replaceAll(home, '~') : whole;
}

/** As a block of Markdown, whatever fences are in it. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

async function changedSettings(kernel: KernelView, hidden: ReturnType<typeof secretHider>): Promise<string> {
  try {
    await kernel.settings.load();
    const values = await kernel.settings.list();
    return values
      .filter(({ layer }) => layer !== 'default')
      .map(({ key, value, where }) => `${key} = ${JSON.stringify(hidden(key, value))} (${where})`)
      .join('\n');
  } catch (fault) {
    return `The settings cannot be read: ${messageOf(fault)}`;
  }
}

/** The last lines of a file, whole. */
async function endOf(file: string): Promise<string> {
  try {
    const handle = await open(file);
    try {
      const { size } = await handle.stat();
      const start = Math.max(0, size - MAX_LOG_BYTES);
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - start), 0, size - start, start);
      const lines = buffer.toString('utf8', 0, bytesRead).split('\n');
      return (start > 0 ? lines.slice(1) : lines).filter(Boolean).slice(-MAX_LOG_LINES).join('\n');
    } finally {
      await handle.close();
    }
  } catch (fault) {
    return (fault as NodeJS.ErrnoException).code === 'ENOENT' ? '' : `It cannot be read: ${messageOf(fault)}`;
  }
}
