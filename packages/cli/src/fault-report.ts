import { inspect } from 'node:util';
import { plainText } from '@tenon/wording';
import { type Diagnostic, messageOf, TenonError } from '@tenon/kernel';
import { errors } from './errors.ts';
import type { StopSignal } from './interrupts.ts';

/** How faults are shown. */
export interface ReportStyle {
  readonly color: boolean;
  /** Show where in the code a fault arose. */
  readonly verbose: boolean;
  /** One JSON object instead of text. */
  readonly json: boolean;
  readonly logFolder: string;
}

/** The report on the error that ended a command: what happened, what to do next, and its code. */
export function faultText(fault: unknown, style: ReportStyle): string {
  if (style.json) return `${JSON.stringify({ error: asData(fault) })}\n`;
  const [bold, dim] = [paint(style.color, 31), paint(style.color, 2)];
  const details = style.verbose ? `\n${dim(inspect(fault, { depth: 6 }))}\n` : '';
  if (fault instanceof TenonError) {
    const next = fault.next ? `  next: ${plainText(fault.next)}\n` : '';
    return `${bold('tenon:')} ${plainText(fault.message)}\n${next}  ${dim(`code: ${fault.code}`)}\n${details}`;
  }
  const hint = style.verbose ? '' : '  next: Run it again with --verbose for the details, and report them.\n';
  const log = style.logFolder ? `  ${dim(`log: ${style.logFolder}`)}\n` : '';
  return `${bold('tenon:')} Something failed that should not: ${plainText(messageOf(fault))}\n${hint}${log}${details}`;
}

/** One line that says who stopped the program: nobody should have to guess from an exit code. */
export function stoppedText(signal: StopSignal, style: Pick<ReportStyle, 'json' | 'color'>): string {
  const fault = errors.create(signal === 'SIGINT' ? 'CLI_STOPPED_BY_YOU' : 'CLI_STOPPED_BY_SIGNAL', { signal });
  if (style.json) return `${JSON.stringify({ error: fault })}\n`;
  return `${paint(style.color, 31)('tenon:')} ${fault.message}\n`;
}

function asData(fault: unknown): object {
  if (fault instanceof TenonError) return fault.toJSON();
  return {
    code: 'CLI_DEFECT',
    class: 'defect',
    owner: 'cli',
    message: messageOf(fault),
    next: 'Report this.',
    details: {},
  };
}

/** All findings of start-up in one report. The command still runs. */
export function diagnosticsText(diagnostics: readonly Diagnostic[], style: ReportStyle): string {
  if (diagnostics.length === 0) return '';
  if (style.json) {
    const data = diagnostics.map(({ severity, error }) => ({ severity, ...error.toJSON() }));
    return `${JSON.stringify({ diagnostics: data })}\n`;
  }
  const dim = paint(style.color, 2);
  const lines = diagnostics.map(({ severity, error }) => {
    const mark = severity === 'error' ? paint(style.color, 31)('problem') : paint(style.color, 33)('warning');
    const details = style.verbose ? `${dim(inspect(error, { depth: 6 }))}\n` : '';
    return `${mark}: ${plainText(error.message)}\n  next: ${plainText(error.next)}\n${details}`;
  });
  return `${lines.join('')}${dim('`tenon doctor` shows the whole picture.')}\n\n`;
}

function paint(color: boolean, code: number): (text: string) => string {
  return (text) => (color ? `\u001b[${code}m${text}\u001b[0m` : text);
}
