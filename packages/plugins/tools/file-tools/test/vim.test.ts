import { caseCount } from '@tenon/test-kit/properties';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { VimEngine } from '../src/edit/vim/vim-engine.ts';
import { VimError } from '../src/edit/vim/vim-error.ts';
import { readKeys } from '../src/edit/vim/vim-keys.ts';
import { openState } from '../src/edit/vim/vim-state.ts';
import { hasRealVim, runRealVim, type VimCase } from './real-vim.ts';
import { openWorkbench, type Workbench } from '@tenon/test-kit/workbench';

/** The text and the cursor (from 1) after keys; undefined when they are refused. */
function press(lines: readonly string[], keys: string) {
  const state = openState(lines, { width: 2, expand: true });
  const engine = new VimEngine(state);
  try {
    engine.run(readKeys(keys));
    engine.escape();
  } catch (fault) {
    if (fault instanceof VimError) return undefined;
    throw fault;
  }
  const { lines: after, cursor } = state.buffer;
  return { lines: after, line: cursor.line + 1, col: cursor.col + 1 };
}

describe('keys', () => {
  it.each<[string, string, string]>([
    ['one two three', 'wcwTWO<Esc>', 'one TWO three'],
    ['one two three', 'wdw.', 'one '],
    ['a\nb\nc', 'jddkP', 'b\na\nc'],
    ['f(a, b)', 'f(ci(x<Esc>', 'f(x)'],
    ['say "hi there" now', 'ci"bye<Esc>', 'say "bye" now'],
    ['if (x) {\n  a;\n  b;\n}', '2Gdi{', 'if (x) {\n}'],
    ['a\nb\nc\nd', ':2,3d<CR>', 'a\nd'],
    ['a\nb\nc', ':1m$<CR>', 'b\nc\na'],
    ['x = 1\ny = 2', ':%s/\\(\\w\\) = \\(\\d\\)/\\2 = \\1/<CR>', '1 = x\n2 = y'],
    ['b\na\nb\nc', ':sort u<CR>', 'a\nb\nc'],
    ['keep\nTODO a\nkeep\nTODO a\nTODO a', ':g/TODO/d<CR>', 'keep\nkeep'],
    ['a\nb\nc', ':g/^/m0<CR>', 'c\nb\na'],
    ['a\nb', ':%normal A;<CR>', 'a;\nb;'],
    ['count 41', '<C-a>', 'count 42'],
    ['a\nb\nc', 'Vjd', 'c'],
    ['one\ntwo', 'ywjP', 'one\nonetwo'],
    ['a b', 'xu', 'a b'],
    ['a b', 'xxu<C-r>', 'b'],
    ['a\nb', '3oX<Esc>', 'a\nX\nX\nX\nb'],
    ['foo foo', ':s/foo/<&>/g<CR>', '<foo> <foo>'],
    ['path/to', ':s#/#.#<CR>', 'path.to'],
  ])('on %j %s makes %j', (text, keys, expected) => {
    expect(press(text.split('\n'), keys)?.lines.join('\n')).toBe(expected);
  });

  it.each([
    ['fz', 'a character that is not there'],
    ['9j', 'a line that does not exist'],
    ['/nowhere<CR>', 'a pattern that is not there'],
    [':%s/nowhere/x/<CR>', 'a substitution without a match'],
    [':9d<CR>', 'a range outside of the file'],
    ['d', 'an unfinished command'],
    ['qa', 'a macro'],
    [':!rm -rf .<CR>', 'a shell command'],
    ['<C-v>', 'a block'],
  ])('refuses %s: %s', (keys) => {
    expect(press(['one', 'two'], keys)).toBeUndefined();
  });

  it('refuses or changes, but never throws anything else, whatever the keys are', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 12 }), { maxLength: 5 }),
        fc.string({ maxLength: 20 }),
        (lines, keys) => {
          press(
            lines.map((line) => line.replaceAll('\n', '')),
            keys,
          );
        },
      ),
      { numRuns: caseCount(2000) },
    );
  });
});

describe.skipIf(!hasRealVim())('beside a real vim', () => {
  const text = fc.array(
    fc.oneof(
      fc.constantFrom(
        '',
        '  ',
        'foo bar',
        '  if (a) {',
        '    x = f(1, "two");',
        '  }',
        'end',
        '\tx',
        'a-b_c  d.e ',
        '}',
        '{',
      ),
      fc.stringMatching(/^[ab(){}" .,x_1-]{0,12}$/),
    ),
    { minLength: 1, maxLength: 7 },
  );
  const count = fc.constantFrom('', '', '', '2', '3');
  const motion = fc.oneof(
    fc.constantFrom(
      ...'h l j k w W b B e E ge 0 ^ $ gg G { } % + - _ fa fo Fa ta Tx ; , /foo\r ?a\r n N * #'.split(' '),
    ),
    fc.nat(6).map((line) => `${line + 1}G`),
  );
  const object = fc.constantFrom(...'iw aw iW aW ip ap i" a" i( a( i{ a{ i[ ib'.split(' '));
  const typed = fc.constantFrom('X', 'new text', 'a\rb', '');
  const change = fc.oneof(
    fc
      .tuple(count, fc.constantFrom('d', 'c', 'y', '>', '<', 'gu', 'gU', 'g~'), fc.oneof(motion, object))
      .map(([times, operator, to]) => `${times}${operator}${to}${operator === 'c' ? 'Z\u001b' : ''}`),
    fc
      .tuple(count, fc.constantFrom(...'dd yy >> << x X D J gJ p P ~ rz Y guu gUU g~~ yyp ddp'.split(' ')))
      .map((keys) => keys.join('')),
    fc.tuple(count, fc.constantFrom('i', 'a', 'I', 'A', 'o', 'O'), typed).map((keys) => `${keys.join('')}\u001b`),
    fc.tuple(fc.constantFrom('cc', 'S', 'C', 's', '3s', 'R'), typed).map((keys) => `${keys.join('')}\u001b`),
    fc
      .tuple(
        fc.constantFrom('v', 'V'),
        motion,
        fc.constantFrom('d', 'y', 'cQ\u001b', '>', '<', '~', 'u', 'U', 'J', 'rx'),
      )
      .map((keys) => keys.join('')),
    fc.constantFrom('.', '2.', '"add', '"ap', '"ayyj"Ayy'),
  );
  // Where vim puts the cursor after these depends on how it stores what it undoes; the text is what counts.
  const undo = fc.tuple(change, fc.constantFrom('u', 'u\u0012')).map((keys) => keys.join(''));
  const ex = fc.constantFrom(
    ...[
      's/foo/X/',
      '%s/a/Q/g',
      '%s/\\(a\\|b\\)/<\\1>/g',
      '2d',
      '1,2d',
      '$d',
      '1m$',
      '1t1',
      '%j',
      'g/a/d',
      'v/a/d',
      'sort',
      'sort!',
      'sort u',
      '%s/ *$//',
      '%s/^/- /',
      'g/^/m0',
      '%normal A;',
      '2,3>',
      '%s/\\<foo\\>/\\U&/',
      '%s/\\s\\+/ /ge',
      '%s/a*/-/g',
      '%s/x$/y/e',
      'g/foo/normal dw',
      '%s/o\\{1,2}/0/g',
      '%s/$/\\r/',
      'g/foo/t.',
      '%s/\\v(a|b)+/[&]/g',
      '.,$s/[^a-z]//g',
    ].map((command) => `:${command}\r`),
  );

  /** All cases that we accept, ours and the real outcome. */
  function compare(keys: fc.Arbitrary<string>) {
    const cases: VimCase[] = [];
    const ours: NonNullable<ReturnType<typeof press>>[] = [];
    for (const [lines, pressed] of fc.sample(fc.tuple(text, keys), 1500)) {
      const outcome = press(lines, pressed);
      if (!outcome) continue;
      cases.push({ lines, keys: pressed });
      ours.push(outcome);
    }
    const real = runRealVim(cases);
    return cases.map((one, index) => ({ ...one, ours: ours[index], real: real[index] }));
  }

  it.each([1, 2, 3])('leaves the same text and cursor after %i commands', (length) => {
    const keys = fc
      .array(fc.oneof(motion, change), { minLength: length, maxLength: length })
      .map((parts) => parts.join(''));
    const compared = compare(keys);
    expect(compared.length).toBeGreaterThan(300);
    for (const { ours, real, ...one } of compared) expect({ ...one, ...ours }).toEqual({ ...one, ...real });
  });

  it('leaves the same text after undo and commands with a colon', () => {
    const keys = fc
      .tuple(
        fc.array(fc.oneof(motion, change), { maxLength: 2 }).map((parts) => parts.join('')),
        fc.oneof(ex, ex, undo),
      )
      .map((parts) => parts.join(''));
    const compared = compare(keys);
    expect(compared.length).toBeGreaterThan(300);
    for (const { ours, real, ...one } of compared)
      expect({ ...one, lines: ours?.lines }).toEqual({ ...one, lines: real?.lines });
  });
});

describe('the edit tool in vim mode', () => {
  let bench: Workbench;
  const open = async (files: Record<string, string>) =>
    (bench = await openWorkbench(['file-tools'], { files, settings: { 'file-tools': { edit: { mode: 'vim' } } } }));
  afterEach(() => bench?.dispose());
  const step = (kbd: string, insert?: string) => ({ kbd: [kbd], ...(insert !== undefined && { insert }) });

  it('writes no line when all were deleted, and one when it is empty', async () => {
    await open({ 'a.txt': 'one\ntwo\n', 'b.txt': 'one\n' });
    await bench.ok('edit', { file: 'a.txt' });
    await bench.ok('edit', { file: 'a.txt', steps: [step(':%d<CR>')] });
    expect(bench.get('a.txt')).toBe('');
    await bench.ok('edit', { file: 'b.txt' });
    await bench.ok('edit', { file: 'b.txt', steps: [step('cc', '')] });
    expect(bench.get('b.txt')).toBe('\n');
  });

  it('claims the lines that the keys name, also when a diff could name others', async () => {
    await open({ 'a.txt': 'f {\n  a\n}\nf {\n  b\n}\n' });
    await bench.ok('edit', { file: 'a.txt' });
    bench.put('a.txt', 'f {\n  new\n  a\n}\nf {\n  b\n}\n');
    await bench.fails('edit', { file: 'a.txt', steps: [step(':1,3d<CR>')] });
    expect(bench.get('a.txt')).toBe('f {\n  new\n  a\n}\nf {\n  b\n}\n');
  });

  it('shows a file, changes it by steps, and keeps cursor and undo for the next call', async () => {
    await open({ 'a.py': 'def f():\n    return 1\n\nprint(f())\n' });
    expect(await bench.ok('edit', { file: 'a.py' })).toMatch(/^a\.py, 4 lines, cursor at 1:1\n1[a-z]{2}\|def f/);
    const text = await bench.ok('edit', {
      file: 'a.py',
      steps: [step('2Gcc', '    x = 1\n    return x'), step('1G$')],
    });
    expect(bench.get('a.py')).toBe('def f():\n    x = 1\n    return x\n\nprint(f())\n');
    expect(text).toMatch(/\+2[a-z]{2}\|    x = 1[\s\S]*Cursor at 1:8\./);
    await bench.ok('edit', { file: 'a.py', steps: [step('u')] });
    expect(bench.get('a.py')).toBe('def f():\n    return 1\n\nprint(f())\n');
  });

  it('changes nothing when a step fails, not even the buffer', async () => {
    await open({ 'a.txt': 'one\ntwo\n' });
    await bench.ok('edit', { file: 'a.txt' });
    expect(await bench.fails('edit', { file: 'a.txt', steps: [step('dd'), step('fz')] })).toMatch(
      /Step 2: "fz" finds no/,
    );
    expect(bench.get('a.txt')).toBe('one\ntwo\n');
    await bench.ok('edit', { file: 'a.txt', steps: [step('dd')] });
    expect(bench.get('a.txt')).toBe('two\n');
  });

  it('wants files to be seen before lines of them are named, and creates new ones', async () => {
    await open({ 'a.txt': 'one\n' });
    expect(await bench.fails('edit', { file: 'a.txt', steps: [step('dd')] })).toMatch(/was not read in this session/);
    expect(await bench.fails('edit', { file: 'gone.txt' })).toMatch(/not found/);
    await bench.ok('edit', { file: 'new.txt', steps: [step('i', 'hello\nyou')] });
    expect(bench.get('new.txt')).toBe('hello\nyou\n');
  });

  it('puts keys for an older text where its lines are now, and refuses where they are not', async () => {
    await open({ 'a.txt': 'alpha\nbeta\ngamma\ndelta\n' });
    await bench.ok('edit', { file: 'a.txt' });
    bench.put('a.txt', 'new first\nalpha\nbeta\ngamma\ndelta\n');
    expect(await bench.ok('edit', { file: 'a.txt', steps: [step('3Gcc', 'GAMMA')] })).toMatch(
      /has changed since it was read/,
    );
    expect(bench.get('a.txt')).toBe('new first\nalpha\nbeta\nGAMMA\ndelta\n');
    bench.put('a.txt', 'new first\nalpha\nbeta\nother\ndelta\n');
    expect(await bench.fails('edit', { file: 'a.txt', steps: [step('4Gcc', 'x')] })).toMatch(
      /has changed since it was read[\s\S]*4[a-z]{2}\|other/,
    );
    expect(bench.get('a.txt')).toBe('new first\nalpha\nbeta\nother\ndelta\n');
  });

  it('says what "insert" needs', async () => {
    await open({ 'a.txt': 'one\n' });
    await bench.ok('edit', { file: 'a.txt' });
    expect(await bench.fails('edit', { file: 'a.txt', steps: [step('1G', 'x')] })).toMatch(/ends in NORMAL mode/);
  });
});
