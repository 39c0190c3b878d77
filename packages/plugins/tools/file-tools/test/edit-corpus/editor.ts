/** A scripted editor: says one edit in the words of every mode, as a careful model would after reading the file. */
import type { Accelerators } from '@tenon/native';
import type { CorpusEdit, LineHunk } from './mutations.ts';

/** The modes that the editor knows. */
export const MODES = ['hashline', 'replace', 'patch', 'apply_patch', 'vim'] as const;

/** One of them. */
export type ModeName = (typeof MODES)[number];

/** The input of the edit tool in a mode. */
export function inputFor(
  mode: ModeName,
  edit: CorpusEdit,
  path: string,
  hashline: Accelerators['hashline'],
): Record<string, unknown> {
  switch (mode) {
    case 'hashline':
      return { input: hashlineInput(edit, path, hashline) };
    case 'replace':
      return { path, edits: replaceEdits(edit) };
    case 'patch':
      return { path, edits: [{ diff: unified(edit) }] };
    case 'apply_patch':
      return { input: `*** Begin Patch\n*** Update File: ${path}\n${unified(edit)}*** End Patch` };
    default:
      return { file: path, steps: vimSteps(edit) };
  }
}

function hashlineInput({ before, hunks }: CorpusEdit, path: string, hashline: Accelerators['hashline']): string {
  const anchor = (line: number) => hashline.anchor(before[line] ?? '', line + 1);
  const rows = [`@@ ${path}`];
  for (const { start, end, lines } of hunks) {
    if (end === start) rows.push(start === 0 ? '< BOF' : `+ ${anchor(start - 1)}`);
    else rows.push(`${lines.length === 0 ? '-' : '='} ${anchor(start)}..${anchor(end - 1)}`);
    rows.push(...lines.map((line) => `~${line}`));
  }
  return `${rows.join('\n')}\n`;
}

/** Old text with as many lines around it as make it unique; places that touch become one. */
function replaceEdits({ before, hunks }: CorpusEdit): { old_text: string; new_text: string }[] {
  const text = `${before.join('\n')}\n`;
  const regions: { start: number; end: number; hunks: LineHunk[] }[] = [];
  for (const hunk of hunks) {
    let { start, end } = hunk;
    const old = () => `${before.slice(start, end).join('\n')}\n`;
    for (
      let step = 0;
      (end === start || occurrences(text, old()) > 1 || startsInside(text, old())) && step < 200;
      step++
    ) {
      if (step % 2 === 0 && start > 0) start--;
      else if (end < before.length) end++;
      else start = Math.max(0, start - 1);
    }
    const last = regions.at(-1);
    if (last && start <= last.end) {
      last.end = Math.max(last.end, end);
      last.hunks.push(hunk);
    } else regions.push({ start, end, hunks: [hunk] });
  }
  return regions.map(({ start, end, hunks: inside }) => ({
    old_text: `${before.slice(start, end).join('\n')}\n`,
    new_text: linesText(changedLines(before, start, end, inside)),
  }));
}

function startsInside(text: string, old: string): boolean {
  return occurrences(`\n${text}`, `\n${old}`) !== 1;
}

function occurrences(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) count++;
  return count;
}

function changedLines(before: readonly string[], start: number, end: number, hunks: readonly LineHunk[]): string[] {
  const lines: string[] = [];
  let at = start;
  for (const hunk of hunks) {
    lines.push(...before.slice(at, hunk.start), ...hunk.lines);
    at = hunk.end;
  }
  return [...lines, ...before.slice(at, end)];
}

function linesText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** Hunks without numbers; as much context as makes them unique, at least two lines. */
function unified({ before, hunks }: CorpusEdit): string {
  const parts: string[] = [];
  for (let context = 2; context <= 64; context *= 2) {
    const groups = grouped(hunks, context, before.length);
    parts.length = 0;
    const areUnique = groups.every(({ from, until }) => countLines(before, before.slice(from, until)) === 1);
    for (const { from, until, inside } of groups) parts.push(hunkText(before, from, until, inside));
    if (areUnique) break;
  }
  return parts.join('');
}

function grouped(hunks: readonly LineHunk[], context: number, length: number) {
  const groups: { from: number; until: number; inside: LineHunk[] }[] = [];
  for (const hunk of hunks) {
    const from = Math.max(0, hunk.start - context);
    const until = Math.min(length, hunk.end + context);
    const last = groups.at(-1);
    if (last && from <= last.until) {
      last.until = until;
      last.inside.push(hunk);
    } else groups.push({ from, until, inside: [hunk] });
  }
  return groups;
}

function hunkText(before: readonly string[], from: number, until: number, hunks: readonly LineHunk[]): string {
  const rows = ['@@'];
  let at = from;
  for (const { start, end, lines } of hunks) {
    for (; at < start; at++) rows.push(` ${before[at] ?? ''}`);
    for (; at < end; at++) rows.push(`-${before[at] ?? ''}`);
    rows.push(...lines.map((line) => `+${line}`));
  }
  for (; at < until; at++) rows.push(` ${before[at] ?? ''}`);
  return linesText(rows);
}

function countLines(lines: readonly string[], part: readonly string[]): number {
  let count = 0;
  for (let at = 0; at + part.length <= lines.length; at++)
    if (part.every((line, index) => lines[at + index] === line)) count++;
  return count;
}

/** From the bottom up, so that lines above keep their numbers. */
function vimSteps({ hunks }: CorpusEdit): { kbd: string[]; insert?: string }[] {
  return [...hunks].reverse().map(({ start, end, lines }) => {
    if (lines.length === 0) return { kbd: [`:${start + 1},${end}d<CR>`] };
    const insert = lines.join('\n');
    if (end > start) return { kbd: [`${start + 1}G${end - start > 1 ? end - start : ''}cc`], insert };
    return { kbd: [start === 0 ? '1GO' : `${start}Go`], insert };
  });
}
