/** Rows of a database as text. */
import type { SqlRows, SqlValue } from '@tenon/documents/api';
import { cutText } from '@tenon/wording';

const MAX_WIDTH = 120;
const MAX_COLUMN = 40;
const MIN_COLUMN = 6;

/** A value as people write it. */
export function valueText(value: SqlValue | undefined): string {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value !== 'object') return String(value);
  const head = Buffer.from(value.head).toString('hex');
  return `<${value.bytes} bytes: ${head}${value.bytes > value.head.length ? '…' : ''}>`;
}

/** A table of at most 120 columns of text; rows with too many cells for that come one below the other. */
export function rowsText({ columns, rows }: Pick<SqlRows, 'columns' | 'rows'>): string[] {
  if (rows.length === 0) return ['(no rows)'];
  if (columns.length * (MIN_COLUMN + 3) > MAX_WIDTH) return records({ columns, rows });
  const cells = rows.map((row) => row.map((value) => oneLine(valueText(value))));
  const widths = fit(
    columns.map((name, at) => cells.reduce((most, row) => Math.max(most, row[at]?.length ?? 0), name.length)),
  );
  const line = (texts: readonly string[]) =>
    widths
      .map((width, at) => cut(texts[at] ?? '', width).padEnd(width))
      .join(' | ')
      .trimEnd();
  return [line(columns), widths.map((width) => '-'.repeat(width)).join('-+-'), ...cells.map(line)];
}

/** One row, each value in full. */
export function recordText(columns: readonly string[], row: readonly SqlValue[]): string[] {
  return columns.flatMap((name, at) => {
    const [first = '', ...rest] = valueText(row[at]).split('\n');
    return [`${name}: ${first}`, ...rest.map((line) => `  ${line}`)];
  });
}

function records({ columns, rows }: Pick<SqlRows, 'columns' | 'rows'>): string[] {
  return rows.flatMap((row, index) => [
    ...(index === 0 ? [] : ['---']),
    ...columns.map((name, at) => `${name}: ${cutText(oneLine(valueText(row[at])), MAX_WIDTH - name.length)}`),
  ]);
}

function oneLine(text: string): string {
  // Far more than a column shows; the rest need not be looked at.
  return text
    .slice(0, 200)
    .replaceAll(/\r?\n/g, String.raw`\n`)
    .replaceAll('\t', String.raw`\t`);
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : cutText(text, width - 1);
}

/** Makes the widest columns narrower until the table fits. */
function fit(wanted: readonly number[]): number[] {
  const widths = wanted.map((width) => Math.min(width, MAX_COLUMN));
  const room = MAX_WIDTH - 3 * (widths.length - 1);
  for (let over = widths.reduce((sum, width) => sum + width, 0) - room; over > 0; over--) {
    const widest = widths.indexOf(Math.max(...widths));
    if ((widths[widest] ?? 0) <= MIN_COLUMN) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}
