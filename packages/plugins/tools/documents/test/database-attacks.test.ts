/** A database and a query can both come from an attacker. Nothing but the rows of the database may come out, and nothing may be written. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { caseCount } from '@tenon/test-kit/properties';
import fc from 'fast-check';
import Libsql from 'libsql';
import { chooseMechanism } from '@tenon/sandbox/api';
import { folder, python, signal } from '@tenon/test-kit/office-files';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkChanging, checkReading } from '../src/database/reading.ts';
import { FORBIDDEN_MODULES, FUNCTIONS, isKnownPragmaTable, MODULES } from '../src/database/known-names.ts';
import { createDatabases } from '../src/database/sqlite.ts';
import { startHelper } from '../src/helper-process.ts';

const CANARY = 'CANARY-7c1f';
const made = folder();
const db = () => made.file('a.db');
const canary = () => made.file('canary.txt');
const planted = () => made.file('planted.txt');
const mechanism = (await chooseMechanism('auto')).mechanism;
const variants = [{ confined: false }, ...(mechanism === undefined ? [] : [{ confined: true }])];

beforeAll(() => {
  writeFileSync(canary(), CANARY);
  const direct = new Libsql(db());
  direct.exec('CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, data JSON)');
  direct.exec(`INSERT INTO t(name, data) VALUES ('Ada', '{"a":[1,2]}'), ('Bob', '{}')`);
  direct.close();
});
afterAll(() => made.remove());

const HARMLESS = [
  'SELECT * FROM t',
  "select count(*), max(id) from t where name like 'A%' or \"name\" = 'x'",
  "SELECT json_extract(data, '$.a[0]'), data -> '$.a', data ->> '$.a' FROM t",
  'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 3) SELECT * FROM c',
  'WITH a(x, "y") AS MATERIALIZED (VALUES (1, 2)), b AS (SELECT * FROM a) SELECT * FROM b',
  'SELECT name FROM t WHERE id IN (SELECT id FROM t) AND NOT (name IS NULL) ORDER BY (id) LIMIT (1)',
  'SELECT row_number() OVER (PARTITION BY name ORDER BY id) FROM t',
  "SELECT group_concat(name, ', ') FILTER (WHERE id > 0) FROM t GROUP BY (name) HAVING (count(*) > 0)",
  'SELECT t.id FROM t JOIN (SELECT id FROM t) u USING (id) LEFT JOIN t v ON (v.id = t.id)',
  'SELECT value FROM t, json_each(t.data)',
  'SELECT * FROM generate_series(1, 3)',
  "SELECT * FROM pragma_table_info('t')",
  'PRAGMA table_info(t)',
  'PRAGMA main.user_version;',
  'PRAGMA integrity_check',
  'EXPLAIN QUERY PLAN SELECT * FROM t WHERE id = 1',
  'EXPLAIN SELECT count(*) FROM t',
  "SELECT 'readfile(1)', 'a;b', '--', '/*' -- ; readfile('x')",
  'SELECT CASE WHEN (1) THEN (2) ELSE (3) END, CAST(id AS TEXT), substr(name, 1, 2), coalesce(null, upper(name)) FROM t',
  "SELECT strftime('%Y', 'now'), round(1.5, 1), 1e3, .5, 0x1f, x'00', abs(-1), iif(1, 2, 3) FROM t",
  'SELECT name AS "delete", id AS [order by] FROM t WHERE EXISTS (SELECT 1) /* done */',
  'SELECT name, sql FROM sqlite_schema',
  'SELECT name FROM dbstat',
  'VALUES (1), (2)',
];

describe.each(variants)('a query (confined: $confined)', ({ confined }) => {
  const databases = createDatabases({ confined });

  it('runs when it only reads the database', async () => {
    const open = await databases.open(db(), { signal });
    for (const sql of HARMLESS) await expect(open.query(sql), sql).resolves.toMatchObject({ more: false });
    await open.close();
  });

  it.each([
    (file: string) => `SELECT readfile('${file}')`,
    (file: string) => `SELECT "readfile" ( '${file}' )`,
    (file: string) => `SELECT [readfile]/**/('${file}')`,
    (file: string) => `SELECT \`ReadFile\`--\n('${file}')`,
    (file: string) => `SELECT readfile \v('${file}')`,
    (file: string) => `SELECT \u{FEFF}readfile\u{FEFF}('${file}')`,
    (file: string) => `SELECT data FROM fsdir('${file}')`,
    (file: string) => `SELECT data FROM 'fsdir'('${file}')`,
    (file: string) => `SELECT data FROM main.fsdir('${file}')`,
    (file: string) => `SELECT data FROM fsdir WHERE path = '${file}'`,
    (file: string) => `SELECT data FROM "FSDIR" WHERE path = '${file}'`,
    (file: string) => `SELECT data FROM 'fsdir' WHERE path = '${file}'`,
    (file: string) => `SELECT 1 WHERE '${file}' IN fsdir('${file}')`,
    (file: string) => `SELECT sha3_query('SELECT readfile(''${file}'')')`,
    (file: string) => `WITH x(a) AS (SELECT readfile('${file}')) SELECT a FROM x`,
    (file: string) => `SELECT max(a) OVER (ORDER BY readfile('${file}')) FROM (SELECT 1 a)`,
    (file: string) => `EXPLAIN SELECT readfile('${file}')`,
    (file: string) => `SELECT writefile('${file}2', 'x')`,
    (file: string) => `SELECT load_extension('${file}')`,
    (file: string) => `SELECT edit('x', 'cat ${file}')`,
    (file: string) => `SELECT fts3_tokenizer('${file}')`,
    (file: string) => `SELECT * FROM zipfile('${file}')`,
    (file: string) => `PRAGMA temp_store_directory = '${file}'`,
    (file: string) => `SELECT $a(readfile), '${file}'`,
    () => 'PRAGMA writable_schema = 1',
    () => 'PRAGMA journal_mode(delete)',
    () => 'SELECT * FROM pragma_optimize',
    () => 'REINDEX',
    () => 'WITH a AS (SELECT 1) REPLACE INTO t(id) VALUES (1)',
  ])('is refused before it reaches a file: %s', async (sql) => {
    const open = await databases.open(db(), { signal });
    await expect(open.query(sql(canary()))).rejects.toMatchObject({ code: 'DOCUMENTS_SQL' });
    await open.close();
    expect(readdirSync(made.path).sort()).toEqual(['a.db', 'canary.txt']);
  });

  it.each<[string, RegExp, (canary: string, planted: string) => string]>([
    ['view that reads', /readfile/, (file) => `CREATE VIEW x AS SELECT readfile('${file}') AS a`],
    ['view of a listing', /fsdir/, (file) => `CREATE VIEW x AS SELECT data AS a FROM fsdir('${file}')`],
    ['view that writes', /writefile/, (_, file) => `CREATE VIEW x AS SELECT writefile('${file}', 1) AS a`],
    [
      'view with SQL',
      /sha3/,
      (_, file) => `CREATE VIEW x AS SELECT sha3_query('SELECT writefile(''${file}'', 1)') AS a`,
    ],
    ['view of an unlisted function', /sqlite_log/, () => `CREATE VIEW x AS SELECT sqlite_log(1, 'x') AS a`],
    ['column', /generated columns/, (_, file) => `CREATE TABLE x(a, b AS (writefile('${file}', a)))`],
    ['check', /writefile|"a"/, (_, file) => `CREATE TABLE x(a CHECK (writefile('${file}', a) > 0))`],
    ['default', /writefile|"a"/, (_, file) => `CREATE TABLE x(a, b DEFAULT (writefile('${file}', 'x')))`],
  ])('gets nothing out of a hostile database with a %s', async (_, expected, sqlOf) => {
    const texts = await tried(made.file('hostile.db'), [['x', sqlOf(canary(), planted())]]);
    expect(texts.join('\n')).toMatch(expected);
  });

  it.each<[string, RegExp, (planted: string) => string]>([
    ['partial index', /index/, (file) => `CREATE INDEX i ON x(a) WHERE writefile('${file}', a) IS NOT NULL`],
    ['index', /index/, (file) => `CREATE INDEX i ON x(writefile('${file}', a))`],
    ['trigger', /writefile/, (file) => `CREATE TRIGGER i AFTER INSERT ON x BEGIN SELECT writefile('${file}', 1); END`],
  ])('gets nothing out of a hostile database with a %s', async (_, expected, sqlOf) => {
    const texts = await tried(made.file('hostile.db'), [
      ['x', 'CREATE TABLE x(a)'],
      ['i', sqlOf(planted())],
    ]);
    expect(texts.join('\n')).toMatch(expected);
  });

  /** What comes out of a database whose schema was written by hand, past all that SQLite checks when it makes one. */
  async function tried(hostile: string, schema: readonly (readonly [string, string])[]): Promise<string[]> {
    python(
      `import sqlite3,sys,json
db=sqlite3.connect(sys.argv[1])
for name,sql in json.loads(sys.argv[2]):
  kind=sql.split()[1].lower()
  db.execute({'table':'create table x(a)','view':'create view x as select 1 as a','index':'create index i on x(a)','trigger':'create trigger i after insert on x begin select 1; end'}[kind])
  if kind=='table': db.execute('insert into x values(1)')
db.execute('pragma writable_schema=1')
for name,sql in json.loads(sys.argv[2]): db.execute('update sqlite_schema set sql=? where name=?',(sql,name))
db.commit()`,
      hostile,
      JSON.stringify(schema),
    );
    const texts: string[] = [];
    const note = (fault: Error) => void texts.push(fault.message);
    for (const access of ['read', 'write'] as const) {
      const open = await databases.open(hostile, { signal, access }).catch(note);
      if (!open) continue;
      for (const sql of ['SELECT * FROM x', 'SELECT a FROM x WHERE a > 0', 'PRAGMA integrity_check'])
        await open.query(sql).then((rows) => texts.push(JSON.stringify(rows)), note);
      const insert = { sql: 'INSERT INTO x (a) VALUES (?)', values: [3] };
      if (access === 'write') await open.change([insert]).catch(note);
      await open.close();
    }
    for (const file of readdirSync(made.path)) if (file.startsWith('hostile')) rmSync(made.file(file));
    expect(texts.join('\n')).not.toContain(CANARY);
    expect(existsSync(planted())).toBe(false);
    return texts;
  }

  it.each([
    "CREATE VIRTUAL TABLE x USING fts5(name, data, content='fsdir', content_rowid='path')",
    'CREATE VIRTUAL TABLE x USING fts4(content="FSDIR", name, data)',
  ])('refuses a database whose full-text table is made of files: %s', async (sql) => {
    const hostile = made.file('hostile.db');
    python('import sqlite3,sys; sqlite3.connect(sys.argv[1]).execute(sys.argv[2])', hostile, sql);
    await expect(databases.open(hostile, { signal })).rejects.toThrow(/uses fsdir, which can read other files/);
    for (const file of readdirSync(made.path)) if (file.startsWith('hostile')) rmSync(made.file(file));
  });

  it('refuses to roll a journal back that names another file, which SQLite would delete', async () => {
    const name = Buffer.from(canary());
    const tail = Buffer.alloc(16);
    tail.writeUInt32BE(name.length, 0);
    tail.writeUInt32BE(
      name.reduce((sum, byte) => sum + byte, 0),
      4,
    );
    Buffer.from('d9d505f920a163d7', 'hex').copy(tail, 8);
    writeFileSync(`${db()}-journal`, Buffer.concat([Buffer.alloc(512), name, tail]));
    const opening = databases.open(db(), { signal, access: 'write' });
    await expect(opening).rejects.toThrow(/journal belongs to several files/);
    rmSync(`${db()}-journal`);
    expect(readFileSync(canary(), 'utf8')).toBe(CANARY);
  });
});

describe('the check of statements', () => {
  it('knows every module of the installed library, as known or as forbidden', () => {
    const direct = new Libsql(':memory:');
    const modules = direct.prepare('SELECT name FROM pragma_module_list').all() as { name: string }[];
    const unknown = modules
      .map(({ name }) => name.toLowerCase())
      .filter((name) => !MODULES.has(name) && !FORBIDDEN_MODULES.has(name) && !isKnownPragmaTable(name));
    expect(unknown).toEqual([]);
  });

  it('knows no function that the library marks as unsafe', () => {
    const direct = new Libsql(':memory:');
    const list = direct.prepare('SELECT name, flags FROM pragma_function_list').all() as Record<string, unknown>[];
    const unsafe = list.filter(({ flags }) => (Number(flags) & 0x80000) !== 0).map(({ name }) => String(name));
    expect(unsafe).toContain('readfile');
    expect(unsafe.filter((name) => FUNCTIONS.has(name))).toEqual([]);
  });

  it('would let the file out if it let the call through', () => {
    const [row] = new Libsql(':memory:').prepare(`SELECT readfile('${canary()}') AS x`).all() as { x: Buffer }[];
    expect(Buffer.from(row?.x ?? '').toString()).toBe(CANARY);
  });

  it('lets none of many spellings through to a file, even without the second check and the sandbox', () => {
    const direct = new Libsql(`file:${encodeURI(db())}?mode=ro`);
    const names = ['readfile', 'writefile', 'fsdir', 'load_extension', 'sha3_query', 'lower', 'json_each'];
    const name = fc.constantFrom(...names).chain((text) =>
      fc
        .tuple(
          fc.constantFrom('', '"', '`', '[', "'"),
          fc.array(fc.boolean(), { minLength: text.length, maxLength: text.length }),
          fc.constantFrom('', 'main.', 'temp.', '"main".', 't.'),
        )
        .map(([quote, upper, schema]) => {
          const spelled = [...text].map((sign, at) => (upper[at] ? sign.toUpperCase() : sign)).join('');
          return `${schema}${quote}${spelled}${quote === '[' ? ']' : quote}`;
        }),
    );
    const blank = fc
      .array(
        fc.constantFrom(
          ' ',
          '\n',
          '\t',
          '\r',
          '\f',
          '\v',
          '/**/',
          '/*(*/',
          '/*/ */',
          '--x\n',
          '\u{FEFF}',
          "/*'*/",
          '/*"*/',
          "--'\n",
        ),
        { maxLength: 3 },
      )
      .map((parts) => parts.join(''));
    const argument = fc.constantFrom(
      `'${canary()}'`,
      `"${canary()}"`,
      `'${planted()}', 'x'`,
      `'SELECT readfile(''${canary()}'')'`,
      `x'${Buffer.from(canary()).toString('hex')}'`,
    );
    const noise = fc.constantFrom(
      '',
      "'('",
      `"a""b"`,
      '`c`',
      '[d]',
      "''''",
      '1',
      '.5',
      '?',
      "x'00'",
      '-1',
      "'--'",
      '"/*"',
      '1.e',
      '$a(',
      ';',
    );
    const call = fc.tuple(name, blank, argument, blank).map(([f, a, x, b]) => `${f}${a}(${b}${x}${a})`);
    const statement = fc.tuple(call, name, blank, noise, argument, fc.nat(13)).map(([c, f, a, n, x, shape]) => {
      const list = [
        `SELECT${a} ${c}`,
        `SELECT ${n}${n === '' ? '' : ','}${a}${c}`,
        `SELECT * FROM${a} ${c}`,
        `SELECT * FROM ${f}${a} WHERE path = ${x}`,
        `SELECT * FROM t,${a}${f} AS z WHERE z.path = ${x}`,
        `WITH q(a) AS (SELECT ${c}) SELECT a FROM q`,
        `WITH ${f}(a) AS (SELECT ${c}) SELECT * FROM ${f}`,
        `SELECT ${x} IN ${c}`,
        `VALUES (${c}), (${n === '' ? 1 : n})`,
        `SELECT 1 ORDER BY ${c}`,
        `SELECT count(*) FILTER (WHERE ${c}) FROM t`,
        `SELECT * FROM t JOIN ${c} ON (1)`,
        `SELECT ${n || 1} AS ${f}${a} UNION SELECT${a} ${c}`,
        `${n}${a}SELECT ${c}`,
      ];
      return list[shape] ?? '';
    });
    let passed = 0;
    fc.assert(
      fc.property(statement, (sql) => {
        try {
          checkReading(sql);
        } catch {
          return;
        }
        passed++;
        let shown = '';
        try {
          const rows = direct.prepare(sql).all() as Record<string, unknown>[];
          const cells = rows.flatMap((row) => Object.values(row));
          shown = cells
            .map((cell) => (typeof cell === 'object' ? Buffer.from((cell ?? '') as Buffer) : cell))
            .join('\n');
        } catch {
          // The library refuses most of what is drawn; what counts is what it does not refuse.
        }
        expect(shown.replaceAll(canary(), '')).not.toContain(CANARY);
        expect(existsSync(planted())).toBe(false);
      }),
      { numRuns: caseCount(6000) },
    );
    expect(passed).toBeGreaterThan(100);
    direct.close();
  });

  it('lets rows be changed by plain statements with values only', () => {
    checkChanging('INSERT INTO "t" ("a", "b") VALUES (?, ?)');
    checkChanging('UPDATE "t" SET "a" = ? WHERE rowid = ?');
    for (const sql of [
      "INSERT INTO t (a) VALUES (readfile('x'))",
      "INSERT INTO t SELECT data FROM fsdir('x')",
      'DELETE FROM t WHERE "writefile"(1, 2)',
      'UPDATE t SET a = 1; ATTACH "x" AS y',
      "ATTACH 'x' AS y",
    ])
      expect(() => checkChanging(sql), sql).toThrow();
  });
});

describe.skipIf(mechanism === undefined)('the process of a database', () => {
  it('sees the database and nothing else, writes nothing, starts nothing and reaches no network', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    const program = `
      const tried = async (work) => { try { return String(await work()); } catch (error) { return 'refused'; } };
      handle = async ({ op, database, canary, planted, port }) => {
        if (op === 'load') { require(library); return null; }
        const fs = require('node:fs');
        const Database = require(library);
        const sql = (text) => tried(() => JSON.stringify(new Database('file:' + database + '?mode=ro').prepare(text).raw().all()));
        return {
          database: await tried(() => fs.readFileSync(database).length),
          read: await tried(() => fs.readFileSync(canary, 'utf8')),
          write: await tried(() => fs.writeFileSync(planted, 'x')),
          start: await tried(() => require('node:child_process').execFileSync('/bin/sh', ['-c', 'echo started'])),
          network: await tried(() => new Promise((resolve, reject) => require('node:net').connect(port, '127.0.0.1', () => resolve('connected')).on('error', reject))),
          readBySql: await sql("SELECT readfile('" + canary + "')"),
          writtenBySql: await sql("SELECT writefile('" + planted + "', 'x')"),
        };
      };`;
    const helper = await startHelper({
      what: 'The test',
      program,
      library: 'libsql',
      timeoutMs: 15_000,
      signal,
      view: { read: [db()], write: [] },
    });
    const answers = await helper.ask({ op: 'try', database: db(), canary: canary(), planted: planted(), port });
    helper.close();
    server.close();
    expect(answers).toMatchObject({ read: 'refused', start: 'refused', network: 'refused' });
    expect(Number((answers as { database: string }).database)).toBeGreaterThan(0);
    expect(JSON.stringify(answers)).not.toContain(CANARY);
    expect((answers as { readBySql: string }).readBySql).toBe('[[null]]');
    expect(existsSync(planted())).toBe(false);
  });
});
