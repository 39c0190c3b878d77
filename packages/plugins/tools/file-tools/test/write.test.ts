import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { inlineCandidate } from '@tenon/kernel/testing';
import { urlSchemes } from '@tenon/urls/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { docxOf, python, zipOf } from '@tenon/test-kit/office-files';
import { openWorkbench, type Workbench } from '@tenon/test-kit/workbench';

let bench: Workbench;
beforeEach(async () => {
  bench = await openWorkbench(['file-tools', 'documents']);
});
afterEach(() => bench.dispose());
const write = (path: string, content: string) => bench.ok('write', { path, content });
const fails = (path: string, content: string) => bench.fails('write', { path, content });

describe('writing files', () => {
  it('says that it replaced what was not read, and nothing where it was', async () => {
    bench.put('a.txt', 'one\ntwo\n');
    expect(await write('a.txt', 'new\n')).toBe(
      'Updated a.txt (1 line, 4B)\n[This replaced what was there, 2 lines, 8B, which was not read in this session.]',
    );
    expect(await write('a.txt', 'newer\n')).toBe('Updated a.txt (1 line, 6B)');
    bench.put('b.txt', 'one\n');
    await bench.ok('read', { path: 'b.txt' });
    expect(await write('b.txt', 'new\n')).toBe('Updated b.txt (1 line, 4B)');
    bench.put('empty.txt', '');
    expect(await write('empty.txt', 'new\n')).toBe('Updated empty.txt (1 line, 4B)');
  });

  it.runIf(process.platform === 'linux')('ends where no folder can be made, and says why', async () => {
    const failed = await fails('/proc/no-such/folder/x.txt', 'new');
    expect(failed).toMatch(/cannot be written: ENOENT.*Nothing was changed/s);
  });

  it('keeps CRLF and the byte order mark of the file, and says so', async () => {
    bench.put('dos.txt', '\uFEFFone\r\ntwo\r\n');
    await bench.ok('read', { path: 'dos.txt' });
    expect(await write('dos.txt', 'new\nlines\n')).toBe(
      'Updated dos.txt (2 lines, 15B, CRLF kept, byte order mark kept)',
    );
    expect(bench.get('dos.txt')).toBe('\uFEFFnew\r\nlines\r\n');
    bench.put('mixed.txt', 'one\r\ntwo\n');
    await write('mixed.txt', 'a\nb\n');
    expect(bench.get('mixed.txt')).toBe('a\nb\n');
    await write('new.txt', 'a\r\nb\n');
    expect(bench.get('new.txt')).toBe('a\r\nb\n');
  });

  it('takes contents of many megabytes as they are', async () => {
    const content = 'a line of text with ümläuts\n'.repeat(700_000);
    expect(await write('big.txt', content)).toMatch(/^Created big\.txt \(700000 lines, 20\.\dMB\)$/);
    expect(bench.get('big.txt') === content).toBe(true);
  });

  it('does not mistake a line range for a name', async () => {
    bench.put('a.ts', 'x\n');
    expect(await fails('a.ts:1-5', 'y')).toMatch(/whole file\..*use edit/);
    expect(await write('odd:name.ts', 'fine\n')).toBe('Created odd:name.ts (1 line, 5B)');
  });

  it('does not follow links out of the folder or into protected places, unless the real path is given', async () => {
    mkdirSync(`${bench.home}/elsewhere`);
    symlinkSync(`${bench.home}/elsewhere`, bench.path('out'));
    symlinkSync('.git', bench.path('innocent'));
    mkdirSync(bench.path('real'));
    symlinkSync('real', bench.path('alias'));
    expect(await fails('out/x.txt', 'y')).toMatch(/leads through a link to .*elsewhere\/x\.txt, outside.*by this path/);
    expect(await fails('innocent/hooks/pre-commit', 'y')).toMatch(/which is protected/);
    bench.kernel.install(
      inlineCandidate(
        { id: 'agent-files', activate: () => undefined },
        { contributes: { 'protected-places': { agent: { runsCode: ['./.some-agent'] } } } },
      ),
    );
    mkdirSync(bench.path('.some-agent'));
    symlinkSync('.some-agent', bench.path('harmless'));
    expect(await fails('harmless/hooks.json', '{}')).toMatch(/which is protected/);
    expect(await write(`${bench.home}/elsewhere/x.txt`, 'y')).toMatch(/^Created/);
    expect(await write('alias/new/x.txt', 'y')).toMatch(/^Created alias\/new\/x\.txt/);
    expect(bench.get('real/new/x.txt')).toBe('y');
  });

  it('refuses folders, pipes and places without permission', async () => {
    execFileSync('mkfifo', [bench.path('pipe')]);
    mkdirSync(bench.path('src'));
    expect(await fails('src', '')).toMatch(/is a directory/);
    expect(await fails('pipe', 'x')).toMatch(/is a pipe/);
    bench.put('a.txt', 'x');
    expect(await fails('a.txt/b.txt', 'x')).toMatch(/cannot be written: a part of the path is a file/);
    mkdirSync(bench.path('closed'));
    chmodSync(bench.path('closed'), 0o500);
    // Root may write everywhere.
    if (process.getuid?.() !== 0) expect(await fails('closed/x', 'y')).toMatch(/cannot be written/);
  });
});

describe('writing into archives', () => {
  it('adds and replaces files that other programs then find', async () => {
    bench.put('a.zip', await zipOf({ 'keep.txt': 'kept', 'old.txt': 'old' }));
    expect(await write('a.zip:old.txt', 'new\n')).toBe('Wrote a.zip:old.txt (1 line, 4B)');
    expect(await write('a.zip:dir/more.txt', 'more\n')).toBe('Wrote a.zip:dir/more.txt (1 line, 5B)');
    const listed = python(
      'import zipfile,sys; z=zipfile.ZipFile(sys.argv[1]); print({n: z.read(n).decode() for n in z.namelist()})',
      bench.path('a.zip'),
    );
    expect(listed.trim()).toBe("{'keep.txt': 'kept', 'old.txt': 'new\\n', 'dir/more.txt': 'more\\n'}");
  });

  it('makes archives and their folders, also packed ones, and writes into documents', async () => {
    expect(await write('build/new.tgz:a/b.txt', 'x\n')).toBe('Created build/new.tgz:a/b.txt (1 line, 2B)');
    expect(execFileSync('tar', ['-tzf', bench.path('build/new.tgz')], { encoding: 'utf8' })).toBe('a/b.txt\n');
    bench.put('d.docx', await docxOf('<w:p/>'));
    await write('d.docx:word/document.xml', '<w:document><w:p><w:r><w:t>Other</w:t></w:r></w:p></w:document>');
    expect(await bench.ok('read', { path: 'd.docx' })).toBe('1|Other');
  });

  it('refuses names that lead out, and leaves a broken archive alone', async () => {
    bench.put('a.zip', await zipOf({ 'a.txt': 'x' }));
    const before = readFileSync(bench.path('a.zip'));
    expect(await fails('a.zip:../evil', 'x')).toMatch(/leads out of the archive/);
    expect(await fails('a.zip:dir/', 'x')).toMatch(/name of a folder/);
    expect(readFileSync(bench.path('a.zip')).equals(before)).toBe(true);
    bench.put('cut.zip', before.subarray(0, -5));
    expect(await fails('cut.zip:b.txt', 'x')).toMatch(/cannot be read/);
    expect(statSync(bench.path('cut.zip')).size).toBe(before.length - 5);
  });
});

describe('writing rows', () => {
  beforeEach(() => {
    python(
      "import sqlite3,sys; db=sqlite3.connect(sys.argv[1]); db.execute('create table users(id integer primary key, name text not null, extra)'); db.execute(\"insert into users values(1,'Ada',null)\"); db.commit()",
      bench.path('app.db'),
    );
  });
  const rows = () =>
    python(
      "import sqlite3,sys; print(sqlite3.connect(sys.argv[1]).execute('select * from users order by id').fetchall())",
      bench.path('app.db'),
    ).trim();

  it('adds, changes and deletes them', async () => {
    expect(await write('app.db:users', '{"id": 5, "name": "Bob", "extra": {"a": [1]}}')).toBe(
      'Added 1 row, rowid 5 to users of app.db',
    );
    expect(await write('app.db:users', '[{"name": "C"}, {"name": "D", "extra": true}]')).toBe(
      'Added 2 rows to users of app.db',
    );
    expect(await write('app.db:users:1', '{"NAME": "Ada L."}')).toBe('Updated users row 1 of app.db (name)');
    expect(await write('app.db:users:6', '')).toBe('Deleted users row 6 of app.db');
    expect(rows()).toBe(`[(1, 'Ada L.', None), (5, 'Bob', '{"a":[1]}'), (7, 'D', 1)]`);
  });

  it('changes nothing when one row of several does not fit', async () => {
    expect(await fails('app.db:users', '[{"name": "ok"}, {"name": null}]')).toMatch(
      /NOT NULL constraint failed: users\.name/,
    );
    expect(rows()).toBe("[(1, 'Ada', None)]");
  });

  it.each([
    ['app.db:users', 'name=x', /not JSON.*JSON object/],
    ['app.db:users', '[]', /neither an object/],
    ['app.db:users', '{}', /names no columns/],
    ['app.db:users', '{"nme": 1}', /no column "nme".*Columns: id, name, extra/],
    ['app.db:nope', '{"a": 1}', /no table "nope"/],
    ['app.db:users:9', '{"name": "x"}', /no row with id = 9/],
    ['app.db:users:9', '', /no row with id = 9/],
    ['app.db:users:1', '[{"name":"a"},{"name":"b"}]', /one object/],
    ['app.db:users?where=1', '{"name":"a"}', /only a table or one of its rows/],
  ])('refuses %s with %s', async (path, content, message) => {
    expect(await fails(path, content)).toMatch(message);
    expect(rows()).toBe("[(1, 'Ada', None)]");
  });
});

describe('writing URLs', () => {
  it('goes through the owner of the scheme, with the session; others are refused', async () => {
    const written: unknown[] = [];
    bench.kernel.install(
      inlineCandidate(
        {
          id: 'notes',
          activate(ctx) {
            ctx.contribute(urlSchemes, 'note', {
              read: async () => ({ content: '' }),
              write: async (url, content, { scope }) => void written.push([url, content, scope?.session]),
            });
            ctx.contribute(urlSchemes, 'fixed', { read: async () => ({ content: '' }) });
          },
        },
        { contributes: { 'url-schemes': { note: {}, fixed: {} } } },
      ),
    );
    expect(await write('note://today', 'hi\n')).toBe('Wrote note://today (1 line, 3B)');
    expect(written).toEqual([['note://today', 'hi\n', 'one']]);
    expect(await fails('fixed://x', 'y')).toMatch(/reading only/);
    expect(await fails('ftp://x/y', 'y')).toMatch(/Nothing here can open/);
  });
});
