/** What an edit changed, with the anchors of the new lines, so that the next edit needs no reading in between. */
import { counted, cutText } from '@tenon/wording';
import type { Accelerators } from '@tenon/native';
import { decoded, encoded, encodingOf } from '../text-encoding.ts';
import { formatPatch, structuredPatch } from 'diff';

const CONTEXT = 2;
const MAX_ROWS = 60;
const MAX_ROW_CHARS = 400;
const MAX_DIFF_CHARS = 256 * 1024;
const TIMEOUT_MS = 1000;

/** A preview of one file's change. */
export interface ChangePreview {
  /** Rows ` 12ab|context`, `-13|old`, `+13cd|new`; empty when the change is too large to be compared. */
  readonly rows: readonly string[];
  /** Unified, for programs. */
  readonly diff?: string;
  readonly firstChangedLine?: number;
  readonly added: number;
  readonly removed: number;
}

/** Compares the contents before and after. */
export function changePreview(
  hashline: Accelerators['hashline'],
  shownPath: string,
  before: Uint8Array,
  after: Uint8Array,
): ChangePreview {
  // Each in its own: a text that was written anew may have another encoding.
  const encoding = encodingOf(after);
  const [was, is] = [decoded(before, encodingOf(before)), decoded(after, encoding)];
  const patch = structuredPatch(shownPath, shownPath, was, is, '', '', {
    context: CONTEXT,
    timeout: TIMEOUT_MS,
  });
  if (!patch) return { rows: [], added: 0, removed: 0 };
  const bytesOf = (text: string): string | Buffer => {
    const bytes = encoded(text, encoding ?? 'UTF-8');
    return 'unfit' in bytes ? text : bytes;
  };
  const rows: string[] = [];
  let firstChangedLine: number | undefined;
  for (const [index, hunk] of patch.hunks.entries()) {
    if (index > 0) rows.push('...');
    let oldLine = hunk.oldStart;
    let newLine = hunk.newStart;
    for (const line of hunk.lines) {
      const text = line.slice(1).replace(/\r$/, '');
      const shown = cutText(text, MAX_ROW_CHARS);
      if (line.startsWith('-')) rows.push(`-${oldLine++}|${shown}`);
      else if (line.startsWith('+') || line.startsWith(' ')) {
        rows.push(`${line[0]}${hashline.anchor(bytesOf(text), newLine)}|${shown}`);
        if (line.startsWith('+')) firstChangedLine ??= newLine;
        else oldLine++;
        newLine++;
      }
      if (line.startsWith('-')) firstChangedLine ??= newLine;
    }
  }
  const shownRows =
    rows.length <= MAX_ROWS
      ? rows
      : [...rows.slice(0, MAX_ROWS), `… ${counted(rows.length - MAX_ROWS, 'more line')} of the change`];
  const diff = formatPatch(patch);
  const linesWith = (sign: string) =>
    patch.hunks.flatMap(({ lines }) => lines.filter((line) => line.startsWith(sign))).length;
  return {
    rows: shownRows,
    added: linesWith('+'),
    removed: linesWith('-'),
    ...(diff.length <= MAX_DIFF_CHARS && { diff }),
    ...(firstChangedLine !== undefined && { firstChangedLine }),
  };
}
