import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDatabases } from '../src/database/sqlite.ts';
import { folder, python, signal } from '@tenon/test-kit/office-files';

const databases = createDatabases();
let made: ReturnType<typeof folder>;
beforeEach(() => {
  made = folder();
  python(
    `import sqlite3,sys
db=sqlite3.connect(sys.argv[1])
db.execute('create table t(id integer primary key, name text, data blob)')
db.executemany('insert into t values(?,?,?)',[(1,'Ada',b'\\x00\\x01'),(9007199254740993,'big',None)])
db.commit()`,
    made.file('a b?.db'),
  );
});
afterEach(() => made.remove());

const file = () => made.file('a b?.db');

describe('a database that is opened for reading', () => {
  it('answers queries with numbers of any size and bytes that are cut', async () => {
    const db = await databases.open(file(), { signal });
    expect(await db.query('SELECT id, name, data FROM t WHERE id >= ? ORDER BY id', [1])).toEqual({
      columns: ['id', 'name', 'data'],
      rows: [
        [1, 'Ada', { bytes: 2, head: Uint8Array.of(0, 1) }],
        [9_007_199_254_740_993n, 'big', null],
      ],
      more: false,
    });
    expect(await db.query('VALUES (1),(2),(3)', [], { maxRows: 2 })).toMatchObject({ rows: [[1], [2]], more: true });
    await db.close();
  });

  it.each([
    ["INSERT INTO t(name) VALUES ('x')", /only queries/],
    ["VACUUM INTO 'copy.db'", /only queries/],
    ["ATTACH 'new.db' AS n", /only queries/],
    ['WITH x AS (SELECT 1) DELETE FROM t', /only queries/],
    ['WITH x AS (SELECT 1) DELETE FROM t RETURNING *', /only queries/],
    ['SELECT 1; DROP TABLE t', /one statement/],
    ['PRAGMA journal_mode = DELETE', /not allowed/],
    ['-- nothing', /empty/],
    ['SELECT * FROM nope', /no such table: nope/],
  ])('refuses %s', async (sql, message) => {
    const db = await databases.open(file(), { signal });
    await expect(db.query(sql)).rejects.toThrow(message);
    await db.close();
    expect(readdirSync(made.path)).toEqual(['a b?.db']);
  });

  it('sees what is committed while another process writes, and leaves nothing behind', async () => {
    python(`import sqlite3,sys; sqlite3.connect(sys.argv[1]).execute('pragma journal_mode=wal')`, file());
    const idle = await databases.open(file(), { signal });
    expect((await idle.query('SELECT count(*) FROM t')).rows).toEqual([[2]]);
    await idle.close();
    expect(readdirSync(made.path)).toEqual(['a b?.db']);
    const writer = spawn('python3', [
      '-c',
      `import sqlite3,sys
db=sqlite3.connect(sys.argv[1],isolation_level=None)
db.execute("insert into t(name) values('three')")
db.execute('begin immediate'); db.execute("insert into t(name) values('four')")
print('ready',flush=True); sys.stdin.read()`,
      file(),
    ]);
    await once(writer.stdout, 'data');
    const db = await databases.open(file(), { signal });
    expect((await db.query('SELECT count(*) FROM t')).rows).toEqual([[3]]);
    await db.close();
    writer.stdin.end();
    await once(writer, 'exit');
  });

  it('is stopped with the caller, even in a query without end', async () => {
    const abort = new AbortController();
    const db = await databases.open(file(), { signal: abort.signal });
    const endless = db.query('WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT count(*) FROM c');
    setTimeout(() => abort.abort(), 100);
    await expect(endless).rejects.toThrow(/abort/i);
    await db.close();
  });

  it('is refused when it is none', async () => {
    writeFileSync(made.file('x.db'), `SQLite format 3\0${'junk'.repeat(500)}`);
    await expect(databases.open(made.file('x.db'), { signal })).rejects.toMatchObject({ code: 'DOCUMENTS_DATABASE' });
  });
});

describe('a database that is opened for writing', () => {
  it.each([
    // What a full disk does: SQLite takes everything back by itself.
    ['ROLLBACK', 'database or disk is full', 'DOCUMENTS_DATABASE_WRITE', /free space/],
    ['ABORT', 'attempt to write a readonly database', 'DOCUMENTS_DATABASE_WRITE', /permissions/],
    ['ROLLBACK', 'one name too many', 'DOCUMENTS_SQL', /Correct the query/],
  ])('says why nothing was written, and what to do (%s: %s)', async (how, reason, code, next) => {
    const trigger = `create trigger full before insert on t begin select raise(${how}, '${reason}'); end`;
    python('import sqlite3,sys; sqlite3.connect(sys.argv[1]).execute(sys.argv[2])', file(), trigger);
    const db = await databases.open(file(), { signal, access: 'write' });
    const insert = { sql: 'INSERT INTO t(name) VALUES (?)', values: ['x'] };
    await expect(db.change([insert])).rejects.toMatchObject({
      code,
      message: expect.stringContaining(reason),
      next: expect.stringMatching(next),
    });
    expect((await db.query('SELECT count(*) FROM t')).rows).toEqual([[2]]);
    await db.close();
  });

  it('takes all statements of a change or none', async () => {
    const db = await databases.open(file(), { signal, access: 'write' });
    const insert = { sql: 'INSERT INTO t(id, name) VALUES (?, ?)', values: [7, 'seven'] };
    expect(await db.change([insert])).toEqual({ changes: 1, lastRowId: 7n });
    await expect(db.change([{ sql: 'DELETE FROM t', values: [] }, insert, insert])).rejects.toThrow(/UNIQUE/);
    expect((await db.query('SELECT count(*) FROM t')).rows).toEqual([[3]]);
    await db.close();
    expect(existsSync(`${file()}-journal`)).toBe(false);
  });
});
