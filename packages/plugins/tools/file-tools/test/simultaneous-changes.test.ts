/** Several kernels that change one file at the same time: between them there is nothing but the file and its lock. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withFilesLocked } from '@tenon/state-files';
import { openWorkbench } from '@tenon/test-kit/workbench';
import { describe, expect, it, onTestFinished } from 'vitest';

const openSeveral = async (count: number) => {
  const benches = await Promise.all(
    Array.from({ length: count }, () => openWorkbench(['file-tools', 'documents'], { files: {} })),
  );
  onTestFinished(async () => void (await Promise.all(benches.map((bench) => bench.dispose()))));
  return { benches, folder: benches[0]?.path('.') ?? '' };
};

describe('changes at one time', () => {
  it('of one file are all there', async () => {
    const { benches, folder } = await openSeveral(3);
    const file = join(folder, 'log.txt');
    writeFileSync(file, 'first\n');
    const results = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        benches[index % benches.length]?.run('edit', { input: `@@ ${file}\n+ EOF\n~line ${index}\n` }),
      ),
    );
    expect(results.filter((result) => result?.isError).length).toBe(0);
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect(lines.sort()).toEqual(['first', ...Array.from({ length: 12 }, (_, index) => `line ${index}`)].sort());
  });

  it('of one archive are all there', async () => {
    const { benches, folder } = await openSeveral(3);
    const file = join(folder, 'a.zip');
    await Promise.all(
      Array.from({ length: 9 }, (_, index) =>
        benches[index % benches.length]?.ok('write', { path: `${file}:f${index}.txt`, content: `${index}\n` }),
      ),
    );
    const listed = await benches[0]?.ok('read', { path: file });
    for (let index = 0; index < 9; index++) expect(listed).toContain(`f${index}.txt`);
  });

  it('of one database are all there', async () => {
    const { benches, folder } = await openSeveral(3);
    const file = join(folder, 'app.db');
    const python = (code: string) => execFileSync('python3', ['-c', code, file], { encoding: 'utf8' });
    python(`import sqlite3,sys
db=sqlite3.connect(sys.argv[1])
db.execute('create table log(id integer primary key, text)')
db.executemany('insert into log values(?,?)', [(n, 'old') for n in range(4)])
db.commit()`);
    const write = (index: number, row: string, content: unknown) =>
      benches[index % benches.length]?.ok('write', { path: `${file}:log${row}`, content: JSON.stringify(content) });
    await Promise.all([
      ...Array.from({ length: 6 }, (_, index) => write(index, '', [{ text: `a${index}` }, { text: `b${index}` }])),
      ...Array.from({ length: 4 }, (_, index) => write(index, `:${index}`, { text: `new ${index}` })),
    ]);
    const rows = python(
      "import sqlite3,sys; print('|'.join(r[0] for r in sqlite3.connect(sys.argv[1]).execute('select text from log order by text')))",
    );
    const added = Array.from({ length: 6 }, (_, index) => [`a${index}`, `b${index}`]).flat();
    expect(rows.trim().split('|')).toEqual([...added, 'new 0', 'new 1', 'new 2', 'new 3'].sort());
  });

  it('wait while another process has the file', async () => {
    const { benches, folder } = await openSeveral(1);
    const file = join(folder, 'a.txt');
    writeFileSync(file, 'x\n');
    const order: string[] = [];
    let release = (): void => undefined;
    let held: Promise<void> = Promise.resolve();
    // Who comes first is not certain until the file is held.
    await new Promise<void>((isHeld) => {
      held = withFilesLocked([file], () => {
        isHeld();
        return new Promise<void>((resolve) => (release = resolve));
      });
    });
    const edited = benches[0]?.ok('edit', { input: `@@ ${file}\n+ EOF\n~y\n` }).then(() => order.push('edited'));
    await new Promise((resolve) => setTimeout(resolve, 200));
    order.push('released');
    release();
    await held;
    await edited;
    expect(order).toEqual(['released', 'edited']);
  });
});
