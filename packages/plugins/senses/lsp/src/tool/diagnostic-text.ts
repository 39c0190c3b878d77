/** Diagnostics as results show them. */
import { displayPath } from '@tenon/tools/api';
import { counted, cutText, plainLine } from '@tenon/wording';
import type { Diagnostic } from 'vscode-languageserver-protocol';

/** Hints are no problems; they grey out unused names in editors. */
const HINT = 4;
const SEVERITIES = ['', 'error', 'warning', 'info', 'hint'];
/** The most messages that one result shows. */
export const SHOWN_MESSAGES = 50;
const MESSAGE_CHARS = 600;

/** What somebody should look at: without hints and repetitions, the worst first, then by line. */
export function notable(items: readonly Diagnostic[]): readonly Diagnostic[] {
  const seen = new Set<string>();
  const kept = items.filter((item) => {
    const key = keyOf(item, item.range.start.line);
    if ((item.severity ?? 1) >= HINT || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
  return kept.sort(
    (a, b) =>
      (a.severity ?? 1) - (b.severity ?? 1) ||
      a.range.start.line - b.range.start.line ||
      a.range.start.character - b.range.start.character,
  );
}

/** What makes two diagnostics the same, with the line where it is meant to be. */
export function keyOf({ range, message, code, severity }: Diagnostic, line: number): string {
  return JSON.stringify([
    line,
    range.start.character,
    severity ?? 1,
    typeof code === 'object' ? null : (code ?? null),
    message,
  ]);
}

/** `path:line:col [error] message (code)` */
export function diagnosticRow(item: Diagnostic, path: string, cwd: string): string {
  const { start } = item.range;
  const severity = SEVERITIES[item.severity ?? 1] ?? 'error';
  const source = [item.source, typeof item.code === 'object' ? undefined : item.code].filter(
    (part) => part !== undefined,
  );
  const origin = source.length > 0 ? ` (${plainLine(cutText(source.join(' '), 60))})` : '';
  const message = plainLine(
    cutText(typeof item.message === 'string' ? item.message : item.message.value, MESSAGE_CHARS),
  );
  return `${plainLine(displayPath(cwd, path))}:${start.line + 1}:${start.character + 1} [${severity}] ${message}${origin}`;
}

/** `2 errors, 1 warning` */
export function summaryOf(items: readonly Diagnostic[]): string {
  const count = (severity: number) => items.filter((item) => (item.severity ?? 1) === severity).length;
  const parts = [1, 2, 3].map((severity) => [count(severity), SEVERITIES[severity] ?? ''] as const);
  return parts
    .filter(([amount]) => amount > 0)
    .map(([amount, noun]) => counted(amount, noun, noun === 'info' ? 'infos' : `${noun}s`))
    .join(', ');
}
