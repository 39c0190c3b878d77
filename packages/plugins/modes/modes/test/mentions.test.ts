import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { mentionsIn } from '../src/mentions.ts';
import { splitRules } from '../src/tool-rules.ts';
import { splitWords } from '../src/words.ts';

const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-mentions-')));
mkdirSync(join(cwd, 'src', '(group)'), { recursive: true });
for (const name of ['notes.md', 'my file.txt', 'src/cart.ts', 'src/[id].tsx', 'src/(group)/page.tsx', 'LICENSE'])
  writeFileSync(join(cwd, name), 'x');
afterAll(() => rmSync(cwd, { recursive: true }));

describe('files within a prompt', () => {
  it.each([
    ['what is @notes.md about?', ['notes.md']],
    ['@notes.md', ['notes.md']],
    ['compare (@notes.md) and "@src/cart.ts".', ['notes.md', 'src/cart.ts']],
    ['see @src/cart.ts:10-20, @LICENSE; and @src', ['src/cart.ts', 'LICENSE', 'src']],
    ['routes: @src/[id].tsx and @src/(group)/page.tsx', ['src/[id].tsx', 'src/(group)/page.tsx']],
    ['read @"my file.txt" twice: @"my file.txt"', ['my file.txt']],
  ])('are found in %j', (prompt, files) => {
    expect(mentionsIn(prompt, cwd)).toEqual({ text: prompt, files });
  });

  it.each([
    'write to ada@example.com and <bob@example.org>',
    'upgrade @types/node and @scope/chart.js to @scope/pkg@1.2.3',
    'use actions/checkout@v4',
    'why does @pytest.fixture fail, and @app.route("/x")?',
    '@Component({ selector: "app" }) is a decorator, @media (print) is a rule',
    'fix the alias @/components/Button, @ada asked for it',
    'a lone @ and @ alone',
  ])('are not seen in %j', (prompt) => {
    expect(mentionsIn(prompt, cwd)).toEqual({ text: prompt, files: [] });
  });

  it.each(['what is in @gone.md?', 'see @src/gone.ts', 'see @./gone.png.', 'see @"no such.txt"'])(
    'that are missing are an error in %j',
    (prompt) => {
      expect(() => mentionsIn(prompt, cwd)).toThrow(/There is no file ".*(?:gone|no such)[^"?]*"\./);
    },
  );

  it('are text where the @ is doubled', () => {
    expect(mentionsIn('@@notes.md and (@@gone.md)', cwd)).toEqual({ text: '@notes.md and (@gone.md)', files: [] });
  });

  it('never change a prompt that has no @ at the beginning of a word', () => {
    const plain = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('@', 'a@'));
    fc.assert(fc.property(plain, (text) => void expect(mentionsIn(text, cwd)).toEqual({ text, files: [] })));
  });

  it('are found whatever stands around them', () => {
    const before = fc.constantFrom('', 'see ', 'see (', 'see "', 'see `', 'see [', '\n');
    const after = fc.constantFrom('', '.', ', please', ')', '?', '!', ' now', ';', ':', ').', ':12', '#L3-L9.');
    fc.assert(
      fc.property(
        before,
        after,
        (start, end) => void expect(mentionsIn(`${start}@src/cart.ts${end}`, cwd).files).toEqual(['src/cart.ts']),
      ),
    );
  });
});

describe('the words of a command line', () => {
  it.each([
    [['fix', 'the', 'tests'], ['fix the tests'], []],
    [['fix the tests', 'write notes'], ['fix the tests', 'write notes'], []],
    [['fix', 'it', 'then rest', 'and', 'go'], ['fix it', 'then rest', 'and go'], []],
    [['what', 'is', '@notes.md', 'about'], ['what is @notes.md about'], []],
    [['what', 'is', '@notes.md'], ['what is @notes.md'], []],
    [['@notes.md', 'or', '@LICENSE?'], ['@notes.md or @LICENSE?'], []],
    [['upgrade', '@types/node'], ['upgrade @types/node'], []],
    [['@my file.txt', 'explain'], ['@"my file.txt" explain'], []],
    [['@my file.txt', 'explain it'], ['explain it'], ['my file.txt']],
    [['explain it', '@notes.md', '@LICENSE'], ['explain it'], ['notes.md', 'LICENSE']],
    [['@notes.md'], [], ['notes.md']],
    [[' ', ''], [], []],
  ])('%j', (words, prompts, files) => {
    expect(splitWords(words, cwd)).toEqual({ prompts, files });
  });

  it('lose no file and no loose word, wherever the file stands', () => {
    const names = ['notes.md', 'my file.txt', 'src/cart.ts', 'LICENSE'];
    const word = fc.constantFrom('what', 'is', 'about', ...names.map((name) => `@${name}`));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), (words) => {
        const { prompts, files } = splitWords(words, cwd);
        const named = [...files, ...prompts.flatMap((prompt) => mentionsIn(prompt, cwd).files)];
        const meant = words.filter((each) => each.startsWith('@')).map((each) => each.slice(1));
        expect(new Set(named)).toEqual(new Set(meant));
        if (prompts.length > 0) expect(prompts.join(' ').replaceAll('"', '')).toBe(words.join(' '));
      }),
    );
  });
});

describe('rules for tools', () => {
  it('are separated by commas and blanks, but not within parentheses', () => {
    expect(splitRules('Bash(git log:*), Edit(docs/**) Read,mcp__files__*')).toEqual([
      'Bash(git log:*)',
      'Edit(docs/**)',
      'Read',
      'mcp__files__*',
    ]);
    expect(splitRules('Bash(git add, commit')).not.toEqual([]);
  });
});
