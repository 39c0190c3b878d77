import { execFileSync } from 'node:child_process';
import { chmodSync, linkSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { loadAccelerator } from '@tenon/native';
import { caseCount } from '@tenon/test-kit/properties';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { fileChanges, fileViews } from '../src/api.ts';
import { anchorOf, openWorkbench, type Workbench } from '@tenon/test-kit/workbench';

let bench: Workbench;
const open = async (files: Record<string, string | Uint8Array>, settings: Record<string, unknown> = {}) =>
  (bench = await openWorkbench(['file-tools'], { files, settings }));
afterEach(() => bench?.dispose());

const patch = (...lines: string[]) => ({ input: lines.join('\n') });

describe('writing', () => {
  it('creates files with their folders and replaces content', async () => {
    await open({});
    expect(await bench.ok('write', { path: 'a/b/c.txt', content: 'x\ny' })).toBe('Created a/b/c.txt (2 lines, 3B)');
    expect(await bench.ok('write', { path: 'a/b/c.txt', content: 'z\n' })).toBe('Updated a/b/c.txt (1 line, 2B)');
    expect(bench.get('a/b/c.txt')).toBe('z\n');
    expect(await bench.ok('write', { path: 'a/b/c.txt', content: 'z\n' })).toMatch(/^Unchanged a\/b\/c\.txt/);
    expect(readdirSync(bench.path('a/b'))).toEqual(['c.txt']);
  });

  it('keeps mode, links and hard links', async () => {
    await open({ 'run.sh': 'old\n' });
    chmodSync(bench.path('run.sh'), 0o750);
    symlinkSync('run.sh', bench.path('link.sh'));
    await bench.ok('write', { path: 'link.sh', content: 'new\n' });
    expect(lstatSync(bench.path('link.sh')).isSymbolicLink()).toBe(true);
    expect(statSync(bench.path('run.sh')).mode & 0o777).toBe(0o750);
    expect(bench.get('run.sh')).toBe('new\n');
    linkSync(bench.path('run.sh'), bench.path('twin.sh'));
    await bench.ok('write', { path: 'run.sh', content: 'both\n' });
    expect(bench.get('twin.sh')).toBe('both\n');
  });

  it('makes cached scans forget the folder', async () => {
    await open({ 'a.txt': '' });
    const scan = await loadAccelerator('scan');
    const roots = () => scan.cacheReport().map(({ root }) => root);
    await scan.glob({ path: bench.root, pattern: '**', cache: true });
    expect(roots()).toContain(bench.root);
    await bench.ok('write', { path: 'b.txt', content: '' });
    expect(roots()).not.toContain(bench.root);
  });

  it('refuses to write over a folder', async () => {
    await open({ 'src/a.ts': '' });
    expect(await bench.fails('write', { path: 'src', content: '' })).toMatch(/is a directory/);
  });
});

describe('editing by anchors', () => {
  it('replaces, inserts and deletes in several files at once and shows the new anchors', async () => {
    await open({ 'a.ts': 'one\ntwo\nthree\nfour\n', 'b.ts': 'x\r\ny\r\n' });
    const a = await bench.ok('read', { path: 'a.ts' });
    const b = await bench.ok('read', { path: 'b.ts' });
    const two = anchorOf(a, 'two');
    const y = anchorOf(b, 'y');
    const text = await bench.ok(
      'edit',
      patch(
        '@@ a.ts',
        `= ${two}..${two}`,
        '~TWO',
        '~and more',
        '@@ b.ts',
        `+ ${y}`,
        '~z',
        '@@ new.ts',
        '+ EOF',
        '~hello',
      ),
    );
    expect(bench.get('a.ts')).toBe('one\nTWO\nand more\nthree\nfour\n');
    expect(bench.get('b.ts')).toBe('x\r\ny\r\nz\r\n');
    expect(bench.get('new.ts')).toBe('hello\n');
    expect(text).toMatch(
      /^a\.ts:\n 1[a-z]{2}\|one\n-2\|two\n\+2[a-z]{2}\|TWO\n\+3[a-z]{2}\|and more\n 4[a-z]{2}\|three/,
    );
    expect(text).toContain('Created new.ts');
    // The anchors of the answer are good for the next edit.
    await bench.ok('edit', patch('@@ a.ts', `- ${anchorOf(text, 'and more')}..${anchorOf(text, 'and more')}`));
    expect(bench.get('a.ts')).toBe('one\nTWO\nthree\nfour\n');
  });

  it('changes no file when one of them cannot be changed', async () => {
    await open({ 'a.ts': 'one\n', 'b.ts': 'two\n' });
    const one = anchorOf(await bench.ok('read', { path: 'a.ts' }), 'one');
    expect(await bench.fails('edit', patch('@@ a.ts', `= ${one}..${one}`, '~ONE', '@@ b.ts', '- 1aa..1aa'))).toMatch(
      /Edit refused.*b\.ts[\s\S]*\*1[a-z]{2}\|two/,
    );
    expect(bench.get('a.ts')).toBe('one\n');
  });

  it('finds lines that moved since they were read, and refuses lines that changed', async () => {
    const lines = Array.from({ length: 20 }, (_, i) => `const value${i} = ${i};\n`);
    await open({ 'a.ts': lines.join('') });
    const listing = await bench.ok('read', { path: 'a.ts' });
    bench.put('a.ts', `// new header\n// another\n${lines.join('')}`);
    const ten = anchorOf(listing, 'value10');
    expect(await bench.ok('edit', patch('@@ a.ts', `= ${ten}..${ten}`, '~const value10 = 100;'))).toMatch(
      /Warnings:\na\.ts has changed since it was read/,
    );
    expect(bench.get('a.ts')).toBe(
      `// new header\n// another\n${lines.join('').replace('value10 = 10;', 'value10 = 100;')}`,
    );
    const three = anchorOf(await bench.ok('read', { path: 'a.ts' }), 'value3');
    bench.put('a.ts', bench.get('a.ts').replace('value3 = 3', 'value3 = 33'));
    expect(await bench.fails('edit', patch('@@ a.ts', `- ${three}..${three}`))).toMatch(
      /Edit refused.*[\s\S]*value3 = 33/,
    );
  });

  it('carries anchors of an older view over, its own edits between', async () => {
    const lines = Array.from({ length: 12 }, (_, i) => `line number ${i};\n`);
    await open({ 'a.ts': lines.join('') });
    const listing = await bench.ok('read', { path: 'a.ts' });
    const [two, nine] = [anchorOf(listing, 'number 2;'), anchorOf(listing, 'number 9;')];
    await bench.ok('edit', patch('@@ a.ts', `+ ${two}`, '~added', '~and more'));
    expect(await bench.ok('edit', patch('@@ a.ts', `= ${nine}..${nine}`, '~NINE'))).toMatch(/found where they are now/);
    expect(bench.get('a.ts').split('\n').slice(3, 5)).toEqual(['added', 'and more']);
    expect(bench.get('a.ts').split('\n')[11]).toBe('NINE');
  });

  it('asks again when the anchor of a bracket means different lines in two views', async () => {
    const block = (name: string) => `${name} {\n  x();\n}\n`;
    await open({ 'a.ts': block('one') + block('two') + block('three') });
    const listing = await bench.ok('read', { path: 'a.ts' });
    const [first, second] = [listing.split('\n')[0]!, listing.split('\n')[5]!].map((row) => row.split('|')[0]!);
    await bench.ok('edit', patch('@@ a.ts', `< ${first}`, '~zero {', '~  x();', '~}'));
    const before = bench.get('a.ts');
    // Line 6 was the end of "two"; now it is the end of "one".
    const input = patch('@@ a.ts', `+ ${second}`, '~// added');
    expect(await bench.fails('edit', input)).toMatch(/fits two views of the file[\s\S]*6[a-z]{2}\|\}/);
    expect(bench.get('a.ts')).toBe(before);
    // It has been shown now what the line is.
    await bench.ok('edit', input);
    expect(bench.get('a.ts')).toBe(before.replace('one {\n  x();\n}\n', 'one {\n  x();\n}\n// added\n'));
  });

  it('finds lines whose neighbours have changed', async () => {
    const lines = Array.from({ length: 12 }, (_, i) => `line number ${i};\n`);
    await open({ 'a.ts': lines.join('') });
    const five = anchorOf(await bench.ok('read', { path: 'a.ts' }), 'number 5;');
    bench.put('a.ts', `new first\n${lines.join('').replace('number 4;', 'number four;')}`);
    await bench.ok('edit', patch('@@ a.ts', `= ${five}..${five}`, '~FIVE'));
    expect(bench.get('a.ts')).toContain('number four;\nFIVE\nline number 6;');
  });

  it.each([
    ['a lock file', 'package-lock.json', '{}\n', /lock file of a package manager/],
    ['a minified file', 'dist/app.min.js', 'x\n', /it is minified/],
    ['a bundle', 'app.js', `/* licence */\n${'x();'.repeat(2000)}\n`, /it is minified/],
    ['a marked file', 'a.py', '#!/usr/bin/env python\n# @generated by protoc\n', /it says so: "@generated"/],
  ])('refuses %s unless the user allows it', async (_, name, content, message) => {
    await open({ [name]: content });
    expect(await bench.fails('edit', patch(`@@ ${name}`, '+ EOF', '~x'))).toMatch(message);
    expect(bench.get(name)).toBe(content);
    await bench.dispose();
    await open({ [name]: content }, { 'file-tools': { edit: { generatedFiles: 'allow' } } });
    await bench.ok('edit', patch(`@@ ${name}`, '+ EOF', '~x'));
  });

  it('takes code that looks for such marks for what it is', async () => {
    await open({ 'guard.ts': 'const MARK = /@generated/;\n' });
    await bench.ok('edit', patch('@@ guard.ts', '+ EOF', '~x'));
  });

  it('refuses one file under two names that a link makes', async () => {
    await open({ 'a.ts': 'one\n' });
    symlinkSync('a.ts', bench.path('b.ts'));
    expect(await bench.fails('edit', patch('@@ a.ts', '+ EOF', '~x', '@@ b.ts', '+ EOF', '~y'))).toMatch(/same file/);
  });

  it('refuses a changed line even when its two letters happen to fit', async () => {
    // "}" has letters that only tell its line number, whatever it closes.
    await open({ 'a.ts': 'if (a) {\n  x();\n}\nif (b) {\n  y();\n}\n' });
    const listing = await bench.ok('read', { path: 'a.ts' });
    const close = listing.split('\n')[2]!.split('|')[0]!;
    bench.put('a.ts', 'while (z) {\n  q();\n}\nif (b) {\n  y();\n}\n');
    expect(await bench.fails('edit', patch('@@ a.ts', `- ${close}..${close}`))).toMatch(/Edit refused/);
    // Another session has not read the file, so its anchors are all there is to go by.
    await bench.ok('edit', patch('@@ a.ts', `- ${close}..${close}`), 'two');
  });

  it.each([
    ['no header', patch('+ EOF', '~x'), /must begin with "@@ PATH"|header/],
    ['an unknown operation', patch('@@ a.ts', '* 1aa'), /Nothing was changed/],
    ['a file that is not there', patch('@@ gone.ts', '- 1aa..1aa'), /File not found: gone\.ts.*write/],
    ['a folder', patch('@@ src', '+ EOF', '~x'), /is a directory/],
    ['one file under two names', patch('@@ a.ts', '+ EOF', '~x', '@@ ./a.ts', '+ EOF', '~y'), /same file: a\.ts/],
    ['a generated file', patch('@@ gen.ts', '+ EOF', '~x'), /gen\.ts is made by a program.*DO NOT EDIT.*source/],
  ])('refuses %s and says what to do', async (_, input, message) => {
    await open({ 'a.ts': 'one\n', 'src/x.ts': '', 'gen.ts': '// Code generated by x. DO NOT EDIT.\n' });
    expect(await bench.fails('edit', input)).toMatch(message);
    expect(bench.get('a.ts')).toBe('one\n');
  });

  it('says so when nothing would change', async () => {
    await open({ 'a.ts': 'one\n' });
    const one = anchorOf(await bench.ok('read', { path: 'a.ts' }), 'one');
    expect(await bench.fails('edit', patch('@@ a.ts', `= ${one}..${one}`, '~one'))).toMatch(/no changes being made/);
  });

  it('leaves every byte alone that no operation names', async () => {
    await open({});
    const line = fc
      .uint8Array({ maxLength: 12 })
      .map((bytes) => Buffer.from(bytes.map((byte) => (byte === 10 || byte === 0 ? 46 : byte))))
      // A carriage return at the end is part of the line's ending, and an ending follows its line when that is replaced.
      .map((bytes) => (bytes.at(-1) === 13 ? Buffer.concat([bytes, Buffer.from('.')]) : bytes));
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1, maxLength: 8 }),
        fc.nat(),
        fc.boolean(),
        async (lines, pick, open) => {
          const rows = [Buffer.from('start'), ...lines, Buffer.from('end')];
          const endings: string[] = rows.map((_, index) => (index % 3 === 0 ? '\r\n' : '\n'));
          if (open) endings[endings.length - 1] = '';
          const join = (parts: Buffer[]) =>
            Buffer.concat(parts.flatMap((part, index) => [part, Buffer.from(endings[index]!)]));
          bench.put('x.bin', join(rows));
          const chosen = pick % rows.length;
          const anchor = (await bench.ok('read', { path: 'x.bin' })).split('\n')[chosen]!.split('|')[0]!;
          await bench.ok('edit', patch('@@ x.bin', `= ${anchor}..${anchor}`, '~REPLACED'));
          const expected = rows.map((row, index) => (index === chosen ? Buffer.from('REPLACED') : row));
          expect(readFileSync(bench.path('x.bin')).equals(join(expected))).toBe(true);
        },
      ),
      { numRuns: caseCount(60) },
    );
  });
});

describe('editing by old and new text', () => {
  const replace = { 'file-tools': { edit: { mode: 'replace' } } };
  const edits = (...list: object[]) => ({ path: 'a.ts', edits: list });

  it('replaces what is unique, in the line endings of the file', async () => {
    await open({ 'a.ts': '\uFEFFone\r\ntwo\r\nthree' }, replace);
    await bench.ok(
      'edit',
      edits({ old_text: 'one\ntwo', new_text: '1\n2\n2.5' }, { old_text: 'three', new_text: '3' }),
    );
    expect(bench.get('a.ts')).toBe('\uFEFF1\r\n2\r\n2.5\r\n3');
  });

  it('changes every place when asked to', async () => {
    await open({ 'a.ts': 'foo(foo)\n' }, replace);
    expect(await bench.fails('edit', edits({ old_text: 'foo', new_text: 'bar' }))).toMatch(
      /occurs 2 times .*"all": true/,
    );
    await bench.ok('edit', edits({ old_text: 'foo', new_text: 'bar', all: true }));
    expect(bench.get('a.ts')).toBe('bar(bar)\n');
  });

  it('ignores blanks at line ends and typography only when nothing fits exactly, and says so', async () => {
    await open({ 'a.ts': 'say(“hi”);  \nend\n' }, replace);
    expect(await bench.ok('edit', edits({ old_text: 'say("hi");\nend', new_text: 'done' }))).toMatch(
      /Warnings:\nEdit 1 is not exact: it fits line 1 with 98% confidence/,
    );
    expect(bench.get('a.ts')).toBe('done\n');
  });

  it('follows the indentation of the file', async () => {
    await open({ 'a.ts': 'f() {\n\tif (x) {\n\t\ta();\n\t}\n}\n' }, replace);
    const text = await bench.ok(
      'edit',
      edits({ old_text: '  if (x) {\n    a();\n  }', new_text: '  if (y) {\n    a();\n    b();\n  }' }),
    );
    expect(text).toMatch(/95% confidence \(the indentation differs\)/);
    expect(bench.get('a.ts')).toBe('f() {\n\tif (y) {\n\t\ta();\n\t\tb();\n\t}\n}\n');
  });

  it('takes a similar text only in a file that was read and has not changed, and says how sure it is', async () => {
    const content = 'const total = computeTotal(items, taxes);\nreturn total;\n';
    await open({ 'a.ts': content }, replace);
    const similar = edits({ old_text: 'const total = computeTotal(items, tax);', new_text: 'const total = 1;' });
    expect(await bench.fails('edit', similar)).toMatch(/not found/);
    await bench.ok('read', { path: 'a.ts' });
    expect(await bench.ok('edit', similar)).toMatch(/with 9\d% confidence \(the text is similar, not the same\)/);
    expect(bench.get('a.ts')).toBe('const total = 1;\nreturn total;\n');
  });

  it('does not take one of two places that overlap', async () => {
    await open({ 'a.ts': '}\n}\n}\n' }, replace);
    expect(await bench.fails('edit', edits({ old_text: '}\n}\n', new_text: '' }))).toMatch(/occurs 2 times/);
  });

  it('does not overwrite what somebody else has changed since', async () => {
    await open({ 'a.ts': 'alpha();\nbeta(1);\ngamma();\n' }, replace);
    await bench.ok('read', { path: 'a.ts' });
    bench.put('a.ts', 'alpha();\nbeta(2);\ngamma();\n');
    expect(await bench.fails('edit', edits({ old_text: 'beta(1);', new_text: 'beta(3);' }))).toMatch(
      /has changed since it was read: line 2 of what was read cannot be found any more\.\n[\s\S]*2[a-z]{2}\|beta\(2\);/,
    );
    // What is in the file now can be named.
    await bench.ok('edit', edits({ old_text: 'beta(2);', new_text: 'beta(3);' }));
    expect(bench.get('a.ts')).toBe('alpha();\nbeta(3);\ngamma();\n');
  });

  it('changes several files in one call, or none', async () => {
    await open({ 'a.ts': 'one\n', 'b.ts': 'two\n' }, replace);
    const list = [
      { old_text: 'one', new_text: '1' },
      { old_text: 'two', new_text: '2', path: 'b.ts' },
    ];
    expect(await bench.fails('edit', edits(...list, { old_text: 'zzz', new_text: '', path: 'b.ts' }))).toMatch(
      /Edit 3/,
    );
    expect(bench.get('a.ts')).toBe('one\n');
    await bench.ok('edit', edits(...list));
    expect([bench.get('a.ts'), bench.get('b.ts')]).toEqual(['1\n', '2\n']);
  });

  it.each([
    ['text that is not there', [{ old_text: 'zzz', new_text: '' }], /not found in a\.ts/],
    [
      'other indentation that the new text cannot follow',
      [{ old_text: 'f {\n    x', new_text: ' y' }],
      /first at line 1.*indentation/,
    ],
    ['a line that differs', [{ old_text: 'f {\n  y', new_text: '' }], /This line of it is not there: "y"/],
    [
      'overlapping edits',
      [
        { old_text: 'f {', new_text: '' },
        { old_text: '{\n', new_text: '' },
      ],
      /Edits 1 and 2/,
    ],
    ['no old text', [{ old_text: '', new_text: 'x' }], /old text is empty/],
    ['no change', [{ old_text: 'f {', new_text: 'f {' }], /no changes being made/],
  ])('refuses %s', async (_, list, message) => {
    await open({ 'a.ts': 'f {\n  x\n}\n' }, replace);
    expect(await bench.fails('edit', edits(...list))).toMatch(message);
    expect(bench.get('a.ts')).toBe('f {\n  x\n}\n');
  });

  it('does not touch text of which only a part is UTF-8', async () => {
    await open({ 'a.ts': Buffer.from([0xff, 0xc3, 0xa9, 0x61, 0x0a]) }, replace);
    expect(await bench.fails('edit', edits({ old_text: 'a', new_text: 'b' }))).toMatch(/not UTF-8.*hashline/);
  });
});

describe('changing files', () => {
  it('refuses when a file is not what it was when the change was planned, and changes none', async () => {
    await open({ 'a.txt': 'a', 'b.txt': 'b' });
    const changes = await bench.kernel.find(fileChanges);
    const plan = [
      { path: bench.path('a.txt'), before: Buffer.from('a'), after: Buffer.from('A') },
      { path: bench.path('b.txt'), before: Buffer.from('stale'), after: Buffer.from('B') },
    ];
    await expect(changes.apply('one', plan)).rejects.toMatchObject({ code: 'FILE_TOOLS_CHANGED_MEANWHILE' });
    expect([bench.get('a.txt'), bench.get('b.txt')]).toEqual(['a', 'b']);
    expect(readdirSync(bench.root).sort()).toEqual(['.git', 'a.txt', 'b.txt']);
  });

  it('brings back what was written when a later file fails', async () => {
    await open({ 'a.txt': 'a' });
    const changes = await bench.kernel.find(fileChanges);
    // The second target becomes a folder while the change is being made ready.
    const content = [Buffer.from('B')];
    content[Symbol.iterator] = function* () {
      execFileSync('mkdir', ['-p', bench.path('d/x')]);
      yield Buffer.from('B');
    } as (typeof content)[typeof Symbol.iterator];
    const apply = changes.apply('one', [
      { path: bench.path('a.txt'), before: 'any', after: Buffer.from('A') },
      { path: bench.path('d/x'), before: undefined, after: content },
    ]);
    await expect(apply).rejects.toMatchObject({ code: 'FILE_TOOLS_WRITE_FAILED' });
    expect(bench.get('a.txt')).toBe('a');
  });

  it('deletes and brings back, links and modes included', async () => {
    await open({ 'a.sh': 'a', 'b.txt': 'b' });
    chmodSync(bench.path('a.sh'), 0o750);
    symlinkSync('b.txt', bench.path('link'));
    const changes = await bench.kernel.find(fileChanges);
    const stale = { path: bench.path('b.txt'), before: Buffer.from('stale'), after: Buffer.from('B') };
    const removals = [
      { path: bench.path('a.sh'), before: Buffer.from('a'), after: undefined },
      { path: bench.path('link'), before: Buffer.from('b'), after: undefined },
    ];
    await expect(changes.apply('one', [...removals, stale])).rejects.toMatchObject({
      code: 'FILE_TOOLS_CHANGED_MEANWHILE',
    });
    expect(readdirSync(bench.root).sort()).toEqual(['.git', 'a.sh', 'b.txt', 'link']);
    await changes.apply('one', removals);
    expect(readdirSync(bench.root).sort()).toEqual(['.git', 'b.txt']);
    expect(bench.get('b.txt')).toBe('b');
  });

  it('remembers what sessions saw within bounds', async () => {
    await open({});
    const views = await bench.kernel.find(fileViews);
    for (let index = 0; index < 40; index++) views.record('s', `/f${index}`, Buffer.from([index]));
    expect(views.find('s', '/f9')).toBeUndefined();
    expect(views.find('s', '/f10')).toEqual(Buffer.from([10]));
    expect(views.find('other', '/f10')).toBeUndefined();
    views.record('s', '/big', Buffer.alloc(31 * 1024 * 1024));
    views.record('s', '/big2', Buffer.alloc(2 * 1024 * 1024));
    expect(views.find('s', '/big')).toBeUndefined();
    expect(views.find('s', '/big2')).toBeDefined();
  });
});
