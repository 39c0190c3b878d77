/** What a refused editor is shown: the lines that are there now, with fresh anchors. */
import { anchorLetters } from './anchor.ts';
import type { Anchor, StaleAnchor } from './contract.ts';
import type { LineText } from './js-text.ts';

const CONTEXT = 2;
const SHOWN_LINE_BYTES = 400;
const SHOWN_ANCHORS = 20;
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Looks up what is at the anchor's line now. */
export function staleAnchor(patchLine: number, anchor: Anchor, text: LineText): StaleAnchor {
  const { line } = anchor;
  return { patchLine, anchor, ...(line >= 1 && line <= text.count ? { now: text.code(line - 1) } : {}) };
}

/** At most `most` bytes of `text` as a string, cut between characters and marked with `…` when cut. */
export function excerpt(text: Uint8Array, most: number): string {
  if (text.length <= most) return decoder.decode(text);
  let end = most;
  // At most three bytes back: a longer run of continuation bytes is not UTF-8 anyway.
  while (end > most - 3 && (text[end]! & 0xc0) === 0x80) end--;
  return `${decoder.decode(text.subarray(0, end))}…`;
}

/** The message for stale anchors. `reasons` are extra sentences, such as why a recovery was not possible. */
export function staleMessage(
  path: string,
  text: LineText,
  stale: readonly StaleAnchor[],
  anchors: number,
  reasons: readonly string[],
): string {
  const verb = stale.length === 1 ? 'does not fit' : 'do not fit';
  const head = `Edit refused, nothing was changed: ${stale.length} of ${anchors} anchors in the patch ${verb} ${path} any more.`;
  const rows = [head, ...reasons];
  const missing = sortedLines(stale.filter((entry) => entry.now === undefined));
  for (const line of missing.slice(0, SHOWN_ANCHORS)) {
    rows.push(`Line ${line} does not exist (the file has ${text.count} lines).`);
  }
  const marked = sortedLines(stale.filter((entry) => entry.now !== undefined));
  if (marked.length > 0) {
    rows.push(
      'These lines are there now, with fresh anchors; * marks the ones that the patch names. ' +
        'Check that they are still the lines you mean, then send the edit again with these anchors:',
    );
    rows.push(...shownLines(text, marked.slice(0, SHOWN_ANCHORS)));
  }
  const more = marked.length > SHOWN_ANCHORS || missing.length > SHOWN_ANCHORS;
  rows.push(`${more ? 'More anchors do not fit than are shown here. ' : ''}Read the file again for more of it.`);
  return rows.join('\n');
}

function sortedLines(stale: readonly StaleAnchor[]): number[] {
  return [...new Set(stale.map((entry) => entry.anchor.line))].sort((a, b) => a - b);
}

function shownLines(text: LineText, marked: readonly number[]): string[] {
  const numbers = new Set<number>();
  for (const number of marked) {
    const last = Math.min(number + CONTEXT, text.count);
    for (let near = Math.max(number - CONTEXT, 1); near <= last; near++) numbers.add(near);
  }
  const rows: string[] = [];
  let previous: number | undefined;
  for (const number of [...numbers].sort((a, b) => a - b)) {
    if (previous !== undefined && previous + 1 !== number) rows.push(' ...');
    previous = number;
    const mark = marked.includes(number) ? '*' : ' ';
    const anchor = `${number}${anchorLetters(text.code(number - 1))}`;
    rows.push(`${mark}${anchor}|${excerpt(text.text(number - 1), SHOWN_LINE_BYTES)}`);
  }
  return rows;
}
