import { execFileSync } from 'node:child_process';
import { symlinkSync, utimesSync } from 'node:fs';
import { inlineCandidate, pluginContract } from '@tenon/kernel/testing';
import { urlSchemes } from '@tenon/urls/api';
import { caseCount } from '@tenon/test-kit/properties';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { anchorOf, openWorkbench, surroundings, textOf, type Workbench } from '@tenon/test-kit/workbench';
import source from '../package.json' with { type: 'json' };
import plugin from '../src/plugin.ts';

let bench: Workbench;
const open = async (files: Record<string, string | Uint8Array>) =>
  (bench = await openWorkbench(['file-tools', 'search-tools'], { files }));
afterEach(() => bench?.dispose());

describe('search-tools', () => {
  it('keeps the plugin contract', async () => {
    const others = await surroundings('file-tools');
    await pluginContract({ source, plugin, others });
  });
});

describe('find', () => {
  const project = {
    'a.ts': '',
    'src/b.ts': '',
    'src/deep/c.ts': '',
    'src/d.js': '',
    '.env': '',
    '.gitignore': 'out/\n',
    'out/e.ts': '',
    'app/[id]/page.tsx': '',
  };
  const list = async (input: object) => (await bench.ok('find', input)).split('\n').sort();

  it.each([
    [['*.ts'], ['a.ts', 'src/b.ts', 'src/deep/c.ts']],
    [['src/*.ts'], ['src/b.ts']],
    [['src/**/*.ts'], ['src/b.ts', 'src/deep/c.ts']],
    [['src'], ['src/b.ts', 'src/d.js', 'src/deep/c.ts']],
    [['a.ts'], ['a.ts']],
    [
      ['src/*.{ts,js}', 'src'],
      ['src/b.ts', 'src/d.js', 'src/deep/c.ts'],
    ],
    [['app/[id]/page.tsx'], ['app/[id]/page.tsx']],
    [['out/e.ts'], ['out/e.ts']],
    [['.env'], ['.env']],
  ])('finds %j', async (paths, expected) => {
    await open(project);
    expect(await list({ paths })).toEqual(expected.sort());
  });

  it('leaves out ignored files, and hidden ones on request', async () => {
    await open(project);
    expect(await list({ paths: ['.'] })).toContain('.env');
    expect(await list({ paths: ['.'] })).not.toContain('out/e.ts');
    expect(await list({ paths: ['.'], hidden: false })).not.toContain('.env');
  });

  it('puts the newest first and says what the limit hides', async () => {
    await open({ 'old.md': '', 'mid.md': '', 'new.md': '' });
    for (const [index, name] of ['old.md', 'mid.md', 'new.md'].entries()) {
      utimesSync(bench.path(name), 1000 + index, 1000 + index);
    }
    const result = await bench.run('find', { paths: ['*.md'], limit: 2 });
    expect(textOf(result)).toBe(
      'new.md\nmid.md\n\n[2 of 3 files shown, newest first. Narrow the globs or raise limit.]',
    );
    expect(result.details).toMatchObject({ fileCount: 2, truncated: true, resultLimitReached: 2 });
  });

  it('tells nothing found from nothing there', async () => {
    await open(project);
    expect(await bench.ok('find', { paths: ['*.rs'] })).toBe('No files found matching pattern');
    expect(await bench.fails('find', { paths: ['gone', 'away/*.ts'] })).toMatch(/Path not found: gone, away\/\*\.ts/);
    expect(await bench.ok('find', { paths: ['a.ts', 'gone'] })).toBe('a.ts\n\nSkipped missing paths: gone');
    expect(await bench.fails('find', { paths: ['/*'] })).toMatch(/root directory '\/' is not allowed/);
    expect(await bench.fails('find', { paths: ['  '] })).toMatch(/non-empty/);
    expect(await bench.fails('find', { paths: ['a.ts'], limit: 0 })).toMatch(/limit/);
  });
});

/** `file line` of every match, over all pages. */
async function allPages(input: { readonly pattern: string; readonly paths: readonly string[] }): Promise<string[]> {
  const found: string[] = [];
  for (let skip = 0; ;) {
    const text = await bench.ok('search', { ...input, skip });
    let file = input.paths[0] ?? '';
    const before = found.length;
    for (const row of text.split('\n')) {
      if (row.startsWith('# ')) file = row.slice(2);
      const number = /^\*(\d+)/.exec(row)?.[1];
      if (number !== undefined) found.push(`${file} ${number}`);
    }
    const next = /Use skip: (\d+)/.exec(text)?.[1];
    if (next === undefined) return found;
    expect(Number(next)).toBe(skip + found.length - before);
    expect(Number(next)).toBeGreaterThan(skip);
    skip = Number(next);
  }
}

describe('search', () => {
  it('groups by file and marks matches, with lines around them', async () => {
    await open({ 'a.ts': 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n', 'src/b.ts': 'two\n' });
    const rows = (await bench.ok('search', { pattern: 'two', paths: ['.'] })).split('\n');
    expect(rows.map((row) => row.replace(/^([* ]\d+)[a-z]{2}\|/, '$1|'))).toEqual([
      '# a.ts',
      ' 1|one',
      '*2|two',
      ' 3|three',
      ' 4|four',
      ' 5|five',
      '',
      '# src/b.ts',
      '*1|two',
    ]);
    const flat = await bench.ok('search', { pattern: 'TWO', paths: ['src/b.ts'], i: true });
    expect(flat).toMatch(/^\*1[a-z]{2}\|two$/);
  });

  it('gives anchors that edit takes, also when the file changed in between', async () => {
    await open({ 'a.ts': Array.from({ length: 30 }, (_, i) => `const v${i} = ${i};\n`).join('') });
    const found = await bench.ok('search', { pattern: 'v12 ', paths: ['.'] });
    bench.put('a.ts', `// header\n${bench.get('a.ts')}`);
    const anchor = anchorOf(found, 'v12 ');
    await bench.ok('edit', { input: `@@ a.ts\n= ${anchor}..${anchor}\n~const v12 = 0;` });
    expect(bench.get('a.ts')).toContain('// header\n');
    expect(bench.get('a.ts')).toContain('const v11 = 11;\nconst v12 = 0;\nconst v13 = 13;\n');
  });

  it('gives fitting anchors for lines that are not UTF-8 and for lines it cuts', async () => {
    await open({ 'a.txt': Buffer.from([0x66, 0xff, 0x0a]), 'b.txt': `${'x'.repeat(5000)}needle${'y'.repeat(5000)}\n` });
    const listing = await bench.ok('read', { path: 'a.txt' });
    expect(await bench.ok('search', { pattern: 'f', paths: ['a.txt'] })).toBe(`*${listing}`);
    const cut = await bench.ok('search', { pattern: 'needle', paths: ['b.txt'] });
    expect(cut.length).toBeLessThan(1100);
    expect(cut).toMatch(/^\*1[a-z]{2}\|….*needle.*…$/);
    const anchor = /\*(1[a-z]{2})\|/.exec(cut)![1]!;
    await bench.ok('edit', { input: `@@ b.txt\n- ${anchor}..${anchor}` });
    expect(bench.get('b.txt')).toBe('');
  });

  it('pages over all targets, sharing a page between the files of a folder', async () => {
    const many = (word: string, count: number) => Array.from({ length: count }, (_, i) => `${word} ${i}\n`).join('');
    await open({ 'src/a.txt': many('hit', 150), 'src/b.txt': many('hit', 20), 'c.txt': many('hit', 30) });
    const seen = new Set<string>();
    let skip = 0;
    let pages = 0;
    for (; pages < 10; pages++) {
      const result = await bench.run('search', { pattern: '^hit', paths: ['src', 'c.txt'], skip });
      let file = '';
      for (const row of textOf(result).split('\n')) {
        if (row.startsWith('# ')) file = row.slice(2);
        if (row.startsWith('*')) seen.add(`${file} ${row.slice(row.indexOf('|') + 1)}`);
      }
      if (pages === 0) expect(result.details).toMatchObject({ matchCount: 100, fileCount: 2, matchLimitReached: 100 });
      const next = /Use skip: (\d+)/.exec(textOf(result))?.[1];
      if (next === undefined) break;
      skip = Number(next);
    }
    expect(pages).toBe(1);
    expect(seen.size).toBe(200);
  });

  it.each(['little', 'big'])(
    'shows matches in UTF-16 (%s endian) as text, without anchors that edit would refuse',
    async (order) => {
      const units = Buffer.from('\uFEFFone\nnöte → two\nthree\n', 'utf16le');
      await open({ 'a.txt': order === 'big' ? units.swap16() : units });
      const rows = ['*2|nöte → two', ' 3|three'];
      expect((await bench.ok('search', { pattern: 'two', paths: ['a.txt'] })).split('\n')).toEqual([' 1|one', ...rows]);
    },
  );

  it('respects .gitignore unless told otherwise, and always searches a file that is named', async () => {
    await open({ '.gitignore': 'out/\n', 'out/a.txt': 'needle\n', 'b.txt': 'hay\n' });
    expect(await bench.ok('search', { pattern: 'needle', paths: ['.'] })).toBe('No matches found');
    expect(await bench.ok('search', { pattern: 'needle', paths: ['.'], gitignore: false })).toContain('# out/a.txt');
    expect(await bench.ok('search', { pattern: 'needle', paths: ['out/a.txt', 'b.txt'] })).toContain('# out/a.txt');
  });

  it('spans lines when the pattern does', async () => {
    await open({ 'a.txt': 'begin\nendbegin\nend\n' });
    expect(await bench.ok('search', { pattern: String.raw`begin\nend`, paths: ['.'] })).toMatch(
      /\*1[a-z]{2}\|begin\n\*2[a-z]{2}\|endbegin\n\*3[a-z]{2}\|end/,
    );
  });

  it('explains patterns that cannot be used and says how it read odd ones', async () => {
    await open({ 'a.txt': 'f(x\n' });
    expect(await bench.fails('search', { pattern: '[a', paths: ['.'] })).toMatch(/unclosed character class.*Escape/);
    expect(await bench.fails('search', { pattern: ' ', paths: ['.'] })).toMatch(/must not be empty/);
    expect(await bench.ok('search', { pattern: 'f(x', paths: ['.'] })).toMatch(/read as: f\\\(x/);
    expect(await bench.fails('search', { pattern: 'x', paths: ['nope'] })).toMatch(/Path not found: nope/);
  });

  it('prints every match of a page, however long the lines, and goes on behind the last one', async () => {
    await open({ 'a.txt': Array.from({ length: 400 }, (_, i) => `${i} ${'match '.repeat(150)}\n`).join('') });
    const first = await bench.ok('search', { pattern: 'match', paths: ['a.txt'] });
    expect(Buffer.byteLength(first)).toBeLessThan(52 * 1024);
    const shown = first.split('\n').filter((row) => row.startsWith('*')).length;
    expect(first).toContain(`[Matches 1-${shown} shown, there are more. Use skip: ${shown},`);
    expect((await allPages({ pattern: 'match', paths: ['a.txt'] })).length).toBe(400);
    expect(await bench.ok('search', { pattern: 'match', paths: ['a.txt'], skip: 400 })).toBe(
      'No matches behind the first 400',
    );
  });

  it('says so when a single match is too long to be shown whole', async () => {
    await open({ 'a.txt': `begin\n${`${'x'.repeat(999)}\n`.repeat(100)}end\nbegin\nend\n` });
    const text = await bench.ok('search', { pattern: String.raw`(?s)begin\n.*?end`, paths: ['a.txt'] });
    expect(text).toContain('This match is cut');
    expect(text).toContain('Use skip: 1,');
  });

  it('shows every match exactly once on its pages, whatever the lengths and however the paths overlap', async () => {
    const line = fc.record({ words: fc.integer({ min: 0, max: 1 }), length: fc.constantFrom(1, 20, 900, 3000) });
    const file = fc.array(line, { maxLength: 90 });
    const names = ['a.txt', 'b[1].txt', 'd/a.txt', 'd/e/{f}.txt', 'node_modules/a.txt'] as const;
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(file, file, file, file, file),
        fc.uniqueArray(fc.constantFrom('.', 'd', 'd/e', '*.txt', 'd/**/*.txt', ...names), {
          minLength: 1,
          maxLength: 3,
        }),
        async (contents, paths) => {
          const text = (lines: (typeof contents)[number]) =>
            lines.map(({ words, length }, i) => `${i} ${words ? 'hit' : 'miss'} ${'x'.repeat(length)}\n`).join('');
          await open(Object.fromEntries(names.map((name, index) => [name, text(contents[index] ?? [])])));
          try {
            const found = await allPages({ pattern: 'hit', paths });
            expect(new Set(found).size).toBe(found.length);
            const reached = (name: string) =>
              paths.some(
                (path) =>
                  path === name ||
                  (!name.startsWith('node_modules') &&
                    (path === '.' || path === '*.txt' || name.startsWith(`${path.split('/**')[0]}/`))),
              );
            const expected = names.flatMap((name, index) =>
              (contents[index] ?? []).flatMap(({ words }, i) => (words && reached(name) ? [`${name} ${i + 1}`] : [])),
            );
            expect(found.toSorted()).toEqual(expected.toSorted());
          } finally {
            await bench.dispose();
          }
        },
      ),
      { numRuns: caseCount(20) },
    );
  });

  it('searches a link that is named, and says which named file is binary', async () => {
    await open({ 'real.txt': 'needle\n', 'blob.bin': 'needle\0needle\n', 'src/a.txt': 'needle\n' });
    symlinkSync('real.txt', bench.path('link.txt'));
    symlinkSync('src', bench.path('linked'));
    expect(await bench.ok('search', { pattern: 'needle', paths: ['link.txt'] })).toMatch(/^\*1[a-z]{2}\|needle$/);
    expect(await bench.ok('search', { pattern: 'needle', paths: ['linked'] })).toContain('# linked/a.txt');
    expect(await bench.ok('search', { pattern: 'needle', paths: ['blob.bin'] })).toBe(
      'No matches found\n\n[Not searched: blob.bin (a binary file)]',
    );
    expect(await bench.ok('search', { pattern: 'needle', paths: ['link.txt', 'blob.bin'] })).toMatch(
      /^# link\.txt\n\*1[a-z]{2}\|needle\n\n\[Not searched: blob\.bin \(a binary file\)\]$/,
    );
  });

  it('agrees with git grep on what matches', async () => {
    await open({ 'a.ts': 'export const a = 1;\n', 'b/c.ts': 'const a = 2;\nlet b;\n', 'd.md': 'const a\n' });
    execFileSync('git', ['add', '.'], { cwd: bench.root });
    const expected = execFileSync('git', ['grep', '-lE', 'const +a'], { cwd: bench.root, encoding: 'utf8' });
    const { details } = await bench.run('search', { pattern: 'const +a', paths: ['.'] });
    expect((details as { files: string[] }).files).toEqual(expected.trim().split('\n'));
  });
});

describe('URLs among the paths', () => {
  const withScheme = async () => {
    await open({ 'a.txt': 'needle here\n', 'log.txt': 'one\nneedle in a log\n' });
    const schemes = { log: { immutable: true }, note: {}, cloud: {} };
    bench.kernel.install(
      inlineCandidate(
        {
          id: 'schemes',
          activate(ctx) {
            const content = () => Promise.resolve({ content: '' });
            ctx.contribute(urlSchemes, 'log', { read: content, locate: () => Promise.resolve(bench.path('log.txt')) });
            ctx.contribute(urlSchemes, 'note', { read: content, locate: () => Promise.resolve(bench.path('a.txt')) });
            ctx.contribute(urlSchemes, 'cloud', { read: content });
          },
        },
        { contributes: { 'url-schemes': schemes } },
      ),
    );
  };

  it('stand for the files behind them; lines that cannot be edited have no anchors', async () => {
    await withScheme();
    const text = await bench.ok('search', { pattern: 'needle', paths: ['log://today', 'note://mine'] });
    expect(text).toMatch(
      /^# log:\/\/today\n 1\|one\n\*2\|needle in a log\n\n# note:\/\/mine\n\*1[a-z]{2}\|needle here$/,
    );
    const { details } = await bench.run('search', { pattern: 'needle', paths: ['log://today'] });
    expect(details).toMatchObject({ scopePath: 'log://today', files: ['log://today'] });
  });

  it('cannot have globs, and need a file', async () => {
    await withScheme();
    expect(await bench.fails('search', { pattern: 'x', paths: ['log://*'] })).toContain(
      'Glob patterns are not supported',
    );
    expect(await bench.fails('search', { pattern: 'x', paths: ['cloud://x'] })).toContain('without a backing file');
  });
});
