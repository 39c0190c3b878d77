/** Differences as rows: numbers, signs, colours, and marks on the words that changed. */
import type { Theme, ThemeColor } from '../theme/theme.ts';
import { diffHunks, type DiffLine, type DiffPart, patchParts } from './diff-lines.ts';
import { changedWords, pairLines, type WordPiece } from './diff-words.ts';
import { type ContentText, fitted, wrapped } from './text-tools.ts';

/** How a difference is drawn. */
export interface DiffOptions {
  readonly width: number;
  readonly theme: Theme;
  readonly text: ContentText;
  /** Unchanged lines around each change; 3 unless given. */
  readonly context?: number;
  /** The file's name, for a row above. */
  readonly path?: string;
  /** At most this many rows; the last one then says how many are missing. */
  readonly maxRows?: number;
}

/** Numbers and signs are left out where they would take more than half of the width. */
const LEAST_ROOM = 12;
/** Longer lines are cut: nobody reads them in a difference. */
const LONGEST_LINE = 4_000;

const COLORS: Readonly<Record<DiffLine['kind'], ThemeColor>> = {
  context: 'toolDiffContext',
  added: 'toolDiffAdded',
  removed: 'toolDiffRemoved',
};
const SIGNS: Readonly<Record<DiffLine['kind'], string>> = { context: ' ', added: '+', removed: '-' };

/** The difference of two texts. */
export function renderDiff(before: string, after: string, options: DiffOptions): string[] {
  return draw(diffHunks(before, after, Math.max(options.context ?? 3, 0)), options);
}

/** A unified patch, of one file or several. Text without a hunk or a file's name gives no rows. */
export function renderPatch(patch: string, options: DiffOptions): string[] {
  return draw(patchParts(patch), options);
}

function draw(parts: readonly DiffPart[], options: DiffOptions): string[] {
  const most = Math.max(options.maxRows ?? Number.POSITIVE_INFINITY, 1);
  const width = Math.max(options.width, 1);
  const { theme, text } = options;
  const digits = String(lastNumber(parts)).length;
  const rows: string[] = [];
  let unshown = 0;
  const heading = (value: string): void => {
    rows.push(theme.fg('toolTitle', theme.bold(text.truncate(cleanLine(value, text).replaceAll('\t', ' '), width))));
  };
  if (options.path !== undefined) heading(options.path);
  for (const [at, part] of parts.entries()) {
    if (rows.length > most) {
      unshown += 'heading' in part ? 1 : part.lines.length;
    } else if ('heading' in part) {
      if (rows.length > 0 && at > 0) rows.push('');
      heading(part.heading);
    } else {
      const previous = parts[at - 1];
      if (previous && 'lines' in previous) rows.push(theme.fg('dim', text.truncate('…', width)));
      unshown += hunkRows(part.lines, digits, width, options, rows, most);
    }
  }
  return limited(rows, unshown, most, width, options).map((row) => fitted(text, row, width));
}

function limited(rows: string[], unshown: number, most: number, width: number, { theme, text }: DiffOptions): string[] {
  if (rows.length <= most && unshown === 0) return rows;
  const kept = rows.slice(0, Math.max(most - 1, 0));
  const missing = rows.length - kept.length + unshown;
  return [...kept, theme.fg('dim', text.truncate(`… ${missing} more ${missing === 1 ? 'line' : 'lines'}`, width))];
}

function lastNumber(parts: readonly DiffPart[]): number {
  let most = 1;
  for (const part of parts) {
    if ('lines' in part) for (const line of part.lines) most = Math.max(most, line.number);
  }
  return most;
}

/** Adds the rows of a hunk until there are enough; gives the number of lines that are left. */
function hunkRows(
  lines: readonly DiffLine[],
  digits: number,
  width: number,
  options: DiffOptions,
  rows: string[],
  most: number,
): number {
  for (let at = 0; at < lines.length;) {
    // One more than there is room for tells that something is missing; the rest need not be prepared.
    const room = most - rows.length + 1;
    if (room <= 0) return lines.length - at;
    const removed = run(lines, at, 'removed');
    const added = run(lines, at + removed, 'added');
    const end = at + Math.max(removed + added, 1);
    const shown = lines.slice(at, Math.min(end, at + room)).map((line) => cleaned(line, options));
    const partners = lines
      .slice(at + removed, Math.min(end, at + removed + room))
      .map((line) => cleaned(line, options));
    for (const [offset, partner] of partners.entries()) if (shown[removed + offset]) shown[removed + offset] = partner;
    const marks = removed > 0 && added > 0 ? wordMarks(shown.slice(0, removed), partners) : undefined;
    for (const [offset, line] of shown.entries()) {
      if (rows.length > most) return lines.length - at - offset;
      rows.push(...lineRows(line, marks?.get(line), digits, width, options));
    }
    if (at + shown.length < end) return lines.length - at - shown.length;
    at = end;
  }
  return 0;
}

/** How many lines of a kind stand together. */
function run(lines: readonly DiffLine[], start: number, kind: DiffLine['kind']): number {
  let end = start;
  while (lines[end]?.kind === kind) end++;
  return end - start;
}

function cleaned(line: DiffLine, { text }: DiffOptions): DiffLine {
  return { ...line, text: cleanLine(line.text, text) };
}

function wordMarks(removed: readonly DiffLine[], added: readonly DiffLine[]): ReadonlyMap<DiffLine, WordPiece[]> {
  const marks = new Map<DiffLine, WordPiece[]>();
  const texts = (lines: readonly DiffLine[]): string[] => lines.map((line) => line.text);
  for (const pair of pairLines(texts(removed), texts(added))) {
    const [from, to] = [removed[pair.removed], added[pair.added]];
    const pieces = from && to && changedWords(from.text, to.text);
    if (!pieces) continue;
    marks.set(from, pieces.before);
    marks.set(to, pieces.after);
  }
  return marks;
}

function lineRows(
  line: DiffLine,
  marks: WordPiece[] | undefined,
  digits: number,
  width: number,
  options: DiffOptions,
): string[] {
  const { theme, text } = options;
  const color = COLORS[line.kind];
  const styled = marks
    ? marks.map((piece) => theme.fg(color, piece.changed ? theme.inverse(piece.text) : piece.text)).join('')
    : theme.fg(color, line.text);
  const inset = digits + 3;
  const roomy = width - inset >= LEAST_ROOM;
  const body = wrapped(text, styled, roomy ? width - inset : Math.max(width - 1, 1));
  const sign = theme.fg(color, SIGNS[line.kind]);
  if (!roomy) return body.map((row, at) => (width === 1 ? row : (at === 0 ? sign : ' ') + row));
  const number = theme.fg('dim', String(line.number).padStart(digits));
  return body.map((row, at) => (at === 0 ? `${number} ${sign} ${row}` : ' '.repeat(inset) + row));
}

function cleanLine(line: string, text: ContentText): string {
  const cut = line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line;
  return text.sanitize(cut).replaceAll('\n', ' ');
}
