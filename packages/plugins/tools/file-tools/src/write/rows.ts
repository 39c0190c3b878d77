/** Rows of databases: adding, changing and deleting them. */
import type { SqlDatabase, SqlValue } from '@tenon/documents/api';
import { errors } from '../errors.ts';
import { databaseAddress } from '../read/database/address.ts';
import { columnOf, findTable, quoted, type TableInfo } from '../read/database/tables.ts';
import { keyCondition } from '../read/database/view.ts';

/** What was done. */
export interface RowsWritten {
  readonly text: string;
  readonly op: 'insert' | 'update' | 'delete';
}

/** Writes to what `inner` names: `:table` adds rows, `:table:key` changes one, or deletes it when there is no content. */
export async function writeRows(
  db: SqlDatabase,
  inner: string,
  content: string,
  shownPath: string,
): Promise<RowsWritten> {
  const address = databaseAddress(inner, shownPath);
  if (address.kind !== 'table' && address.kind !== 'row') {
    const reason = 'only a table or one of its rows can be written';
    throw errors.create('FILE_TOOLS_DATABASE_PATH', { path: `${shownPath}${inner}`, reason });
  }
  const table = await findTable(db, address.table, shownPath);
  const refuse = (reason: string) => errors.create('FILE_TOOLS_ROW_CONTENT', { path: `${shownPath}${inner}`, reason });
  if (address.kind === 'table') return insertRows(db, table, objectsIn(content, refuse), shownPath);
  const missing = () =>
    errors.create('FILE_TOOLS_ROW', { table: table.name, column: table.keyColumn, key: address.key, path: shownPath });
  const row = `${table.name} row ${address.key} of ${shownPath}`;
  if (content.trim() === '') {
    const sql = `DELETE FROM ${quoted(table.name)} WHERE ${keyCondition(table)}`;
    if ((await db.change([{ sql, values: [address.key] }])).changes === 0) throw missing();
    return { text: `Deleted ${row}`, op: 'delete' };
  }
  const [first, ...others] = objectsIn(content, refuse);
  if (!first || others.length > 0) throw refuse('one row takes one object');
  const cells = cellsOf(table, first, refuse);
  const assignments = cells.map(([column]) => `${quoted(column)} = ?`).join(', ');
  const sql = `UPDATE ${quoted(table.name)} SET ${assignments} WHERE ${keyCondition(table)}`;
  const values = [...cells.map(([, value]) => value), address.key];
  if ((await db.change([{ sql, values }])).changes === 0) throw missing();
  return { text: `Updated ${row} (${cells.map(([column]) => column).join(', ')})`, op: 'update' };
}

async function insertRows(
  db: SqlDatabase,
  table: TableInfo,
  objects: readonly Readonly<Record<string, unknown>>[],
  shownPath: string,
): Promise<RowsWritten> {
  const refuse = (reason: string) =>
    errors.create('FILE_TOOLS_ROW_CONTENT', { path: `${shownPath}:${table.name}`, reason });
  const statements = objects.map((object) => {
    const cells = cellsOf(table, object, refuse);
    const names = cells.map(([column]) => quoted(column)).join(', ');
    const marks = cells.map(() => '?').join(', ');
    return {
      sql: `INSERT INTO ${quoted(table.name)} (${names}) VALUES (${marks})`,
      values: cells.map(([, value]) => value),
    };
  });
  const { changes, lastRowId } = await db.change(statements);
  const what = changes === 1 ? `1 row, rowid ${lastRowId}` : `${changes} rows`;
  return { text: `Added ${what} to ${table.name} of ${shownPath}`, op: 'insert' };
}

function objectsIn(content: string, refuse: (reason: string) => Error): Readonly<Record<string, unknown>>[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(content);
  } catch (fault) {
    throw refuse(`it is not JSON (${(fault as Error).message})`);
  }
  const objects: unknown[] = Array.isArray(parsed) ? parsed : [parsed];
  const isObject = (one: unknown) => typeof one === 'object' && one !== null && !Array.isArray(one);
  if (objects.length === 0 || !objects.every(isObject)) throw refuse('it is neither an object nor an array of objects');
  return objects as Readonly<Record<string, unknown>>[];
}

function cellsOf(
  table: TableInfo,
  object: Readonly<Record<string, unknown>>,
  refuse: (reason: string) => Error,
): (readonly [column: string, value: SqlValue])[] {
  const cells = Object.entries(object).map(([key, value]) => [columnOf(table, key), cellValue(value)] as const);
  if (cells.length === 0) throw refuse('it names no columns');
  return cells;
}

/** Lists and objects are kept as JSON, as SQLite's own functions do. */
function cellValue(value: unknown): SqlValue {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value;
  return typeof value === 'boolean' ? Number(value) : JSON.stringify(value);
}
