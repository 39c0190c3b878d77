/** SQLite databases, each opened in a process of its own: a query can then be stopped, whatever it does. */
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type Libsql from 'libsql';
import type { Databases, SqlDatabase, SqlRows } from '../api.ts';
import { errors } from '../errors.ts';
import { type Helper, isHelperError, startHelper } from '../helper-process.ts';
import { checkReading } from './reading.ts';

/** What the library says about a change; its type keeps the package's version and this program together. */
type Changes = Pick<Libsql.RunResult, 'changes'> & { readonly lastRowId: bigint };

const TIMEOUT_MS = 15_000;
const MAX_ROWS = 500;

/** Long values are cut and bytes shortened before they cross; a result has at most 8 million characters. */
const PROGRAM = `
const Database = require(library);
let db;
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
handle = ({ op, uri, sql, values, maxRows, statements }) => {
  if (op === 'open') {
    db = new Database(uri);
    db.exec('PRAGMA busy_timeout = 3000');
    db.exec('PRAGMA hard_heap_limit = 268435456');
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    return null;
  }
  if (op === 'query') {
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
    db.exec('ROLLBACK');
    throw error;
  }
  return { changes, lastRowId };
};
`;

/** Makes the service. */
export function createDatabases(): Databases {
  return {
    async open(file, { signal, access = 'read' }): Promise<SqlDatabase> {
      const uri = await uriOf(file, access);
      const what = `The work on the database ${file}`;
      const helper = await startHelper({ what, program: PROGRAM, library: 'libsql', timeoutMs: TIMEOUT_MS, signal });
      try {
        await helper.ask({ op: 'open', uri });
      } catch (fault) {
        helper.close();
        if (!isHelperError(fault)) throw fault;
        throw errors.create('DOCUMENTS_DATABASE', { file, reason: openReason(fault.message) }, fault);
      }
      return opened(helper);
    },
  };
}

function opened(helper: Helper): SqlDatabase {
  const ask = async <Answer>(request: object): Promise<Answer> => {
    try {
      return await helper.ask<Answer>(request);
    } catch (fault) {
      if (!isHelperError(fault)) throw fault;
      throw errors.create('DOCUMENTS_SQL', { reason: fault.message }, fault);
    }
  };
  return {
    query: async (sql, values = [], { maxRows = MAX_ROWS } = {}) => {
      checkReading(sql);
      return ask<SqlRows>({ op: 'query', sql, values, maxRows });
    },
    change: (statements) => ask<Changes>({ op: 'change', statements }),
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

function openReason(message: string): string {
  if (/: 14\b|unable to open/i.test(message)) return 'it cannot be read';
  return message.replace(/^ConnectionFailed\("?|"?\)$/g, '');
}
