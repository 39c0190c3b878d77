import { execFileSync } from 'node:child_process';
import { appendFileSync, readdirSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { inlineCandidate } from '@tenon/kernel/testing';
import { type UrlContent, urlSchemes } from '@tenon/urls/api';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { docxOf, pdfOf, python, xlsxOf, zipOf } from '@tenon/test-kit/office-files';
import { openWorkbench, textOf, type Workbench } from '@tenon/test-kit/workbench';

let bench: Workbench;
beforeEach(async () => {
  bench = await openWorkbench(['file-tools', 'documents']);
});
afterEach(() => bench.dispose());
const read = (path: string) => bench.ok('read', { path });
const fails = (path: string) => bench.fails('read', { path });
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');

describe('archives', () => {
  const parts = { 'readme.md': '# Hi\n', 'src/a.ts': 'export const a = 1;\n', 'src/deep/b.txt': numbered(1000) };

  it('are listed folder by folder', async () => {
    bench.put('a.zip', await zipOf(parts));
    expect(await read('a.zip')).toBe('readme.md  5B\nsrc/');
    expect(await read('a.zip:src')).toBe('a.ts  20B\ndeep/');
    expect(await read('a.zip:src/')).toBe(await read('a.zip:src'));
  });

  it('show their files with ranges, without anchors', async () => {
    bench.put('a.zip', await zipOf(parts));
    expect(await read('a.zip:src/a.ts')).toBe('1|export const a = 1;');
    expect(await read('a.zip:src/deep/b.txt:500-501:raw')).toBe('line 500\nline 501');
    const page = await bench.run('read', { path: 'a.zip:src/deep/b.txt' });
    expect(textOf(page)).toMatch(/Showing lines 1-500 of 1000\. Use a\.zip:src\/deep\/b\.txt:501 to continue/);
    expect(await read('a.zip:b.txt:1-1')).toMatch(/^\[Path 'b\.txt' not found; resolved to 'src\/deep\/b\.txt'/);
  });

  it('work the same as tar, packed or not, and found by the end of their path', async () => {
    bench.put('x/one.txt', 'one\n');
    execFileSync('sh', ['-c', 'tar -cf a.tar x && tar -czf b.tgz x && mv b.tgz x/b.tgz'], {
      cwd: bench.root,
      stdio: 'ignore',
    });
    expect(await read('a.tar:x/one.txt')).toBe('1|one');
    expect(await read('b.tgz:x/one.txt')).toMatch(/resolved to 'x\/b\.tgz' via suffix match\]\n1\|one$/);
  });

  it('show what is not text in them as outside: images, documents, other archives', async () => {
    const png = await sharp({ create: { width: 2, height: 3, channels: 3, background: '#123456' } })
      .png()
      .toBuffer();
    const inner = await zipOf({ 'x.txt': 'inside\n' });
    bench.put(
      'a.zip',
      await zipOf({ 'p.png': png, 'd.docx': await docxOf('<w:p><w:r><w:t>Words</w:t></w:r></w:p>'), 'i.zip': inner }),
    );
    expect(await read('a.zip:p.png')).toBe(`[Image a.zip:p.png: image/png, 2x3, ${png.length}B]\n<image/png>`);
    expect(await read('a.zip:d.docx')).toBe('1|Words');
    expect(await read('a.zip:i.zip')).toBe('x.txt  7B');
    expect(await read('a.zip:i.zip:x.txt')).toBe('1|inside');
  });

  it('page through long lists', async () => {
    python(
      `import zipfile,sys
with zipfile.ZipFile(sys.argv[1],'w') as z:
    for i in range(1200): z.writestr('f%04d' % i,'')`,
      bench.path('a.zip'),
    );
    const result = await bench.run('read', { path: 'a.zip' });
    expect(textOf(result).split('\n')).toHaveLength(502);
    expect(textOf(result)).toMatch(/Showing lines 1-500 of 1200\. Use a\.zip:501 to continue/);
    expect(result.details).toMatchObject({ isDirectory: true, meta: { limits: { resultLimit: 500 } } });
    expect((await read('a.zip:1199')).split('\n')).toEqual(['f1198  0B', 'f1199  0B']);
  });

  it('do not unpack more than is shown: a gigabyte of nothing is turned away at once', async () => {
    python(
      `import zipfile,sys
with zipfile.ZipFile(sys.argv[1],'w',zipfile.ZIP_DEFLATED,compresslevel=1) as z:
    with z.open('zero.bin','w') as f:
        for _ in range(300): f.write(bytes(1<<20))
    with z.open('long.txt','w') as f:
        for _ in range(300): f.write(b'0123456789abcde\\n'*65536)`,
      bench.path('bomb.zip'),
    );
    expect(await fails('bomb.zip:zero.bin')).toMatch(/binary file \(300\.0MB\)/);
    const before = process.memoryUsage().rss;
    expect(await read('bomb.zip:long.txt:3000000-3000000:raw')).toBe('0123456789abcde');
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
  });

  it('say what is wrong', async () => {
    bench.put('a.zip', await zipOf(parts));
    bench.put('cut.zip', (await zipOf(parts)).subarray(0, 100));
    bench.put('a.txt', 'x\n');
    expect(await fails('a.zip:nope.ts')).toMatch(/no "nope\.ts" in a\.zip.*read a\.zip/);
    expect(await fails('a.zip:../../etc/passwd')).toMatch(/There is no/);
    expect(await fails('cut.zip')).toMatch(/may be cut off.*unzip -t/);
    expect(await fails('a.txt:b.txt')).toMatch(/":b\.txt" behind a\.txt is not a line selector/);
  });

  it('of one packed file show that file', async () => {
    bench.put('app.log.gz', gzipSync(numbered(100)));
    expect(await read('app.log.gz:99:raw')).toBe('line 99\nline 100');
  });
});

describe('databases', () => {
  beforeEach(() => {
    python(
      `import sqlite3,sys
db=sqlite3.connect(sys.argv[1])
db.executescript('''create table users(id integer primary key, name text, age int, photo blob);
create table tags(a text, b text, primary key(a,b));
create index by_age on users(age);
create view adults as select * from users where age >= 18;''')
db.executemany('insert into users values(?,?,?,?)',[(i,'user %d' % i,i%60,None) for i in range(1,101)])
db.execute("insert into users values(0,'root\\n|two',99,x'0001ff')")
db.execute("insert into tags values('x','y')")
db.commit()`,
      bench.path('app.db'),
    );
  });

  it('list their tables with the number of rows', async () => {
    expect((await read('app.db')).split('\n').slice(0, 3)).toEqual(['adults  view', 'tags  1 row', 'users  101 rows']);
  });

  it('show a table as its definition, indexes and a sample', async () => {
    const text = await read('app.db:users');
    expect(text).toMatch(/^CREATE TABLE users\(id integer primary key/);
    expect(text).toContain('CREATE INDEX by_age');
    expect(text).toMatch(/^id \| name +\| age \| photo$/m);
    expect(text).toMatch(/^0 +\| root\\n\|two \| 99 +\| <3 bytes: 0001ff>$/m);
    expect(text).toMatch(/A sample of 5 rows\. Use app\.db:users\?limit=20/);
  });

  it('neither read nor write other files, whatever a query or a condition asks for', async () => {
    bench.put('key.txt', 'CANARY');
    const attacks = [
      `app.db?q=SELECT readfile('${bench.path('key.txt')}'), writefile('${bench.path('planted')}', 'x')`,
      `app.db?q=SELECT data FROM fsdir WHERE path = '${bench.path('key.txt')}'`,
      `app.db:users?where=age > length("readfile"('${bench.path('key.txt')}'))`,
      `app.db:users?where=writefile('${bench.path('planted')}', 1)`,
    ];
    for (const attack of attacks) expect(await fails(attack)).toMatch(/is not allowed here/);
    expect(readdirSync(bench.path('.'))).not.toContain('planted');
  });

  it('show one row by its key, and by rowid where there is no single key', async () => {
    expect(await read('app.db:users:42')).toBe('id: 42\nname: user 42\nage: 42\nphoto: NULL');
    expect(await read('app.db:users:0')).toBe('id: 0\nname: root\n  |two\nage: 99\nphoto: <3 bytes: 0001ff>');
    expect(await read('app.db:tags:1')).toBe('a: x\nb: y');
    expect(await fails('app.db:users:9999')).toMatch(/no row with id = 9999/);
  });

  it('page through rows with condition and order', async () => {
    const text = await read("app.db:users?where=age>50 and name like '%1%'&order=age:desc&limit=2");
    expect(text.split('\n')[2]).toMatch(/^51 +\| user 51/);
    expect(text).toMatch(/\[rows 1-1 of 1\]$/);
    const page = await read('app.db:users?order=id&limit=10&offset=20');
    expect(page.split('\n')[2]).toMatch(/^20 /);
    expect(page).toContain('[rows 21-30 of 101. Use app.db:users?order=id:asc&limit=10&offset=30 to continue]');
    expect(await read('app.db:users?where=name%20%3D%20%27user%207%27')).toMatch(/^7 /m);
  });

  it('answer queries that read, and no others', async () => {
    expect(await read('app.db?q=SELECT count(*) AS n, max(age) FROM users WHERE id > 0')).toBe(
      'n   | max(age)\n----+---------\n100 | 59',
    );
    const many = await read('app.db?q=SELECT a.id FROM users a, users b');
    expect(many.split('\n')).toHaveLength(504);
    expect(many).toMatch(/\[The first 500 rows\. Add LIMIT and OFFSET to see others\]$/);
    for (const sql of ['DELETE FROM users', "VACUUM INTO 'x.db'", "ATTACH 'y.db' AS y", 'PRAGMA user_version = 3']) {
      expect(await fails(`app.db?q=${sql}`)).toMatch(/only queries|not allowed/);
    }
    expect(readdirSync(bench.root).sort()).toEqual(['.git', 'app.db']);
  });

  it.each([
    ['app.db:nope', /no table "nope".*Tables: adults, tags, users/],
    ['app.db:users?order=nope', /no column "nope".*Columns: id, name, age, photo/],
    ['app.db:users?where=1; drop table users', /one condition/],
    ['app.db:users?where=1 union select 2', /cannot contain UNION/],
    ['app.db:users?where=1) or (1', /parentheses/],
    ['app.db:users?page=2', /no parameter "page"/],
    ['app.db:users:1?limit=2', /takes no parameters/],
    ['app.db?q=', /query is empty/],
    ['app.db?q=SELECT * FROM nope', /no such table: nope/],
  ])('say what is wrong with %s', async (path, message) => {
    expect(await fails(path)).toMatch(message);
  });

  it('stop a query that has no end', async () => {
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 300);
    const sql = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT count(*) FROM c';
    await expect(bench.run('read', { path: `app.db?q=${sql}` }, { signal: abort.signal })).rejects.toThrow(/abort/i);
  });
});

describe('documents', () => {
  it('are text by the page, and converted once for all pages', async () => {
    const pages = Array.from({ length: 30 }, (_, page) =>
      Array.from({ length: 40 }, (_row, row) => `p${page} r${row}`),
    );
    bench.put('long.pdf', pdfOf(pages));
    const first = await read('long.pdf');
    expect(first).toMatch(/^\[PDF, 30 pages\]\n1\|## Page 1\n/);
    expect(first).toMatch(/Use long\.pdf:501 to continue/);
    expect(await read('long.pdf:501-501:raw')).toBe('[PDF, 30 pages]\np11 r25');
    appendFileSync(bench.path('long.pdf'), '\n');
    expect(await read('long.pdf:1-1:raw')).toContain('## Page 1');
  });

  it('of Office are text as well, and can be looked into', async () => {
    bench.put('a.docx', await docxOf('<w:p><w:r><w:t>Words</w:t></w:r></w:p>'));
    bench.put('a.xlsx', await xlsxOf('<row r="1"><c r="A1"><v>7</v></c></row>'));
    expect(await read('a.docx')).toBe('1|Words');
    expect(await read('a.docx:word/document.xml:raw')).toContain('<w:t>Words</w:t>');
    expect(await read('a.xlsx')).toContain('| 7 |');
  });

  it('that are notebooks show their cells, raw their JSON', async () => {
    bench.put('n.ipynb', '{"cells":[{"cell_type":"code","source":["a = 1\\n","b"]}]}');
    expect(await read('n.ipynb')).toMatch(/^1[a-z]{2}\|# %% \[code\] cell:0\n2[a-z]{2}\|a = 1\n3[a-z]{2}\|b/m);
    expect(await read('n.ipynb:raw')).toBe('{"cells":[{"cell_type":"code","source":["a = 1\\n","b"]}]}');
  });

  it('that cannot be read say why', async () => {
    bench.put('bad.pdf', '%PDF-1.7 nothing');
    bench.put('old.doc', Buffer.from('d0cf11e0a1b11ae100000000', 'hex'));
    expect(await fails('bad.pdf')).toMatch(/bad\.pdf cannot be read as PDF/);
    expect(await fails('old.doc')).toMatch(/old binary format.*soffice/);
  });
});

describe('large images', () => {
  it('come smaller, with what was done', async () => {
    bench.put(
      'wide.png',
      await sharp({ create: { width: 3000, height: 100, channels: 3, background: '#888' } })
        .png()
        .toBuffer(),
    );
    expect(await read('wide.png')).toMatch(
      /^\[Image wide\.png: image\/\w+, 1568x52, .*of 3000x100: multiply coordinates by 1\.91\]\n<image/,
    );
  });
});

describe('URLs', () => {
  const calls: { url: string; call: { scope?: unknown; raw?: boolean } }[] = [];
  const serve = (scheme: string, answer: (url: string) => UrlContent) => {
    calls.length = 0;
    const value = {
      read: async (url: string, call: object) => {
        calls.push({ url, call });
        return answer(url);
      },
    };
    bench.kernel.install(
      inlineCandidate(
        { id: `owner-of-${scheme}`, activate: (ctx) => void ctx.contribute(urlSchemes, scheme, value) },
        { contributes: { 'url-schemes': { [scheme]: {} } } },
      ),
    );
  };

  it('have the same selectors; a number behind a host is a port', async () => {
    serve('http', () => ({ content: numbered(700), contentType: 'text/plain', notes: ['from a test'] }));
    const page = await bench.run('read', { path: 'http://localhost:3000' });
    expect(textOf(page)).toMatch(/^\[from a test\]\n1\|line 1\n/);
    expect(textOf(page)).toContain('Use http://localhost:3000:501 to continue');
    expect(page.details).toMatchObject({ kind: 'url', url: 'http://localhost:3000', contentType: 'text/plain' });
    expect(await read('http://localhost:3000:501-502:raw')).toBe('[from a test]\nline 501\nline 502');
    expect(await read('http://localhost/a:5-6:raw')).toContain('line 5\nline 6');
    expect(calls.map(({ url }) => url)).toEqual([
      'http://localhost:3000',
      'http://localhost:3000',
      'http://localhost/a',
    ]);
    expect(calls[0]?.call).toMatchObject({ scope: { session: 'one', cwd: bench.root } });
    expect(calls[1]?.call).toMatchObject({ raw: true });
  });

  it('are not fetched again for the next page of the same', async () => {
    serve('https', () => ({ content: numbered(700) }));
    await read('www.example.org/page');
    await read('https://www.example.org/page:501');
    expect(calls.map(({ url }) => url)).toEqual(['https://www.example.org/page']);
    await read('https://www.example.org/page');
    expect(calls).toHaveLength(2);
  });

  it('give images, documents and archives as such', async () => {
    const png = await sharp({ create: { width: 4, height: 4, channels: 3, background: '#f00' } })
      .png()
      .toBuffer();
    const zip = await zipOf({ 'a.txt': 'x' });
    const bytes: Record<string, Uint8Array> = {
      '/p.png': png,
      '/d': pdfOf([['From afar']]),
      '/z': zip,
      '/junk': Buffer.from([0, 1]),
    };
    serve('http', (url) => ({ content: 'something', bytes: bytes[new URL(url).pathname] ?? Buffer.alloc(0) }));
    expect(await read('http://x.test/p.png')).toContain('<image/png>');
    expect(await read('http://x.test/d')).toContain('From afar');
    expect(await read('http://x.test/z')).toBe('a.txt  1B');
    expect(await read('http://x.test/junk')).toBe('1|something');
  });
});
