/** What changed between two texts, line by line, and what a patch says. */
import { diffArrays } from 'diff/lib/diff/array.js';
import { lineAnchors } from './line-anchors.ts';

/** One line of a difference. */
export interface DiffLine {
  readonly kind: 'context' | 'added' | 'removed';
  readonly text: string;
  /** Its number: in the new text, or for a removed line in the old one. */
  readonly number: number;
}

/** Lines that stand together, or a heading such as a file's name in a patch. */
export type DiffPart = { readonly heading: string } | { readonly lines: readonly DiffLine[] };

/** More changed lines than this are not compared at once: the cost grows with their square. */
const MOST_EDITS = 400;
/** What all comparisons between anchors may cost together. */
const MOST_STEPS = 2_000_000;

/** The hunks between two texts, with lines around each change. */
export function diffHunks(before: string, after: string, context: number): DiffPart[] {
  return hunks(lineChanges(textLines(before), textLines(after)), context);
}

function textLines(text: string): string[] {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** All lines in order; equal beginnings and ends are found without comparing, which is most of a usual edit. */
function lineChanges(before: readonly string[], after: readonly string[]): DiffLine[] {
  const least = Math.min(before.length, after.length);
  let start = 0;
  while (start < least && before[start] === after[start]) start++;
  let end = 0;
  while (end < least - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  const lines: DiffLine[] = [];
  let [old, now] = [1, 1];
  const add = (kind: DiffLine['kind'], texts: readonly string[]): void => {
    for (const text of texts) {
      lines.push({ kind, text, number: kind === 'removed' ? old : now });
      if (kind !== 'added') old++;
      if (kind !== 'removed') now++;
    }
  };
  add('context', before.slice(0, start));
  const [removed, added] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  for (const change of changes(removed, added)) {
    add(change.added ? 'added' : change.removed ? 'removed' : 'context', change.value);
  }
  add('context', end > 0 ? before.slice(-end) : []);
  return lines;
}

interface Change {
  readonly added?: boolean;
  readonly removed?: boolean;
  readonly value: readonly string[];
}

/** Compares as much as the limits allow; what is beyond them is one removed and one added block. */
function changes(removed: string[], added: string[]): readonly Change[] {
  const direct = compared(removed, added, MOST_EDITS);
  if (direct) return direct;
  const found: Change[] = [];
  let steps = MOST_STEPS;
  let [old, now] = [0, 0];
  for (const anchor of [...lineAnchors(removed, added), { before: removed.length, after: added.length }]) {
    const [left, right] = [removed.slice(old, anchor.before), added.slice(now, anchor.after)];
    const edits = Math.min(left.length + right.length, MOST_EDITS);
    if (left.length > 0 && right.length > 0) steps -= edits * edits;
    found.push(...((steps > 0 ? compared(left, right, MOST_EDITS) : undefined) ?? whole(left, right)));
    const line = removed[anchor.before];
    if (line !== undefined) found.push({ value: [line] });
    [old, now] = [anchor.before + 1, anchor.after + 1];
  }
  return found;
}

function compared(removed: string[], added: string[], edits: number): readonly Change[] | undefined {
  if (removed.length === 0 || added.length === 0) return whole(removed, added);
  return diffArrays(removed, added, { maxEditLength: edits });
}

function whole(removed: readonly string[], added: readonly string[]): Change[] {
  return [
    { removed: true, value: removed },
    { added: true, value: added },
  ];
}

function hunks(lines: readonly DiffLine[], context: number): DiffPart[] {
  const parts: { lines: DiffLine[] }[] = [];
  let reached = 0;
  for (const [at, line] of lines.entries()) {
    if (line.kind === 'context') continue;
    const from = Math.max(at - context, reached);
    const current = parts.at(-1);
    const target = current && from === reached && reached > 0 ? current : { lines: [] };
    if (target !== current) parts.push(target);
    let to = at + 1;
    while (to < lines.length && to <= at + context && lines[to]?.kind === 'context') to++;
    for (const one of lines.slice(Math.max(from, reached), to)) target.lines.push(one);
    reached = Math.max(reached, to);
  }
  return parts;
}

const HUNK = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/;
const FILE_NOTE = /^(?:rename |copy |new file|deleted file|Binary files |GIT binary )/;

/** A hunk while it is read. */
class PatchHunk {
  readonly lines: DiffLine[] = [];
  #old: number;
  #now: number;
  #oldLeft: number;
  #nowLeft: number;

  constructor([, old, oldCount = '1', now, nowCount = '1']: readonly string[]) {
    this.#old = Number(old);
    this.#now = Number(now);
    this.#oldLeft = Number(oldCount);
    this.#nowLeft = Number(nowCount);
  }

  /** True while lines are missing that its header promises. */
  get incomplete(): boolean {
    return this.#oldLeft > 0 || this.#nowLeft > 0;
  }

  add(line: string): void {
    const sign = line.charAt(0);
    const kind = sign === '+' ? 'added' : sign === '-' ? 'removed' : 'context';
    this.lines.push({ kind, text: line.slice(1), number: kind === 'removed' ? this.#old : this.#now });
    if (kind !== 'added') {
      this.#old++;
      this.#oldLeft--;
    }
    if (kind !== 'removed') {
      this.#now++;
      this.#nowLeft--;
    }
  }
}

/** The parts of a unified patch. Added and removed lines are never left out, even if a header does not count them. */
export function patchParts(patch: string): DiffPart[] {
  const parts: DiffPart[] = [];
  const lines = textLines(patch);
  let hunk: PatchHunk | undefined;
  let from = '';
  for (const [at, line] of lines.entries()) {
    const header = HUNK.exec(line);
    if (hunk?.incomplete && /^(?:[-+ ]|$)/.test(line)) hunk.add(line);
    else if (header) {
      hunk = new PatchHunk(header);
      parts.push(hunk);
    } else if (line.startsWith('--- ') && lines[at + 1]?.startsWith('+++ ')) from = fileName(line);
    else if (line.startsWith('+++ ') && lines[at - 1]?.startsWith('--- '))
      parts.push({ heading: fileHeading(from, fileName(line)) });
    else if (hunk && /^[-+]/.test(line)) hunk.add(line);
    else if (FILE_NOTE.test(line)) parts.push({ heading: line });
  }
  return parts;
}

function fileName(line: string): string {
  const name = line.slice(4).split('\t')[0] ?? '';
  return name === '/dev/null' ? '' : name.replace(/^[ab]\//, '');
}

function fileHeading(from: string, to: string): string {
  if (to === '') return `${from} (deleted)`;
  if (from === '') return `${to} (new)`;
  return from === to ? to : `${from} → ${to}`;
}
