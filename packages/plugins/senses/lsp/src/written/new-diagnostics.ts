/** Which problems an edit has brought: those of the text after it that were not in the text before, wherever the lines went. */
import type { Diagnostic } from 'vscode-languageserver-protocol';
import { TextDocument } from '../text-document.ts';
import { keyOf } from '../tool/diagnostic-text.ts';

/** The diagnostics after an edit without those that were there before it. */
export function newDiagnostics(
  before: { readonly text: string; readonly items: readonly Diagnostic[] },
  after: { readonly text: string; readonly items: readonly Diagnostic[] },
): readonly Diagnostic[] {
  const movedTo = lineMap(before.text, after.text);
  const [exact, loose] = [new Map<string, number>(), new Map<string, number>()];
  for (const item of before.items) {
    const line = movedTo(item.range.start.line);
    if (line === undefined) count(loose, sayingOf(item), 1);
    else count(exact, keyOf(item, line), 1);
  }
  const rest = after.items.filter((item) => !take(exact, keyOf(item, item.range.start.line)));
  // A problem on a line that was itself edited is an old one when it says the same.
  return rest.filter((item) => !take(loose, sayingOf(item)));
}

/** Where a line of the old text is in the new one; undefined for lines that were changed. */
function lineMap(before: string, after: string): (line: number) => number | undefined {
  const [old, now] = [linesOf(before), linesOf(after)];
  const least = Math.min(old.length, now.length);
  let [start, end] = [0, 0];
  while (start < least && old[start] === now[start]) start++;
  while (end < least - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  const inner = innerMap(old, now, start, end);
  return (line) => {
    if (line < start) return line;
    if (line >= old.length - end) return line + now.length - old.length;
    return inner.get(line);
  };
}

/** Lines between the changed ends that are the only ones of their text on both sides, in the same order. */
function innerMap(old: readonly string[], now: readonly string[], start: number, end: number): Map<number, number> {
  const places = new Map<string, number[]>();
  for (let line = start; line < now.length - end; line++) {
    const text = now[line] ?? '';
    places.set(text, [...(places.get(text) ?? []), line].slice(0, 2));
  }
  const seen = new Map<string, number>();
  for (let line = start; line < old.length - end; line++) count(seen, old[line] ?? '', 1);
  const map = new Map<number, number>();
  let last = -1;
  for (let line = start; line < old.length - end; line++) {
    const text = old[line] ?? '';
    const [only, another] = places.get(text) ?? [];
    if (only === undefined || another !== undefined || seen.get(text) !== 1 || only <= last) continue;
    map.set(line, only);
    last = only;
  }
  return map;
}

function linesOf(text: string): string[] {
  const document = new TextDocument(text);
  return Array.from({ length: document.lineCount }, (_, index) => document.line(index) ?? '');
}

function sayingOf({ severity = 1, code, message }: Diagnostic): string {
  return JSON.stringify([severity, typeof code === 'object' ? null : (code ?? null), message]);
}

function count(table: Map<string, number>, key: string, amount: number): void {
  table.set(key, (table.get(key) ?? 0) + amount);
}

function take(table: Map<string, number>, key: string): boolean {
  const left = table.get(key) ?? 0;
  if (left > 0) table.set(key, left - 1);
  return left > 0;
}
