/**
 * SQLite databases, each opened in a process of its own: a query can then be stopped, whatever it does, and where a sandbox
 * works the process sees nothing but the database.
 */
import { existsSync } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import type Libsql from 'libsql';
import type { Databases, SqlDatabase, SqlRows } from '../api.ts';
import { errors } from '../errors.ts';
import { type Helper, isHelperError, startHelper } from '../helper-process.ts';
import { FUNCTIONS } from './known-names.ts';
import { checkChanging, checkReading, foreignModuleIn } from './reading.ts';

/** What the library says about a change; its type keeps the package's version and this program together. */
type Changes = Pick<Libsql.RunResult, 'changes'> & { readonly lastRowId: bigint };

const TIMEOUT_MS = 15_000;
const MAX_ROWS = 500;
const MAX_SCHEMA = 10_000;

/** The end of a rollback journal that names another file, which SQLite would delete when it rolls back. */
const OTHER_FILE_MARK = Buffer.from('d9d505f920a163d7', 'hex');

/**
 * Long values are cut and bytes shortened before they cross; a result has at most 8 million characters. `understood` reads
 * SQLite's own listing of the statement, with everything that views, triggers, indices and generated columns bring in: a
 * function that is not on the list is refused before the statement runs.
 */
const PROGRAM = `
const Database = require(library);
let db, listing;
const MAX_CHARS = 65536, HEAD = 64, MAX_TOTAL = 8000000;
const plain = (value) => {
  if (typeof value === 'string') return value.length > MAX_CHARS ? value.slice(0, MAX_CHARS) + '\\u2026' : value;
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) {
    const bytes = Buffer.from(value.buffer ?? value, value.byteOffset ?? 0, value.byteLength);
    return { bytes: bytes.length, head: new Uint8Array(bytes.subarray(0, HEAD)) };
  }
  return typeof value === 'bigint' && value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;
};
// Plain numbers would arrive as REAL.
const bound = (values) => values.map((value) => (Number.isSafeInteger(value) ? BigInt(value) : value));
let known;
const CALLS = new Set(['Function', 'PureFunc', 'AggStep', 'AggStep1', 'AggInverse', 'AggValue', 'AggFinal']);
const understood = (sql) => {
  if (/^\\s*explain\\b/i.test(sql)) return;
  for (const [, opcode, , , , p4] of listing.prepare('EXPLAIN ' + sql).raw().all()) {
    const name = CALLS.has(opcode) ? String(p4).replace(/\\(-?\\d+\\)$/, '').toLowerCase() : undefined;
    if (name !== undefined && !known.has(name)) throw new Error('the function ' + name + ' is not allowed here');
  }
};
handle = ({ op, uri, functions, sql, values, maxRows, statements }) => {
  if (op === 'load') return null;
  if (op === 'open') {
    known = new Set(functions);
    db = new Database(uri);
    // The library never ends a listing, and one that has not ended keeps its connection from committing.
    listing = new Database(uri);
    for (const one of [db, listing]) {
      one.exec('PRAGMA trusted_schema = OFF');
      one.exec('PRAGMA cell_size_check = ON');
      one.exec('PRAGMA mmap_size = 0');
      one.exec('PRAGMA busy_timeout = 3000');
    }
    db.exec('PRAGMA hard_heap_limit = 268435456');
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    return db.prepare('SELECT name FROM pragma_module_list').raw().all().map(([name]) => String(name).toLowerCase());
  }
  if (op === 'query') {
    understood(sql);
    const statement = db.prepare(sql);
    if (!statement.reader) throw new Error('only queries can be run here');
    statement.raw().safeIntegers(true);
    const columns = statement.columns().map(({ name }) => name);
    const rows = [];
    let total = 0, more = false;
    for (const row of statement.iterate(...(values.length > 0 ? [bound(values)] : []))) {
      if (rows.length >= maxRows || total > MAX_TOTAL) { more = true; break; }
      const cells = row.map(plain);
      for (const cell of cells) total += typeof cell === 'string' ? cell.length : 8;
      rows.push(cells);
    }
    return { columns, rows, more };
  }
  for (const one of statements) understood(one.sql);
  let changes = 0, lastRowId = 0n;
  db.exec('BEGIN IMMEDIATE');
  try {
    for (const one of statements) {
      const result = db.prepare(one.sql).run(bound(one.values));
      changes += Number(result.changes);
      lastRowId = BigInt(result.lastInsertRowid);
    }
    db.exec('COMMIT');
  } catch (error) {
    // On a full disk SQLite has rolled back by itself; a second time would only hide the reason.
    if (db.inTransaction) db.exec('ROLLBACK');
    throw error;
  }
  return { changes, lastRowId };
};
`;

/** What SQLite says when the statement is right and the file is not to be written. */
const NOT_WRITTEN =
  /^(?:database or disk is full|attempt to write a readonly database|disk I\/O error|database is locked)/;

/** Makes the service. `confined: false` is for tests of what holds where no sandbox works. */
export function createDatabases({ confined = true }: { readonly confined?: boolean } = {}): Databases {
  return {
    async open(file, { signal, access = 'read' }): Promise<SqlDatabase> {
      const path = await realpath(file);
      if (access === 'write') await refuseForeignJournal(path);
      const uri = await uriOf(path, access);
      const what = `The work on the database ${file}`;
      const view = confined ? viewOf(path, access) : undefined;
      const helper = await startHelper({
        what,
        program: PROGRAM,
        library: 'libsql',
        timeoutMs: TIMEOUT_MS,
        signal,
        ...(view && { view }),
      });
      try {
        const modules = await helper.ask<string[]>({ op: 'open', uri, functions: [...FUNCTIONS] });
        await refuseForeignTables(helper, modules, file);
        return opened(helper, modules, file);
      } catch (fault) {
        helper.close();
        if (!isHelperError(fault)) throw fault;
        throw errors.create('DOCUMENTS_DATABASE', { file, reason: openReason(fault.message) }, fault);
      }
    },
  };
}

/** A full-text table can name any table as its content, also one of a module that reads files; SQLite's own checks do not see that. */
async function refuseForeignTables(helper: Helper, modules: readonly string[], file: string): Promise<void> {
  const sql = "SELECT name, sql FROM sqlite_schema WHERE sql LIKE '%virtual%'";
  const { rows } = await helper.ask<SqlRows>({ op: 'query', sql, values: [], maxRows: MAX_SCHEMA });
  for (const [name, text] of rows) {
    const module = foreignModuleIn(String(text), modules);
    if (module === undefined) continue;
    const reason = `its table ${String(name)} uses ${module}, which can read other files`;
    throw errors.create('DOCUMENTS_DATABASE', { file, reason });
  }
}

/** A reader needs the database and its log, and takes locks in the log's index; a writer makes files beside the database. */
function viewOf(path: string, access: 'read' | 'write'): { read: string[]; write: string[] } {
  if (access === 'write') return { read: [], write: [dirname(path)] };
  const there = (name: string) => (existsSync(name) ? [name] : []);
  return { read: [path, ...there(`${path}-wal`), ...there(`${path}-journal`)], write: there(`${path}-shm`) };
}

function opened(helper: Helper, modules: readonly string[], file: string): SqlDatabase {
  const ask = async <Answer>(request: object): Promise<Answer> => {
    try {
      return await helper.ask<Answer>(request);
    } catch (fault) {
      if (!isHelperError(fault)) throw fault;
      const code = NOT_WRITTEN.test(fault.message) ? 'DOCUMENTS_DATABASE_WRITE' : 'DOCUMENTS_SQL';
      throw errors.create(code, { file, reason: fault.message }, fault);
    }
  };
  return {
    query: async (sql, values = [], { maxRows = MAX_ROWS } = {}) => {
      checkReading(sql, modules);
      return ask<SqlRows>({ op: 'query', sql, values, maxRows });
    },
    change: async (statements) => {
      for (const { sql } of statements) checkChanging(sql, modules);
      return ask<Changes>({ op: 'change', statements });
    },
    close: async () => helper.close(),
  };
}

async function uriOf(file: string, access: 'read' | 'write'): Promise<string> {
  const path = encodeURI(file).replaceAll('?', '%3f').replaceAll('#', '%23');
  if (access === 'write') return `file:${path}?mode=rw`;
  return `file:${path}?${(await isIdleWal(file)) ? 'immutable=1' : 'mode=ro'}`;
}

/**
 * A database with a write-ahead log that nobody has open: a reader would make the log's files and could not take them away
 * again. As nobody writes, it is read as if it could not change.
 */
async function isIdleWal(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { buffer } = await handle.read({ buffer: Buffer.alloc(20), position: 0 });
    return buffer[18] === 2 && !existsSync(`${file}-wal`);
  } finally {
    await handle.close();
  }
}

/** A journal that came with a project can name any file of the user's as its companion. */
async function refuseForeignJournal(file: string): Promise<void> {
  const journal = `${file}-journal`;
  if (!existsSync(journal)) return;
  const handle = await open(journal);
  try {
    const { size } = await handle.stat();
    const end = await handle.read({ buffer: Buffer.alloc(8), position: Math.max(0, size - 8) });
    if (!end.buffer.equals(OTHER_FILE_MARK)) return;
  } finally {
    await handle.close();
  }
  const reason = 'its journal belongs to several files, and rolling it back could delete one of them';
  throw errors.create('DOCUMENTS_DATABASE', { file, reason });
}

function openReason(message: string): string {
  if (/: 14\b|unable to open/i.test(message)) return 'it cannot be read';
  return message.replace(/^ConnectionFailed\("?|"?\)$/g, '');
}
