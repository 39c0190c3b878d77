/** Lines of a text as a model sees them: with anchors to edit by, or raw. */
import type { Accelerators } from '@tenon/native';
import { fitLines, type ResultMeta } from '@tenon/tools/api';
import { cutText } from '@tenon/wording';
import { decoded, encodingOf } from '../text-encoding.ts';
import type { Selector } from './selector.ts';

const MAX_LINES = 3000;
/** Longer lines are cut: they are minified code or data, and one of them could fill the whole result. */
const MAX_LINE_CHARS = 4096;
/** A range is shown with a little of its surroundings, so that an edit does not need a second look. */
const LEADING_CONTEXT = 1;
const TRAILING_CONTEXT = 3;

/** How to show a text. */
export interface ViewOptions {
  readonly selector: Selector;
  /** The path as the reader would write it, for the hint where to go on. */
  readonly shownPath: string;
  /** Lines when no end is given. */
  readonly defaultLimit: number;
  /** False for what cannot be edited. */
  readonly anchors: boolean;
}

/** A text ready to be shown. */
export interface TextView {
  readonly text: string;
  readonly meta: Pick<ResultMeta, 'truncation'>;
}

/** The lines a selector asks for, with the context around a range. Past-the-end starts give undefined. */
export function linesWanted(
  { first = 1, last, raw }: Selector,
  defaultLimit: number,
  totalLines: number,
): { first: number; last: number; isOpen: boolean } | undefined {
  if (first > totalLines) return undefined;
  const lead = raw ? 0 : LEADING_CONTEXT;
  const trail = raw ? 0 : TRAILING_CONTEXT;
  const from = Math.max(1, first - lead);
  const until =
    last === undefined ? first + Math.min(defaultLimit, MAX_LINES) - 1 : Math.min(last + trail, from + MAX_LINES - 1);
  return {
    first: from,
    last: Math.min(until, totalLines),
    isOpen: last === undefined || last > until,
  };
}

/** Shows a text that is in memory. */
export function textView(
  hashline: Accelerators['hashline'],
  content: Buffer,
  { selector, shownPath, defaultLimit, anchors }: ViewOptions,
): TextView {
  const total = hashline.hashLines(content).length;
  if (total === 0) return { text: '(empty file)', meta: {} };
  const wanted = linesWanted(selector, selector.raw ? MAX_LINES : defaultLimit, total);
  if (!wanted) return { text: pastEnd(selector.first ?? 1, total, shownPath), meta: {} };
  const lines = selector.raw ? rawLines(content, wanted) : numberedLines(hashline, content, wanted, anchors);
  return shownLines(lines, { ...wanted, total, totalBytes: content.length, shownPath, raw: selector.raw });
}

/** Cuts lines to what a result may carry and says what was left out. */
export function shownLines(
  lines: readonly string[],
  facts: {
    readonly first: number;
    readonly last: number;
    readonly isOpen: boolean;
    /** Undefined when the text goes on and nobody counted. */
    readonly total: number | undefined;
    readonly totalBytes: number;
    readonly shownPath: string;
    readonly raw: boolean;
  },
): TextView {
  const { first, total, totalBytes, shownPath, raw } = facts;
  const visible = lines.map(withoutZeros);
  const short = raw ? visible : visible.map((line) => cutText(line, MAX_LINE_CHARS));
  const fitted = fitLines(short);
  const end = first + fitted.lines.length - 1;
  const notices: string[] = [];
  if (short.some((line, index) => line !== visible[index] && index < fitted.lines.length)) {
    notices.push(`[Lines of more than ${MAX_LINE_CHARS} characters are cut; do not replace them by what is shown.]`);
  }
  const isTruncated = fitted.isCut || (facts.isOpen && (total === undefined || facts.last < total));
  if (isTruncated) {
    const of = total === undefined ? '' : ` of ${total}`;
    notices.push(`[Showing lines ${first}-${end}${of}. Use ${shownPath}:${end + 1}${raw ? ':raw' : ''} to continue.]`);
  }
  const text = [...fitted.lines, ...(notices.length > 0 ? ['', ...notices] : [])].join('\n');
  if (!isTruncated) return { text, meta: {} };
  const truncation = {
    direction: 'head' as const,
    truncatedBy: fitted.isCut ? ('bytes' as const) : ('lines' as const),
    totalLines: total ?? end,
    totalBytes,
    shownRange: { start: first, end },
    nextOffset: end + 1,
  };
  return { text, meta: { truncation } };
}

/** A text may turn into binary data far behind its start; thousands of zero bytes help nobody. */
function withoutZeros(line: string): string {
  return line.includes('\0') ? line.replaceAll(/\0+/g, ({ length }) => `<${length} zero bytes>`) : line;
}

/** What a reader past the end is told. */
export function pastEnd(line: number, total: number, shownPath: string): string {
  return (
    `Line ${line} is past the end of the file, which has ${total} ${total === 1 ? 'line' : 'lines'}. ` +
    `Use ${shownPath}:1 for the start or ${shownPath}:${total} for the last line.`
  );
}

/** The lines with their numbers in front, and the hashes that make them anchors. */
export function numberedLines(
  hashline: Accelerators['hashline'],
  content: Buffer,
  range: { readonly first: number; readonly last: number },
  anchors: boolean,
): string[] {
  const rows = decoded(hashline.format(content, range), encodingOf(content)).split('\n');
  // Every row ends with a line break, so the last part is empty.
  rows.pop();
  return anchors ? rows : rows.map((row) => row.replace(/^(\d+)[a-z]{2}\|/, '$1|'));
}

/** The lines as they are. */
function rawLines(content: Buffer, { first, last }: { readonly first: number; readonly last: number }): string[] {
  let start = 0;
  for (let line = 1; line < first; line++) start = content.indexOf(10, start) + 1;
  let end = start;
  for (let line = first; line <= last; line++) {
    const at = content.indexOf(10, end);
    end = at < 0 ? content.length : at + 1;
  }
  const lines = decoded(content.subarray(start, end), encodingOf(content)).split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
