import { existsSync, mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { caseCount } from '@tenon/test-kit/properties';
import { anchorOf, openWorkbench, type Workbench } from '@tenon/test-kit/workbench';
import { zipOf } from '@tenon/test-kit/office-files';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let bench: Workbench;
beforeEach(async () => {
  bench = await openWorkbench(['file-tools', 'documents', 'search-tools'], { files: {} });
});
afterEach(() => bench.dispose());
const editFails = (input: string) => bench.fails('edit', { input });

describe('edit', () => {
  it.each(['local://notes.md', 'artifact://1', 'https://example.com/a.txt', 'www.example.com/a', 'mcp://x/y'])(
    'does not take %s for the name of a file',
    async (url) => {
      expect(await editFails(`@@ ${url}\n+ BOF\n~text\n`)).toMatch(/is a URL.*Nothing was changed/s);
      expect(existsSync(bench.path(url.split('/')[0] ?? ''))).toBe(false);
    },
  );

  it('does not take a file in an archive or a line range for the name of a file', async () => {
    writeFileSync(bench.path('a.zip'), await zipOf({ 'src/a.txt': 'one\n' }));
    bench.put('a.ts', 'x\n');
    expect(await editFails('@@ a.zip:src/a.txt\n+ BOF\n~text\n')).toMatch(/inside of an archive/);
    expect(await editFails('@@ new.zip:src/a.txt\n+ BOF\n~text\n')).toMatch(/inside of an archive/);
    expect(await editFails('@@ a.ts:1-5\n+ BOF\n~text\n')).toMatch(/a\.ts/);
    for (const name of ['a.zip:src', 'new.zip:src', 'a.ts:1-5']) expect(existsSync(bench.path(name))).toBe(false);
  });

  it('does not take a table of a database that is not there for the name of a file, and neither does write', async () => {
    expect(await editFails('@@ new.db:words\n+ BOF\n~text\n')).toMatch(/Path not found: new\.db\. /);
    expect(await bench.fails('write', { path: 'new.sqlite:words', content: '{}' })).toMatch(
      /not found: new\.sqlite\. /,
    );
    for (const name of ['new.db:words', 'new.sqlite:words']) expect(existsSync(bench.path(name))).toBe(false);
  });

  it.each([
    ['a link to itself', 'loop', /Cannot read loop: ELOOP\. Check/],
    ['a name that is too long', 'x'.repeat(300), /ENAMETOOLONG\. Check/],
    ['a name with a zero byte', 'a\0b', /Cannot read .*\. Check/],
  ])('says what to do about %s', async (_what, path, message) => {
    symlinkSync('loop', bench.path('loop'));
    expect(await editFails(`@@ ${path}\n+ BOF\n~text\n`)).toMatch(message);
  });

  it('leaves binary files and UTF-16 text as they are, in every form', async () => {
    const after = (head: readonly number[]) =>
      fc.uint8Array({ minLength: 4, maxLength: 40 }).map((tail) => Buffer.from([...head, ...tail]));
    const form = fc.oneof(
      fc.constant(Buffer.from('\uFEFFone\ntwo\n', 'utf16le')),
      fc.constant(Buffer.from('\uFEFFone\ntwo\n', 'utf16le').swap16()),
      fc.constant(Buffer.from('one\ntwo\n', 'utf16le')),
      fc.constant(Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0, 10, 0, 0, 0])),
      fc.constant(Buffer.from('%PDF-1.7\nx\n')),
      after([0x7f, 69, 76, 70, 0, 10]),
      after([0xff, 0x00, 10]),
    );
    await fc.assert(
      fc.asyncProperty(form, async (content) => {
        writeFileSync(bench.path('b.bin'), content);
        expect(await editFails('@@ b.bin\n+ EOF\n~more\n')).toMatch(/not text that can be edited/);
        expect(readFileSync(bench.path('b.bin')).equals(content)).toBe(true);
      }),
      { numRuns: caseCount(30) },
    );
  });

  it('still edits text that is not UTF-8', async () => {
    writeFileSync(bench.path('latin.txt'), Buffer.from('caf\xe9\nend\n', 'latin1'));
    await bench.ok('edit', { input: '@@ latin.txt\n+ EOF\n~more\n' });
    expect(readFileSync(bench.path('latin.txt')).equals(Buffer.from('caf\xe9\nend\nmore\n', 'latin1'))).toBe(true);
  });
});

describe('write', () => {
  it('does not replace a database, an archive or another binary file by text', async () => {
    const contents = {
      'a.db': Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(84)]),
      'a.zip': await zipOf({ 'a.txt': 'x' }),
      'a.bin': Buffer.from([0, 1, 2, 3, 10]),
      'installer.sh': Buffer.from(`#!/bin/sh\n${'exit\n'.repeat(5000)}\0\x01payload`),
      'utf-32.txt': Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]),
      'big.zip': Buffer.concat([await zipOf({ 'a.txt': 'x' }), Buffer.alloc(65 * 1024 * 1024)]),
      'a.ipynb': Buffer.from('{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'),
    };
    for (const [name, content] of Object.entries(contents)) {
      writeFileSync(bench.path(name), content);
      expect(await bench.fails('write', { path: name, content: 'text\n' })).toMatch(/would replace all of it by text/);
      expect(readFileSync(bench.path(name)).equals(content)).toBe(true);
    }
    await bench.ok('write', { path: 'a.ipynb', content: '{"cells": [], "nbformat": 4}' });
  });

  it('does not replace a file that has changed since the session read it', async () => {
    bench.put('a.txt', 'one\n');
    await bench.ok('read', { path: 'a.txt' });
    bench.put('a.txt', 'one\nof somebody else\n');
    expect(await bench.fails('write', { path: 'a.txt', content: 'two\n' })).toMatch(/has changed since it was read/);
    expect(bench.get('a.txt')).toBe('one\nof somebody else\n');
    await bench.ok('read', { path: 'a.txt' });
    await bench.ok('write', { path: 'a.txt', content: 'two\n' });
    await bench.ok('write', { path: 'a.txt', content: 'three\n' });
    expect(bench.get('a.txt')).toBe('three\n');
  });

  it('keeps UTF-16 and its line ends', async () => {
    for (const swap of [false, true]) {
      const of = (text: string) => {
        const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le');
        return swap ? bytes.swap16() : bytes;
      };
      const name = `u-${swap}.txt`;
      writeFileSync(bench.path(name), of('one\r\ntwo\r\n'));
      expect(await bench.ok('write', { path: name, content: 'ünd\nso\n' })).toMatch(
        /\(2 lines, 20B, CRLF kept, UTF-16 kept\)/,
      );
      expect(readFileSync(bench.path(name)).equals(of('ünd\r\nso\r\n'))).toBe(true);
    }
  });

  it('does not replace a link that leads nowhere, and neither does edit', async () => {
    mkdirSync(bench.path('d'));
    symlinkSync('missing.txt', bench.path('d/link.txt'));
    expect(await bench.fails('write', { path: 'd/link.txt', content: 'x' })).toMatch(
      /link to .*d\/missing\.txt, which/,
    );
    expect(await editFails('@@ d/link.txt\n+ BOF\n~x\n')).toMatch(/is a link to/);
    expect(readlinkSync(bench.path('d/link.txt'))).toBe('missing.txt');
  });
});

describe('search', () => {
  it('says that URLs and archives are not looked into', async () => {
    writeFileSync(bench.path('a.zip'), await zipOf({ 'src/a.txt': 'one\n' }));
    expect(await bench.fails('search', { pattern: 'x', paths: ['https://example.com/a'] })).toMatch(
      /a URL|example\.com/,
    );
    expect(await bench.fails('search', { pattern: 'x', paths: ['a.zip:src'] })).toMatch(/inside of an archive/);
  });
});

describe('notebooks', () => {
  const notebook = `{
 "cells": [
  {
   "cell_type": "markdown",
   "metadata": {"precise": 1.0},
   "source": ["# Title\\n", "words"]
  },
  {
   "cell_type": "code",
   "execution_count": 3,
   "metadata": {},
   "outputs": [{"name": "stdout", "output_type": "stream", "text": ["1\\n"]}],
   "source": [
    "a = 1\\n",
    "print(a)"
   ]
  }
 ],
 "metadata": {},
 "nbformat": 4,
 "nbformat_minor": 5
}
`;

  it('are read with anchors and edited as cells; all else stays as it was written', async () => {
    bench.put('n.ipynb', notebook);
    const anchor = anchorOf(await bench.ok('read', { path: 'n.ipynb' }), 'print(a)');
    const report = await bench.ok('edit', { input: `@@ n.ipynb\n= ${anchor}..${anchor}\n~print(a + 1)\n` });
    expect(report).toContain('print(a + 1)');
    expect(bench.get('n.ipynb')).toBe(notebook.replace('print(a)', 'print(a + 1)'));
    const above = anchorOf(await bench.ok('read', { path: 'n.ipynb' }), 'words');
    await bench.ok('edit', { input: `@@ n.ipynb\n+ ${above}\n~\n~# %% [code]\n~b = 2\n` });
    const { cells } = JSON.parse(bench.get('n.ipynb')) as {
      cells: { cell_type: string; source: string[]; id?: string }[];
    };
    expect(cells.map(({ cell_type: kind, source }) => [kind, source.join('')])).toEqual([
      ['markdown', '# Title\nwords'],
      ['code', 'b = 2'],
      ['code', 'a = 1\nprint(a + 1)'],
    ]);
    expect(cells[1]?.id).toMatch(/^[0-9a-f]{8}$/);
    expect(bench.get('n.ipynb')).toContain('"precise": 1.0');
  });

  it('take what is written behind the output of a cell into the cell, and not the output', async () => {
    bench.put('n.ipynb', notebook);
    expect(await bench.ok('read', { path: 'n.ipynb' })).toContain('|# > 1');
    await bench.ok('edit', { input: '@@ n.ipynb\n+ EOF\n~b = 2\n' });
    expect(bench.get('n.ipynb')).toBe(notebook.replace('"print(a)"', '"print(a)\\n",\n    "b = 2"'));
  });

  it('are not written back when their cells cannot be told from the text', async () => {
    bench.put('n.ipynb', notebook);
    expect(await bench.ok('read', { path: 'n.ipynb:raw' })).toContain('"precise": 1.0');
    bench.put('odd.ipynb', JSON.stringify({ cells: [{ cell_type: 'code', source: '# %% [code]\nx' }] }));
    expect(await bench.ok('read', { path: 'odd.ipynb' })).toMatch(/^1\|# %%/m);
    expect(await editFails('@@ odd.ipynb\n+ EOF\n~y\n')).toMatch(
      /^The cells of odd\.ipynb cannot be changed: [^:]*looks like the start/,
    );
    expect(await editFails('@@ n.ipynb\n+ BOF\n~in front\n')).toMatch(/in front of the first cell/);
    expect(bench.get('n.ipynb')).toBe(notebook);
  });
});
