/** Tables: columns that fit the width, or one `name: value` row for each cell where they cannot. */
import type { Tokens } from 'marked';
import { type InlineText, inlineRows, inlineText } from './markdown-inline.ts';
import type { MarkdownStyle, Paint } from './markdown-style.ts';
import { columns } from './text-tools.ts';

/** A column narrower than this breaks most words; the table becomes a list of values. */
const LEAST_COLUMN = 6;
/** Words up to this length stay whole if the width allows it. */
const LONGEST_WORD = 20;
const SEPARATOR_COLUMNS = 3;

type Align = 'center' | 'left' | 'right' | null;

/** The rows of a table. */
export function tableRows(table: Tokens.Table, style: MarkdownStyle, width: number, base: Paint): string[] {
  const head = table.header.map((cell) => inlineText(cell.tokens, style, (text) => base(style.theme.bold(text))));
  const body = table.rows.map((row) => row.map((cell) => inlineText(cell.tokens, style, base)));
  const widths = columnWidths([head, ...body], style, width);
  if (!widths) return records(head, body, style, width);
  const { theme } = style;
  const edge = theme.fg('borderMuted', '│');
  const rule = theme.fg('borderMuted', widths.map((own) => '─'.repeat(own)).join('─┼─'));
  const line = (cells: readonly InlineText[]): string[] => {
    const parts = widths.map((own, at) => {
      const cell = cells[at];
      return cell ? inlineRows(cell, style, own) : [];
    });
    const height = Math.max(1, ...parts.map((rows) => rows.length));
    return Array.from({ length: height }, (_, row) => {
      const last = widths.length - 1;
      const padded = widths.map((own, at) =>
        pad(parts[at]?.[row] ?? '', own, table.align[at] ?? null, style, at === last),
      );
      return padded.join(` ${edge} `).trimEnd();
    });
  };
  const lines = body.map(line);
  const tall = lines.some((rows) => rows.length > 1);
  const rows = [...line(head), rule];
  for (const [at, cells] of lines.entries()) rows.push(...(tall && at > 0 ? [rule] : []), ...cells);
  return rows;
}

function pad(cell: string, width: number, align: Align, style: MarkdownStyle, last: boolean): string {
  const free = Math.max(width - visible(cell, style), 0);
  const before = align === 'right' ? free : align === 'center' ? Math.floor(free / 2) : 0;
  // Spaces at the end of a row are noise in what users copy.
  return ' '.repeat(before) + cell + (last ? '' : ' '.repeat(free - before));
}

/** Columns of a cell; what the injected link function added takes none. */
function visible(cell: string, style: MarkdownStyle): number {
  return columns(style.text, style.link ? style.text.sanitize(cell) : cell);
}

/** How wide each column is; nothing if the table does not fit. */
function columnWidths(
  rows: readonly (readonly InlineText[])[],
  style: MarkdownStyle,
  width: number,
): number[] | undefined {
  const count = rows[0]?.length ?? 0;
  const room = width - (count - 1) * SEPARATOR_COLUMNS;
  const cells = (at: number): string[] => rows.map((row) => row[at]?.text ?? '');
  const most = (texts: readonly string[]): number => Math.max(1, ...texts.map((text) => columns(style.text, text)));
  const natural = Array.from({ length: count }, (_, at) => most(cells(at).flatMap((text) => text.split('\n'))));
  if (total(natural) <= room) return natural;
  if (total(natural.map((own) => Math.min(own, LEAST_COLUMN))) > room) return undefined;
  const words = Array.from({ length: count }, (_, at) => most(cells(at).flatMap((text) => text.split(/\s+/))));
  const least = words.map((own, at) => Math.min(own, LONGEST_WORD, natural[at] ?? own));
  const floor = total(least) <= room ? least : natural.map((own) => Math.min(own, LEAST_COLUMN));
  return shared(floor, natural, room);
}

/** Gives every column the same limit, as high as the room allows, but none less than its floor. */
function shared(floor: readonly number[], natural: readonly number[], room: number): number[] {
  const at = (limit: number): number[] =>
    natural.map((own, index) => Math.max(floor[index] ?? 1, Math.min(own, limit)));
  let [low, high] = [1, room];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (total(at(middle)) <= room) low = middle;
    else high = middle - 1;
  }
  const widths = at(low);
  let left = room - total(widths);
  return widths.map((own, index) => {
    const more = left > 0 && own < (natural[index] ?? own) ? 1 : 0;
    left -= more;
    return own + more;
  });
}

function records(
  head: readonly InlineText[],
  body: readonly (readonly InlineText[])[],
  style: MarkdownStyle,
  width: number,
): string[] {
  if (body.length === 0) return head.flatMap((cell) => inlineRows(cell, style, width));
  return body.flatMap((row, at) => {
    const rows = row.flatMap((cell, index) => {
      const name = head[index] ?? { text: '', urls: [] };
      return inlineRows({ text: `${name.text}: ${cell.text}`, urls: [...name.urls, ...cell.urls] }, style, width);
    });
    return at > 0 ? ['', ...rows] : rows;
  });
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, own) => sum + own, 0);
}
