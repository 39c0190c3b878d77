/** Databases: their tables, the shape of one, its rows, and what a query gives. */
import type { SqlDatabase, SqlValue } from '@tenon/documents/api';
import type { ToolResult } from '@tenon/tools/api';
import { errors } from '../../errors.ts';
import { listResult, type Reading, type Subject } from '../reading.ts';
import { type DatabaseAddress, databaseAddress, type RowChoice } from './address.ts';
import { recordText, rowsText } from './rows-text.ts';
import { columnOf, findTable, listTables, quoted, type TableInfo } from './tables.ts';

const MAX_TABLES = 500;
const SAMPLE_ROWS = 5;
const MAX_ROWS = 500;
/** Counting goes through the whole table; it stops at this many rows, and after this time for further tables. */
const MAX_COUNTED = 1_000_000;
const COUNTING_MS = 3000;
const ALL_LINES = 3000;

interface Shown {
  readonly lines: readonly string[];
  readonly limits?: Readonly<Record<string, number>>;
}

/** Shows the part of a database that `inner` names. */
export async function databaseView(
  { host, signal }: Reading,
  subject: Subject,
  file: string,
  inner: string,
): Promise<ToolResult> {
  const address = databaseAddress(inner, subject.shownPath);
  const db = await (await host.databases()).open(file, { signal });
  try {
    const { lines, limits } = await show(db, address, subject.shownPath);
    return listResult(subject, lines, ALL_LINES, { ...(limits && { meta: { limits } }) });
  } finally {
    await db.close();
  }
}

async function show(db: SqlDatabase, address: DatabaseAddress, shownPath: string): Promise<Shown> {
  if (address.kind === 'tables') return tableList(db, shownPath);
  if (address.kind === 'query') return queryRows(db, address.sql);
  const table = await findTable(db, address.table, shownPath);
  if (address.kind === 'table') return tableShape(db, table, shownPath);
  if (address.kind === 'row') return oneRow(db, table, address.key, shownPath);
  return someRows(db, table, address.rows, shownPath);
}

async function tableList(db: SqlDatabase, shownPath: string): Promise<Shown> {
  const { tables, more } = await listTables(db, MAX_TABLES);
  if (tables.length === 0) return { lines: ['(no tables)'] };
  const start = Date.now();
  const lines: string[] = [];
  for (const { name, kind } of tables) {
    const isCounted = kind === 'table' && Date.now() - start < COUNTING_MS;
    lines.push(`${name}  ${isCounted ? await countText(db, name) : kind}`);
  }
  return {
    lines: [
      ...lines,
      ...(more ? ['…'] : []),
      '',
      `[Use ${shownPath}:TABLE for columns and a sample, ${shownPath}?q=SELECT … for queries]`,
    ],
    ...(more && { limits: { resultLimit: MAX_TABLES } }),
  };
}

async function countText(db: SqlDatabase, table: string): Promise<string> {
  const count = Number(await countRows(db, `SELECT 1 FROM ${quoted(table)}`, []));
  return count > MAX_COUNTED ? `more than ${MAX_COUNTED} rows` : `${count} ${count === 1 ? 'row' : 'rows'}`;
}

async function countRows(db: SqlDatabase, rows: string, values: readonly SqlValue[]): Promise<number> {
  const counted = await db.query(`SELECT count(*) FROM (${rows} LIMIT ${MAX_COUNTED + 1})`, values);
  return Number(counted.rows[0]?.[0] ?? 0);
}

async function tableShape(db: SqlDatabase, { name }: TableInfo, shownPath: string): Promise<Shown> {
  const shape = await db.query(
    'SELECT sql FROM sqlite_schema WHERE tbl_name = ? AND sql IS NOT NULL ORDER BY type = ? DESC, type = ? DESC, name',
    [name, 'table', 'view'],
  );
  const sample = await db.query(`SELECT * FROM ${quoted(name)}`, [], { maxRows: SAMPLE_ROWS });
  return {
    lines: [
      ...shape.rows.flatMap(([sql]) => `${String(sql)};`.split('\n')),
      '',
      ...rowsText(sample),
      ...(sample.more
        ? ['', `[A sample of ${SAMPLE_ROWS} rows. Use ${shownPath}:${name}?limit=20 to page through them]`]
        : []),
    ],
  };
}

async function oneRow(db: SqlDatabase, table: TableInfo, key: string, shownPath: string): Promise<Shown> {
  const result = await db.query(`SELECT * FROM ${quoted(table.name)} WHERE ${keyCondition(table)} LIMIT 1`, [key]);
  const [row] = result.rows;
  if (!row) {
    const { name, keyColumn } = table;
    throw errors.create('FILE_TOOLS_ROW', { table: name, column: keyColumn, key, path: shownPath });
  }
  return { lines: recordText(result.columns, row) };
}

/** The condition that names one row; a view has no rowid, and its rows no names. */
export function keyCondition({ name, kind, keyColumn }: TableInfo): string {
  if (kind === 'view') {
    const reason = 'rows of a view have no key; use where';
    throw errors.create('FILE_TOOLS_DATABASE_PATH', { path: name, reason });
  }
  return `${keyColumn === 'rowid' ? 'rowid' : quoted(keyColumn)} = ?`;
}

async function someRows(db: SqlDatabase, table: TableInfo, choice: RowChoice, shownPath: string): Promise<Shown> {
  const { limit, offset, order, where } = choice;
  const condition = where === undefined ? '' : ` WHERE (${where})`;
  const sorted = order ? ` ORDER BY ${orderColumn(table, order.column)} ${order.direction}` : '';
  const from = `FROM ${quoted(table.name)}${condition}`;
  const result = await db.query(`SELECT * ${from}${sorted} LIMIT ${limit + 1} OFFSET ${offset}`, [], {
    maxRows: limit,
  });
  const count = await countRows(db, `SELECT 1 ${from}`, []);
  const total = count > MAX_COUNTED ? `more than ${MAX_COUNTED}` : String(count);
  const end = offset + result.rows.length;
  const range = result.rows.length === 0 ? `no rows from ${offset + 1} on` : `rows ${offset + 1}-${end}`;
  const next = result.more
    ? `. Use ${shownPath}:${table.name}?${parameters({ ...choice, offset: end })} to continue`
    : '';
  return { lines: [...rowsText(result), '', `[${range} of ${total}${next}]`], limits: { rows: limit } };
}

function orderColumn(table: TableInfo, column: string): string {
  const name = columnOf(table, column);
  return name === 'rowid' ? name : quoted(name);
}

function parameters({ limit, offset, order, where }: RowChoice): string {
  return [
    ...(where === undefined ? [] : [`where=${where}`]),
    ...(order ? [`order=${order.column}:${order.direction.toLowerCase()}`] : []),
    `limit=${limit}`,
    `offset=${offset}`,
  ].join('&');
}

async function queryRows(db: SqlDatabase, sql: string): Promise<Shown> {
  const result = await db.query(sql, [], { maxRows: MAX_ROWS });
  const note = result.more ? ['', `[The first ${result.rows.length} rows. Add LIMIT and OFFSET to see others]`] : [];
  return { lines: [...rowsText(result), ...note], ...(result.more && { limits: { rows: MAX_ROWS } }) };
}
