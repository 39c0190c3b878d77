/** Rows of cards: titles, texts that fold, times. */
import { isBelow } from '@tenon/host';
import type { ThemeColor } from '@tenon/components';
import { plainLine } from '@tenon/wording';
import type { CardStyle, ToolRenderer, ToolView } from '@tenon/screen-slots/api';

/** A part of a body, and how many rows are not in it. */
export interface FoldedBody {
  readonly rows: readonly string[];
  readonly hidden: number;
}

/** A renderer that can draw a folded body without drawing all of it: outputs may be long, and change often. */
export interface FoldingRenderer extends ToolRenderer {
  folded?(view: ToolView, style: CardStyle, limit: number): FoldedBody;
}

/** Text that goes on a title must not be longer than any screen is wide. */
const MAX_TITLE_CHARS = 500;

/** A text of others on one line. */
export function oneLine(text: string): string {
  const start = text.trimStart();
  return plainLine(start.length > MAX_TITLE_CHARS ? start.slice(0, MAX_TITLE_CHARS) : start);
}

/** `read src/cart.ts · 12 lines`: the name, what it is about, and notes. */
export function titleOf(
  { theme }: CardStyle,
  name: string,
  subject: string,
  ...notes: readonly (string | undefined)[]
): string {
  const shown = notes
    .filter((note) => note !== undefined && note !== '')
    .map((note) => theme.fg('muted', ` · ${note}`));
  const about = subject === '' ? '' : ` ${theme.fg('accent', subject)}`;
  return `${theme.bold(theme.fg('toolTitle', name))}${about}${shown.join('')}`;
}

/** The row of one entry in a card, `✓ alpha look at it · 3 calls`: parts in their colours; empty ones are left out. */
export function entryRow(
  { theme }: CardStyle,
  parts: readonly (readonly [color: ThemeColor | 'bold', text: string])[],
): string {
  return parts
    .filter(([, text]) => text !== '')
    .map(([color, text]) => (color === 'bold' ? theme.bold(text) : theme.fg(color, text)))
    .join(' ');
}

/** A path as it is shown: from the working folder where it is in it. */
export function pathText(path: string, { cwd }: Pick<CardStyle, 'cwd'>): string {
  const shown = oneLine(path);
  return cwd !== '' && isBelow(shown, cwd) ? shown.slice(cwd.length + 1) : shown;
}

/** All rows of a text of others, in one colour. */
export function textRows(text: string, style: CardStyle, color: ThemeColor = 'toolOutput'): string[] {
  const shown = style.plain(text).replace(/\s+$/, '');
  return shown === '' ? [] : style.wrap(shown, style.width).map((row) => style.theme.fg(color, row));
}

/** The first or last rows of a text; the lines that are not in them are counted, not drawn. */
export function foldedText(
  text: string,
  style: CardStyle,
  { limit, from, color }: { readonly limit: number; readonly from: 'head' | 'tail'; readonly color?: ThemeColor },
): FoldedBody {
  const { part, hidden } = from === 'head' ? firstLines(text, limit) : lastLines(text, limit);
  const rows = textRows(part, style, color);
  const shown = from === 'head' ? rows.slice(0, limit) : rows.slice(-limit);
  return { rows: shown, hidden: hidden + rows.length - shown.length };
}

function firstLines(text: string, limit: number): { part: string; hidden: number } {
  let end = -1;
  for (let line = 0; line < limit; line += 1) {
    const next = text.indexOf('\n', end + 1);
    if (next < 0) return { part: text, hidden: 0 };
    end = next;
  }
  return { part: text.slice(0, end), hidden: countLines(text, end + 1) };
}

function lastLines(whole: string, limit: number): { part: string; hidden: number } {
  const text = whole.replace(/\s+$/, '');
  let start = text.length;
  for (let line = 0; line < limit; line += 1) {
    if (start <= 0) return { part: text, hidden: 0 };
    const next = text.lastIndexOf('\n', start - 1);
    if (next < 0) return { part: text, hidden: 0 };
    start = next;
  }
  return { part: text.slice(start + 1), hidden: countLines(text.slice(0, start), 0) };
}

/** How many lines begin at `from` or behind it. */
function countLines(text: string, from: number): number {
  const end = text.endsWith('\n') ? text.length - 1 : text.length;
  if (from >= end) return 0;
  let lines = 1;
  for (let at = text.indexOf('\n', from); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

/** What a body of one text is made of. */
export interface TextBody {
  text(view: ToolView, style: CardStyle): string;
  color?(view: ToolView): ThemeColor;
  readonly fold?: 'head' | 'tail';
  readonly foldedRows?: number;
}

/** The body of a renderer that shows one text. */
export function textBody({ text, color, fold = 'head', foldedRows }: TextBody): Omit<FoldingRenderer, 'title'> {
  const colorOf = (view: ToolView): ThemeColor => color?.(view) ?? 'toolOutput';
  return {
    fold,
    ...(foldedRows !== undefined && { foldedRows }),
    body: (view, style) => textRows(text(view, style), style, colorOf(view)),
    folded: (view, style, limit) => foldedText(text(view, style), style, { limit, from: fold, color: colorOf(view) }),
  };
}

const SECOND = 1000;

/** A time as people say it: `0.4s`, `12s`, `3m 05s`, `1h 02m`. */
export function elapsedText(ms: number): string {
  const seconds = Math.floor(ms / SECOND);
  if (seconds < 1) return `${(ms / SECOND).toFixed(1)}s`;
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  const two = (value: number) => String(value).padStart(2, '0');
  return minutes < 60 ? `${minutes}m ${two(seconds % 60)}s` : `${Math.floor(minutes / 60)}h ${two(minutes % 60)}m`;
}
