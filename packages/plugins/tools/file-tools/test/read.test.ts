import { execFileSync } from 'node:child_process';
import { closeSync, ftruncateSync, openSync, utimesSync, writeSync } from 'node:fs';
import { inlineCandidate, pluginContract } from '@tenon/kernel/testing';
import { urlSchemes } from '@tenon/urls/api';
import sharp from 'sharp';
import { afterEach, describe, expect, it } from 'vitest';
import source from '../package.json' with { type: 'json' };
import plugin from '../src/plugin.ts';
import { openWorkbench, surroundings, textOf, type Workbench } from '@tenon/test-kit/workbench';

let bench: Workbench;
const open = async (files: Record<string, string | Uint8Array>) =>
  (bench = await openWorkbench(['file-tools', 'documents'], { files }));
afterEach(() => bench?.dispose());

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');

describe('file-tools', () => {
  it('keeps the plugin contract', async () => {
    await pluginContract({ source, plugin, others: await surroundings() });
  });
});

describe('reading text', () => {
  it('shows every line with its anchor', async () => {
    await open({ 'a.txt': 'one\ntwo\n\n}\n' });
    const rows = (await bench.ok('read', { path: 'a.txt' })).split('\n');
    expect(rows).toHaveLength(4);
    expect(rows.map((row) => row.replace(/[a-z]{2}\|/, '#'))).toEqual(['1#one', '2#two', '3#', '4#}']);
  });

  it.each([
    [':5', 4, 504, true],
    [':5-7', 4, 10, false],
    [':L5-L7', 4, 10, false],
    [':5+2', 4, 9, false],
    [':1-2', 1, 5, false],
  ])('takes the selector %s and shows a little around it', async (selector, first, last, goesOn) => {
    await open({ 'a.txt': numbered(800) });
    const rows = (await bench.ok('read', { path: `a.txt${selector}` })).split('\n').filter((row) => /^\d/.test(row));
    expect(rows[0]).toMatch(new RegExp(`^${first}[a-z]{2}\\|line ${first}$`));
    expect(rows.at(-1)).toMatch(new RegExp(`\\|line ${last}$`));
    expect((await bench.ok('read', { path: `a.txt${selector}` })).includes('to continue')).toBe(goesOn);
  });

  it.each([
    [{ file_path: 'a.txt', offset: 5, limit: 3 }, 'a.txt:5+3'],
    [{ path: 'a.txt', offset: '5', limit: '3' }, 'a.txt:5+3'],
    [{ filePath: 'a.txt', offset: 795 }, 'a.txt:795'],
    [{ path: 'a.txt', offset: 0, limit: 3 }, 'a.txt:1+3'],
    [{ absolute_path: 'a.txt', limit: null }, 'a.txt'],
  ])('takes %j as other agents mean it', async (input, path) => {
    await open({ 'a.txt': numbered(800) });
    const read = await bench.ok('read', input);
    expect(read).toContain(`[The input was repaired: it is read as {"path":"${path}"}. Send it in the right form`);
    expect(read.split('\n').filter((row) => /^\d/.test(row))).toEqual(
      (await bench.ok('read', { path })).split('\n').filter((row) => /^\d/.test(row)),
    );
  });

  it.each([
    { path: 'a.txt:5', offset: 9 },
    { path: 'a.txt', offset: -1 },
    { path: 'a.txt', offset: 'end' },
  ])('does not guess what %j means', async (input) => {
    await open({ 'a.txt': numbered(800) });
    expect(textOf(await bench.run('read', input))).not.toContain('it is read as');
  });

  it('gives exactly the lines asked for when raw, in either order of the selectors', async () => {
    await open({ 'a.txt': 'one\r\n  two\nthree\n' });
    expect(await bench.ok('read', { path: 'a.txt:2-3:raw' })).toBe('  two\nthree');
    expect(await bench.ok('read', { path: 'a.txt:raw:2-3' })).toBe('  two\nthree');
    expect(await bench.ok('read', { path: 'a.txt:raw' })).toBe('one\r\n  two\nthree');
  });

  it('says where to go on when a file is longer than the limit', async () => {
    await open({ 'a.txt': numbered(1200) });
    const result = await bench.run('read', { path: 'a.txt' });
    expect(textOf(result)).toMatch(/\[Showing lines 1-500 of 1200\. Use a\.txt:501 to continue\.\]$/);
    expect(result.details).toMatchObject({ meta: { truncation: { nextOffset: 501, totalLines: 1200 } } });
  });

  it.each([
    ['a.txt:0', /1-indexed, use :1/],
    ['a.txt:9-3', /ends before it starts/],
    ['a.txt:3+0', /at least 1/],
  ])('refuses %s with the right form', async (path, message) => {
    await open({ 'a.txt': 'x\n' });
    expect(await bench.fails('read', { path })).toMatch(message);
  });

  it('explains a start past the end, and an empty file', async () => {
    await open({ 'a.txt': 'x\ny\n', 'empty.txt': '' });
    expect(await bench.ok('read', { path: 'a.txt:9' })).toMatch(/has 2 lines\. Use a\.txt:1 .* a\.txt:2/);
    expect(await bench.ok('read', { path: 'empty.txt' })).toBe('(empty file)');
  });

  it('reads a file whose name looks like a selector', async () => {
    await open({ 'notes:12': 'kept\n' });
    expect(await bench.ok('read', { path: 'notes:12' })).toContain('kept');
  });

  it('cuts endless lines and keeps the result bounded', async () => {
    await open({ 'min.js': `${'x'.repeat(1_000_000)}\nshort\n`, 'wide.txt': `${'y'.repeat(3000)}\n`.repeat(100) });
    const cut = await bench.ok('read', { path: 'min.js' });
    expect(cut.length).toBeLessThan(6000);
    expect(cut).toMatch(/characters are cut/);
    const wide = await bench.ok('read', { path: 'wide.txt' });
    expect(Buffer.byteLength(wide)).toBeLessThan(52 * 1024);
    expect(wide).toMatch(/Use wide\.txt:\d+ to continue/);
  });

  it('reads from a file that does not fit into memory limits without loading it', async () => {
    await open({});
    const file = openSync(bench.path('big.log'), 'w');
    for (let block = 0; block < 20; block++) writeSync(file, `${'entry of a log file\n'.repeat(50_000)}`);
    closeSync(file);
    const text = await bench.ok('read', { path: 'big.log:900000-900002' });
    expect(text.split('\n').map((row) => row.replace(/^(\d+)[a-z]{2}\|/, '$1 '))).toEqual(
      [899_999, 900_000, 900_001, 900_002, 900_003, 900_004, 900_005].map((line) => `${line} entry of a log file`),
    );
    expect(await bench.ok('read', { path: 'big.log:2000000' })).toMatch(/past the end .* 1000000 lines/);
  });
});

describe('reading source files', () => {
  const method = (name: string) => `  ${name}() {\n${'    work();\n'.repeat(30)}  }\n`;
  const source_ = `export class Big {\n${Array.from({ length: 20 }, (_, i) => method(`m${i}`)).join('')}}\n`;

  it('shows a long one as an outline whose rows name whole ranges, and all of it on request', async () => {
    await open({ 'big.ts': source_ });
    const result = await bench.run('read', { path: 'big.ts' });
    const text = textOf(result);
    expect(text).toMatch(/^2[a-z]{2}\.\.33[a-z]{2}\| {2}m0\(\) \{ \.\.\. \}$/m);
    expect(text).not.toContain('work();');
    expect(text).toMatch(/\[600 lines across 20 elided regions; read big\.ts:raw or a line range like big\.ts:1-642/);
    expect(result.details).toMatchObject({ summary: { lines: 642, elidedSpans: 20, elidedLines: 600 } });
    expect(await bench.ok('read', { path: 'big.ts:3-4' })).toContain('work();');
    expect(await bench.ok('read', { path: 'big.ts:raw' })).toBe(source_.trimEnd());
  });

  it('shows a short one whole', async () => {
    await open({ 'small.ts': method('f').replace('  f()', 'function f()') });
    expect(await bench.ok('read', { path: 'small.ts' })).toContain('work();');
  });
});

describe('reading other things', () => {
  it('shows a folder as a tree of two levels, newest first', async () => {
    await open({ 'old.txt': 'x', 'src/a.ts': 'y', 'src/deep/b.ts': 'z' });
    utimesSync(bench.path('old.txt'), new Date(0), new Date(0));
    const text = await bench.ok('read', { path: '.' });
    expect(text).toMatch(/^src\/$/m);
    expect(text).toMatch(/^ {2}a\.ts {2}1B {2}just now$/m);
    expect(text).toMatch(/^ {2}deep\/$/m);
    expect(text).not.toContain('b.ts');
    expect(text.split('\n').at(-1)).toMatch(/^old\.txt {2}1B {2}\d+d ago$/);
    expect(await bench.ok('read', { path: '/' })).toBe(text);
  });

  it('bounds crowded folders and names empty ones', async () => {
    await open(Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`many/f${i}`, ''])));
    execFileSync('mkdir', ['empty'], { cwd: bench.root });
    expect(await bench.ok('read', { path: '.' })).toMatch(/^ {2}… 8 more$/m);
    expect((await bench.ok('read', { path: 'many' })).split('\n')).toHaveLength(20);
    expect(await bench.ok('read', { path: 'empty' })).toBe('(empty directory)');
  });

  it('gives images as images', async () => {
    const png = await sharp({ create: { width: 2, height: 3, channels: 3, background: '#123456' } })
      .png()
      .toBuffer();
    await open({ 'pixel.png': png });
    const result = await bench.run('read', { path: 'pixel.png' });
    expect(result.content).toEqual([
      { type: 'text', text: `[Image pixel.png: image/png, 2x3, ${png.length}B]` },
      { type: 'image', mimeType: 'image/png', data: png.toString('base64') },
    ]);
  });

  it('turns binaries, pipes and devices away with a way out', async () => {
    await open({ 'app.bin': Buffer.from([1, 2, 0, 3]) });
    execFileSync('sh', ['-c', 'mkfifo pipe'], { cwd: bench.root });
    const sparse = openSync(bench.path('sparse'), 'w');
    ftruncateSync(sparse, 2 ** 31);
    closeSync(sparse);
    expect(await bench.fails('read', { path: 'app.bin' })).toMatch(/binary file \(4B\).*xxd/);
    expect(await bench.fails('read', { path: 'sparse' })).toMatch(/binary file \(2\.0GB\)/);
    expect(await bench.fails('read', { path: 'pipe' })).toMatch(/is a pipe/);
    expect(await bench.fails('read', { path: '/dev/zero' })).toMatch(/is a device/);
  });

  it('finds a file by the unique end of its path, and lists the candidates otherwise', async () => {
    await open({ 'pkg/one/src/main.ts': 'x\n', 'pkg/one/b.ts': 'y\n', 'pkg/two/b.ts': 'z\n' });
    expect(await bench.ok('read', { path: 'src/main.ts' })).toMatch(
      /^\[Path 'src\/main\.ts' not found; resolved to 'pkg\/one\/src\/main\.ts' via suffix match\]\n1[a-z]{2}\|x$/,
    );
    expect(await bench.fails('read', { path: 'b.ts' })).toMatch(/pkg\/one\/b\.ts, pkg\/two\/b\.ts.*one of these/);
    expect(await bench.fails('read', { path: 'nowhere.ts' })).toMatch(/Path not found: nowhere\.ts.*find tool/);
  });

  it('reads addresses through the plugin that owns their scheme, without anchors', async () => {
    await open({});
    bench.kernel.install(
      inlineCandidate(
        {
          id: 'database',
          activate: (ctx) =>
            void ctx.contribute(urlSchemes, 'db', { read: async (url) => ({ content: `row of ${url}\n` }) }),
        },
        { contributes: { 'url-schemes': { db: {} } } },
      ),
    );
    expect(await bench.ok('read', { path: 'db://users/1' })).toBe('1|row of db://users/1');
    expect(await bench.fails('read', { path: 'ftp://x/y' })).toMatch(/Nothing here can open ftp:\/\/x\/y.*db/);
  });
});
