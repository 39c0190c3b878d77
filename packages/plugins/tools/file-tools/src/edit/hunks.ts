/** Hunks of a diff as models write them: context, removed and added lines, with or without line numbers. */
import { payloadLines } from './text-lines.ts';

/** A run of lines that goes and what comes instead; `at` counts from the hunk's first old line. */
export interface HunkChange {
  readonly at: number;
  readonly removed: number;
  readonly added: readonly string[];
}

/** One hunk. */
export interface Hunk {
  /** Context and removed lines, in order. */
  readonly old: readonly string[];
  readonly changes: readonly HunkChange[];
  /** Lines that enclose the place, outermost first: `@@ class A`. */
  readonly anchors: readonly string[];
  /** Empty rows stand before the first hunk. Codex takes them for a hunk of their own. */
  readonly isAfterBlank?: true;
  /** The first old line (from 1) that a header with numbers names; 0 for an empty file. */
  readonly line?: number;
  /** The old lines are the end of the file. */
  readonly atEnd: boolean;
  /** Whether the file ends with a line ending, when the hunk says so. */
  readonly finalEnding?: boolean;
  /** How many lines of context stand before the first and after the last change. */
  readonly contextBefore: number;
  readonly contextAfter: number;
}

/** Hunks, or what is wrong with them. */
export type ParsedHunks = { readonly hunks: readonly Hunk[] } | { readonly problem: string };

const NUMBERED = /^@@+ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@/;
const FILE_HEADER = /^(?:diff |index |old mode |new mode |similarity |rename |new file |deleted file )/;
const END_OF_FILE = '*** End of File';

interface Draft {
  old: string[];
  changes: { at: number; removed: number; added: string[] }[];
  anchors: string[];
  line?: number;
  atEnd: boolean;
  finalEnding?: boolean;
  last: ' ' | '-' | '+' | '';
  contextAfter: number;
}

/** Reads hunks. `firstLine` is added to line numbers in problems. */
export function parseHunks(text: string, firstLine = 0): ParsedHunks {
  const hunks: Draft[] = [];
  let hunk: Draft | undefined;
  let anchors: string[] = [];
  /** Empty rows under an anchor: context, unless another header follows. */
  let blanks: string[] = [];
  const open = (): Draft => {
    hunk = { old: [], changes: [], anchors, atEnd: false, last: '', contextAfter: 0 };
    for (const blank of blanks) addLine(hunk, blank);
    [anchors, blanks] = [[], []];
    hunks.push(hunk);
    return hunk;
  };
  const lines = payloadLines(text);
  for (const [index, line] of lines.entries()) {
    const isHeader = hunk === undefined && (FILE_HEADER.test(line) || isFileNames(lines, index));
    if (isHeader) continue;
    if (hunk === undefined && line.trim() === '') {
      if (anchors.length > 0) blanks.push(line);
      continue;
    }
    if (line.startsWith('@@')) {
      blanks = [];
      const numbered = NUMBERED.exec(line);
      if (numbered) open().line = Number(numbered[1]);
      else if (
        line
          .slice(2)
          .replace(/@@\s*$/, '')
          .trim() !== ''
      ) {
        anchors.push(
          line
            .slice(2)
            .replace(/\s@@\s*$/, '')
            .trim(),
        );
        hunk = undefined;
      } else open();
      continue;
    }
    const current: Draft = hunk ?? open();
    const problem = addLine(current, line);
    if (problem !== undefined) return { problem: `line ${firstLine + index + 1}: ${problem}` };
  }
  if (hunks.length === 0) return { problem: 'there is no hunk in it; write context, "-" and "+" lines under "@@"' };
  const empty = hunks.findIndex(({ changes }) => changes.length === 0);
  if (empty >= 0) return { problem: `hunk ${empty + 1} has no "+" and no "-" line` };
  const isAfterBlank = lines[0]?.trim() === '';
  return {
    hunks: hunks.map((draft, index) => ({ ...finish(draft), ...(isAfterBlank && index === 0 && { isAfterBlank }) })),
  };
}

/** `--- a/x` and `+++ b/x` before the first hunk. */
function isFileNames(lines: readonly string[], index: number): boolean {
  const [line, next, last] = [lines[index] ?? '', lines[index + 1] ?? '', lines[index - 1] ?? ''];
  const isOld = line.startsWith('--- ') && next.startsWith('+++ ');
  return isOld || (line.startsWith('+++ ') && last.startsWith('--- '));
}

function addLine(hunk: Draft, line: string): string | undefined {
  if (line.trim() === END_OF_FILE) {
    hunk.atEnd = true;
    return undefined;
  }
  if (line.startsWith('\\')) {
    hunk.atEnd = true;
    if (hunk.last === '-') hunk.finalEnding = true;
    else hunk.finalEnding = false;
    return undefined;
  }
  // Some drop the blank in front of an empty context line.
  const sign = line === '' ? ' ' : line[0];
  const text = line.slice(1);
  if (sign === ' ') {
    hunk.old.push(text);
    hunk.contextAfter++;
  } else if (sign === '-' || sign === '+') {
    const last = hunk.changes.at(-1);
    const change = last && hunk.contextAfter === 0 ? last : { at: hunk.old.length, removed: 0, added: [] as string[] };
    if (change !== last) hunk.changes.push(change);
    hunk.contextAfter = 0;
    if (sign === '+') change.added.push(text);
    else {
      hunk.old.push(text);
      change.removed++;
    }
  } else {
    return `"${line.slice(0, 60)}" must start with " " (context), "-" (removed), "+" (added) or "@@"`;
  }
  hunk.last = sign;
  return undefined;
}

function finish({ old, changes, anchors, line, atEnd, finalEnding, contextAfter }: Draft): Hunk {
  return {
    old,
    changes,
    anchors,
    ...(line !== undefined && { line }),
    atEnd,
    ...(finalEnding !== undefined && { finalEnding }),
    contextBefore: changes[0]?.at ?? 0,
    contextAfter,
  };
}
