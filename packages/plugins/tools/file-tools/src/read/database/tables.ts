/** What is known about the tables of a database before their rows are looked at. */
import type { SqlDatabase } from '@tenon/documents/api';
import { errors } from '../../errors.ts';

const MAX_NAMED = 50;

/** A table or a view. */
export interface TableInfo {
  readonly name: string;
  readonly kind: 'table' | 'view';
  readonly columns: readonly string[];
  /** The column that names a row: the only primary key, else `rowid`. */
  readonly keyColumn: string;
}

/** A name as SQL writes it, whatever is in it. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Tables and views by name. */
export async function listTables(
  db: SqlDatabase,
  maxRows: number,
): Promise<{ readonly tables: readonly { readonly name: string; readonly kind: string }[]; readonly more: boolean }> {
  const { rows, more } = await db.query(
    "SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
    [],
    { maxRows },
  );
  return { tables: rows.map(([name, kind]) => ({ name: String(name), kind: String(kind) })), more };
}

/** Finds a table as SQLite would, without regard to case. */
export async function findTable(db: SqlDatabase, table: string, shownPath: string): Promise<TableInfo> {
  const { rows } = await db.query(
    "SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'view') AND name = ? COLLATE NOCASE",
    [table],
  );
  const [name, kind] = rows[0] ?? [];
  if (name === undefined) {
    const { tables, more } = await listTables(db, MAX_NAMED);
    const names = [...tables.map((known) => known.name), ...(more ? ['…'] : [])];
    throw errors.create('FILE_TOOLS_TABLE', { table, path: shownPath, tables: names.length > 0 ? names : 'none' });
  }
  const columns = await db.query('SELECT name, pk FROM pragma_table_xinfo(?)', [String(name)]);
  const keys = columns.rows.filter(([, pk]) => pk !== 0).map(([column]) => String(column));
  return {
    name: String(name),
    kind: kind === 'view' ? 'view' : 'table',
    columns: columns.rows.map(([column]) => String(column)),
    keyColumn: keys.length === 1 && keys[0] !== undefined ? keys[0] : 'rowid',
  };
}

/** The column's name as the table has it; refuses others. */
export function columnOf({ name, columns }: TableInfo, column: string): string {
  const match = columns.find((candidate) => candidate.toLowerCase() === column.toLowerCase());
  if (match === undefined && column.toLowerCase() === 'rowid') return 'rowid';
  if (match === undefined) throw errors.create('FILE_TOOLS_COLUMN', { table: name, column, columns });
  return match;
}
