import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

import { implementations } from '../src/index.ts';
import { applyEdits } from '../src/syntax/apply-edits.ts';
import type { BashStatement, BashWord } from '../src/syntax/bash-contract.ts';
import type { Rule } from '../src/syntax/contract.ts';
import { createWasm } from '../src/syntax/wasm.ts';

const available = await implementations('syntax');
const folder = mkdtempSync(join(tmpdir(), 'tenon-syntax-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(path: string, content: string | Buffer): string {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), content);
  return path;
}

const source = (content: string, path = 'a.ts') => [{ path, content }];

describe('language data', () => {
  it('is the same table in the crate and in the package', () => {
    const crate = readFileSync(new URL('../../crates/syntax/languages.json', import.meta.url), 'utf8');
    const twin = readFileSync(new URL('../src/syntax/languages.json', import.meta.url), 'utf8');
    expect(JSON.parse(twin)).toEqual(JSON.parse(crate));
  });
});

describe.each(available)('syntax ($kind)', ({ kind, implementation: syntax }) => {
  describe('search', () => {
    it('gives captures with text and place, counted in bytes and in UTF-16 columns', async () => {
      const { matches } = await syntax.search({ sources: source('let é = f("漢", b);'), patterns: ['f($A, $$$REST)'] });
      expect(matches).toHaveLength(1);
      expect(matches[0]).toMatchObject({
        path: 'a.ts',
        language: 'typescript',
        kind: 'call_expression',
        text: 'f("漢", b)',
        range: { byteStart: 9, byteEnd: 20, startLine: 1, startColumn: 9, endLine: 1, endColumn: 18 },
        captures: [
          { name: 'A', text: '"漢"', range: { byteStart: 11, byteEnd: 16 } },
          { name: 'REST', nodes: [{ text: 'b' }] },
        ],
      });
    });

    it('survives sources that are nested deeper than a stack', async () => {
      const nested = `${'['.repeat(20_000)}1${']'.repeat(20_000)}`;
      const find = async (rule: Rule, content: string) => {
        const { matches, issues } = await syntax.search({ sources: source(content, 'a.js'), rules: [rule] });
        return [...matches.map(({ range }) => range.byteEnd - range.byteStart), ...issues.map((issue) => issue.kind)];
      };
      const all = { kind: 'program', has: { kind: 'number', stopBy: 'end' } } as const;
      expect(await find(all, nested)).toEqual([nested.length]);
      const one = { kind: 'number', inside: { kind: 'program', stopBy: 'end' } } as const;
      expect(await find(one, nested)).toEqual([1]);
      expect(await find({ pattern: '$A == $A' }, `${nested} == ${nested}`)).toEqual(['gave-up']);
      expect(await find({ pattern: '$A == $B' }, `${nested} == ${nested}`)).toEqual([2 * nested.length + 4]);
    });

    it('reads words and variables that are in no node of their own', async () => {
      const texts = async (pattern: string, path: string, content: string) => {
        const { matches, issues } = await syntax.search({ sources: source(content, path), patterns: [pattern] });
        return [...matches.map((match) => match.text), ...issues.map((issue) => issue.kind)];
      };
      const page = '<!DOCTYPE html>\n<p>a</p>\n';
      expect(await texts('<!DOCTYPE html>', 'a.html', page)).toEqual(['<!DOCTYPE html>']);
      expect(await texts('<!DOCTYPE $A>', 'a.html', page)).toEqual(['<!DOCTYPE html>']);
      expect(await texts('<!DOCTYPE svg>', 'a.html', page)).toEqual([]);
      expect(await texts("'a'", 'a.yaml', "x: 'a'\ny: 'b'\n")).toEqual(["'a'"]);
      expect(await texts('"$A"', 'a.yaml', 'x: "a"\ny: b\n')).toEqual(['"a"']);
      expect(await texts('10px', 'a.css', 'a { width: 10px; height: 20px; }\n')).toEqual(['10px']);
    });

    it('takes what code means by itself before what else it may be', async () => {
      const kinds = async (pattern: string, path: string, content: string) => {
        const { matches } = await syntax.search({ sources: source(content, path), patterns: [pattern] });
        return matches.map((match) => `${match.kind} ${match.text}`);
      };
      const go = 'package a\ntype I interface { m() }\nvar p *int\nfunc f() { g(); x := *p; y := a.b }\n';
      expect(await kinds('$F()', 'a.go', go)).toEqual(['call_expression g()']);
      expect(await kinds('*$A', 'a.go', go)).toEqual(['unary_expression *p']);
      const java = 'class A { Map.Entry e; int f() { return this.x; } }\n';
      expect(await kinds('$A.$B', 'A.java', java)).toEqual(['scoped_type_identifier Map.Entry', 'field_access this.x']);
      const php = '<?php foreach ($x as $k => $v) { $y = ["a" => 1]; }\n';
      expect(await kinds('$A => $B', 'a.php', php)).toEqual(['pair $k => $v', 'array_element_initializer "a" => 1']);
    });

    it('takes the same name for the same code only', async () => {
      const { matches } = await syntax.search({ sources: source('f(a, a); f(a, b);'), patterns: ['f($X, $X)'] });
      expect(matches.map((match) => match.text)).toEqual(['f(a, a)']);
    });

    it.each([
      ['cst', 'foo(a)', ['foo(a)']],
      ['smart', 'foo(a)', ['foo(a)', 'foo(a,)', 'foo(/* c */ a)']],
      ['ast', 'import x from "lib"', ["import x from 'lib'", 'import x from "lib"']],
      ['ast', 'foo(a)', ['foo(a)', 'foo(a,)']],
      ['relaxed', 'foo(a)', ['foo(a)', 'foo(a,)', 'foo(/* c */ a)']],
      ['signature', 'foo(a)', ['foo(a)', 'foo(a,)', 'foo(/* c */ a)', 'bar(b)']],
    ] as const)('in strictness %s fits %s to what it should', async (strictness, pattern, expected) => {
      const lines = ["import x from 'lib'", 'import x from "lib"', 'foo(a)', 'foo(a,)', 'foo(/* c */ a)', 'bar(b)'];
      const { matches } = await syntax.search({ sources: source(lines.join('\n')), patterns: [pattern], strictness });
      expect(matches.map((match) => match.text)).toEqual(expected);
    });

    it('picks the part of a wider pattern that the selector names', async () => {
      const options = { sources: source('class A { x = 1; y() {} }'), patterns: ['class _ { $N = $V }'] };
      const { matches } = await syntax.search({ ...options, selector: 'public_field_definition' });
      expect(matches.map((match) => match.text)).toEqual(['x = 1']);
    });

    it('combines rules over kind, text and position', async () => {
      const content = 'function a() { log(1); }\nfunction b() { return log(2); }\nlog(3);';
      const rules = [
        { pattern: 'log($X)', inside: { kind: 'function_declaration', stopBy: 'end' as const, regex: 'b' } },
      ];
      const { matches } = await syntax.search({ sources: source(content), rules });
      expect(matches.map((match) => match.text)).toEqual(['log(2)']);
      const others = await syntax.search({
        sources: source(content),
        rules: [{ ...rules[0], not: { pattern: 'log(2)' } }],
      });
      expect(others.matches).toEqual([]);
    });

    it('pages through matches and says when there are more', async () => {
      const sources = ['a', 'b', 'c'].map((name) => ({ path: `${name}.ts`, content: 'f(1); f(2);' }));
      const page = await syntax.search({ sources, patterns: ['f($A)'], offset: 1, limit: 2 });
      expect(page.matches.map((match) => `${match.path} ${match.text}`)).toEqual(['a.ts f(2)', 'b.ts f(1)']);
      expect(page).toMatchObject({ limitReached: true, filesSearched: 2 });
      const last = await syntax.search({ sources, patterns: ['f($A)'], offset: 4, limit: 2 });
      expect(last).toMatchObject({ limitReached: false, filesSearched: 3, filesWithMatches: 3 });
      expect(last.matches).toHaveLength(2);
    });

    it('keeps the order of the sources however many there are', async () => {
      const sources = Array.from({ length: 200 }, (_, at) => file(`many/${at}.js`, `call(${at});`));
      const { matches, filesSearched } = await syntax.search({ root: folder, sources, patterns: ['call($N)'] });
      expect(matches.map((match) => match.text)).toEqual(sources.map((_, at) => `call(${at})`));
      expect(filesSearched).toBe(200);
    });

    it('reports files it cannot use beside the matches of the others', async () => {
      const sources = [
        file('good.ts', 'f(1)'),
        file('bad.ts', Buffer.from([0x66, 0xff, 0x66])),
        file('huge.ts', `f(2);${' '.repeat(2_000)}`),
        file('broken.ts', 'f(3); let ='),
        'gone.ts',
        file('notes.unknown', 'f(4)'),
        file('script', '#!/usr/bin/env node\nf(5)'),
      ];
      const result = await syntax.search({ root: folder, sources, patterns: ['f($A)'], maxFileBytes: 1_000 });
      expect(result.matches.map((match) => match.path)).toEqual(['good.ts', 'broken.ts', 'script']);
      expect(result.issues).toEqual([
        { kind: 'not-utf8', path: 'bad.ts', message: expect.stringContaining('UTF-8') },
        { kind: 'too-large', path: 'huge.ts', message: expect.stringContaining('limit of 1000') },
        { kind: 'syntax-error', path: 'broken.ts', message: expect.stringContaining('line 1') },
        { kind: 'unreadable', path: 'gone.ts', message: 'cannot be read: there is no such file' },
      ]);
      expect(result).toMatchObject({ filesSearched: 6, filesSkipped: 1 });
    });

    it.skipIf(process.getuid?.() === 0)('reports a file without permission', async () => {
      const path = file('secret.ts', 'f(1)');
      chmodSync(join(folder, path), 0);
      const { issues } = await syntax.search({ root: folder, sources: [path], patterns: ['f($A)'] });
      expect(issues[0]?.message).toContain('permission denied');
    });

    it.each([
      ['', 'the pattern is empty'],
      ['$$$A', 'inside a larger pattern'],
      ['let a = 1; let b = 2', 'is not one typescript node'],
      ['f(', 'is not valid typescript'],
    ])('explains why %j cannot be a pattern', async (pattern, reason) => {
      const { issues, matches } = await syntax.search({ sources: source('f(1)'), patterns: [pattern] });
      expect(matches).toEqual([]);
      expect(issues).toEqual([{ kind: 'pattern', language: 'typescript', message: expect.stringContaining(reason) }]);
    });

    it('explains unknown kinds, languages and empty rules', async () => {
      const ask = async (options: object): Promise<string | undefined> =>
        (await syntax.search({ sources: source('f(1)'), ...options })).issues[0]?.message;
      expect(await ask({ rules: [{ kind: 'nope' }] })).toContain('not a node kind of typescript');
      expect(await ask({ patterns: ['f'], language: 'klingon' })).toContain('not a known language');
      expect(await ask({ rules: [{}] })).toContain('the rule is empty');
      expect(await ask({})).toContain('at least one pattern');
    });

    it('reads a language whose grammar is not in the addon', async () => {
      const { matches } = await syntax.search({ sources: source('fun main() { f(1) }', 'a.kt'), patterns: ['f($A)'] });
      expect(matches.map((match) => [match.language, match.text])).toEqual([['kotlin', 'f(1)']]);
    });

    it('says how to get a grammar that is nowhere', async () => {
      const { issues } = await syntax.search({ sources: source('f(1)', 'a.jl'), patterns: ['f($A)'] });
      expect(issues[0]).toMatchObject({
        kind: 'no-grammar',
        language: 'julia',
        message: expect.stringContaining('TENON_GRAMMARS'),
      });
    });

    it('cuts long texts without splitting a character', async () => {
      const { matches } = await syntax.search({ sources: source('f("ab😀cd")'), patterns: ['f($A)'], maxText: 4 });
      expect(matches[0]).toMatchObject({ text: 'f("a', truncated: true, captures: [{ text: '"ab', truncated: true }] });
    });

    it('stops when the caller no longer wants the answer', async () => {
      const sources = Array.from({ length: 300 }, (_, at) => ({
        path: `${at}.ts`,
        content: 'f(g(h(1)));\n'.repeat(400),
      }));
      const controller = new AbortController();
      const search = syntax.search({ sources, patterns: ['$A($B)'], limit: 1_000_000, signal: controller.signal });
      setTimeout(() => controller.abort(new Error('enough')), 5);
      await expect(search).rejects.toThrow('enough');
    });
  });

  describe('rewrite', () => {
    it('plans edits with places, keeps indentation and writes nothing', async () => {
      const content = 'if (x) {\n  old(\n    1,\n    2\n  );\n}\n';
      const path = file('rewrite.ts', content);
      const plan = await syntax.rewrite({
        root: folder,
        sources: [path],
        operations: [{ rule: { pattern: 'old($$$A)' }, template: 'fresh({\n  a: [$$$A]\n})' }],
      });
      expect(plan).toMatchObject({ edits: 1, filesSearched: 1, limitReached: false, issues: [] });
      expect(plan.files[0]?.edits[0]).toMatchObject({
        op: 0,
        range: { startLine: 2, startColumn: 3, endLine: 5, endColumn: 4 },
      });
      expect(readFileSync(join(folder, path), 'utf8')).toBe(content);
      const applied = applyEdits(content, plan.files[0]?.edits ?? []);
      expect(applied).toEqual({ ok: true, value: 'if (x) {\n  fresh({\n    a: [1,\n    2]\n  });\n}\n' });
    });

    it('takes the outermost of overlapping matches and counts the others', async () => {
      const plan = await syntax.rewrite({
        sources: source('f(f(1)); f(2)'),
        operations: [{ rule: { pattern: 'f($A)' }, template: 'g($A)' }],
      });
      expect(plan.files[0]?.edits.map((edit) => edit.after)).toEqual(['g(f(1))', 'g(2)']);
      expect(plan.files[0]?.overlapping).toBe(1);
    });

    it('deletes with an empty template and leaves out what would not change', async () => {
      const content = 'drop(1);\nkeep(2);\n';
      const plan = await syntax.rewrite({
        sources: source(content),
        operations: [
          { rule: { pattern: 'drop($A);' }, template: '' },
          { rule: { pattern: 'keep($A)' }, template: 'keep($A)' },
        ],
      });
      expect(plan.edits).toBe(1);
      expect(applyEdits(content, plan.files[0]?.edits ?? [])).toEqual({ ok: true, value: '\nkeep(2);\n' });
    });

    it('leaves a file with a syntax error alone unless told otherwise', async () => {
      const options = {
        sources: source('f(1);\nlet = ;'),
        operations: [{ rule: { pattern: 'f($A)' }, template: 'g($A)' }],
      };
      const plan = await syntax.rewrite(options);
      expect(plan.files).toEqual([]);
      expect(plan.issues[0]).toMatchObject({ kind: 'syntax-error', message: expect.stringContaining('left as it is') });
      expect((await syntax.rewrite({ ...options, allowErrors: true })).edits).toBe(1);
    });

    it('never plans a file by half', async () => {
      const sources = ['a', 'b'].map((name) => ({ path: `${name}.ts`, content: 'f(1); f(2);' }));
      const plan = await syntax.rewrite({
        sources,
        operations: [{ rule: { pattern: 'f($A)' }, template: 'g' }],
        maxEdits: 3,
      });
      expect(plan.files.map((entry) => entry.path)).toEqual(['a.ts']);
      expect(plan).toMatchObject({ edits: 2, limitReached: true });
    });

    it('refuses edits for a text that has changed since', async () => {
      const plan = await syntax.rewrite({
        sources: source('f(1)'),
        operations: [{ rule: { pattern: 'f($A)' }, template: 'g' }],
      });
      expect(applyEdits('h(1)', plan.files[0]?.edits ?? [])).toEqual({
        ok: false,
        reason: expect.stringContaining('preview the rewrite again'),
      });
    });
  });

  describe('outline', () => {
    const shown = async (content: string, path: string): Promise<string[]> => {
      const result = await syntax.outline({ content, path, minBodyLines: 2 });
      if (!result.ok) throw new Error(result.reason);
      const lines = content.split('\n');
      return result.value.segments.flatMap(({ startLine, endLine, elided }) =>
        elided === undefined ? lines.slice(startLine - 1, endLine) : [`<${endLine - startLine + 1} ${elided}>`],
      );
    };

    it('keeps signatures and braces and leaves bodies out', async () => {
      const content = 'class A {\n  m(x: number) {\n    a();\n    b();\n  }\n  n() { return 1; }\n}\n';
      expect(await shown(content, 'a.ts')).toEqual([
        'class A {',
        '  m(x: number) {',
        '<2 brace>',
        '  }',
        '  n() { return 1; }',
        '}',
      ]);
    });

    it('leaves all lines of an indented body out but enters a class', async () => {
      const content = 'class A:\n  def m(self):\n    a()\n    b()\n\n  def n(self): pass\n';
      expect(await shown(content, 'a.py')).toEqual([
        'class A:',
        '  def m(self):',
        '<2 indent>',
        '',
        '  def n(self): pass',
      ]);
    });

    it('shortens long comments to their first and last line', async () => {
      const content = `${Array.from({ length: 8 }, (_, at) => `// line ${at}`).join('\n')}\nf();\n`;
      expect(await shown(content, 'a.ts')).toEqual(['// line 0', '<6 comment>', '// line 7', 'f();']);
    });

    it('covers every line once, also of an empty and of a broken text', async () => {
      for (const content of ['', 'x', 'function (((\n{\n}\n\n', 'a\r\nb\r\n']) {
        const result = await syntax.outline({ content, language: 'js' });
        expect(result.ok).toBe(true);
        if (!result.ok) continue;
        let next = 1;
        for (const segment of result.value.segments) {
          expect(segment.startLine).toBe(next);
          next = segment.endLine + 1;
        }
        expect(next - 1).toBe(result.value.lineCount);
      }
    });

    it('says what to do when the language cannot be told', async () => {
      expect(await syntax.outline({ content: 'x', path: 'a.unknown' })).toEqual({
        ok: false,
        reason: expect.stringContaining('pass `language`'),
      });
    });
  });

  describe('symbols', () => {
    const list = async (content: string, path: string): Promise<string[]> => {
      const result = await syntax.symbols({ content, path });
      if (!result.ok) throw new Error(result.reason);
      const symbols = result.value;
      return symbols.map(
        ({ kind: of, name, parent }) => `${of} ${parent === undefined ? '' : `${symbols[parent]?.name}.`}${name}`,
      );
    };

    it.each([
      [
        'a.ts',
        'export class A { x = 1; m() { const y = 2; } }\nconst f = () => 1;\ninterface I { p: string }',
        ['class A', 'field A.x', 'method A.m', 'function f', 'interface I', 'property I.p'],
      ],
      ['a.py', 'class A:\n  def m(self):\n    x = 1\nLIMIT = 3\n', ['class A', 'method A.m', 'variable LIMIT']],
      [
        'a.rs',
        'struct S;\nimpl S { fn new() {} }\nmod m { const K: u8 = 1; }',
        ['struct S', 'impl S', 'method S.new', 'module m', 'constant m.K'],
      ],
      ['a.go', 'package a\ntype T struct{}\nfunc (t T) M() {}\nfunc f() {}\n', ['struct T', 'method M', 'function f']],
      ['a.c', 'struct p { int x; };\nint *f(int a) { return 0; }', ['struct p', 'function f']],
      ['a.java', 'class A { int x; void m() {} A() {} }', ['class A', 'field A.x', 'method A.m', 'constructor A.A']],
      ['a.json', '{"a": {"b": {"c": 1}}}', ['key a', 'key a.b']],
    ])('of %s are what it declares', async (path, content, expected) => {
      expect(await list(content, path)).toEqual(expected);
    });

    it('of many files make an index', async () => {
      const sources = [
        { path: 'a.ts', content: 'function f() {}' },
        { path: 'b.py', content: 'def g(): pass' },
        { path: 'c.txt', content: 'x' },
      ];
      const index = await syntax.symbolIndex({ sources });
      expect(index.files.map((entry) => [entry.path, entry.symbols.map((symbol) => symbol.name)])).toEqual([
        ['a.ts', ['f']],
        ['b.py', ['g']],
      ]);
      expect(index).toMatchObject({ filesSearched: 2, filesSkipped: 1, limitReached: false });
    });
  });

  describe('languages', () => {
    it('know what parses them and are told by name, extension or first line', () => {
      const engines = new Map(syntax.languages().map((language) => [language.id, language.engine]));
      expect(engines.size).toBeGreaterThan(50);
      expect(engines.get('typescript')).toBe(kind);
      expect(engines.get('kotlin')).toBe('wasm');
      expect(syntax.detectLanguage('x/Dockerfile.dev')).toBe('dockerfile');
      expect(syntax.detectLanguage('run', '#!/usr/bin/env -S python3.12 -u')).toBe('python');
      expect(syntax.detectLanguage('notes.txt')).toBeUndefined();
    });
  });

  describe('shell commands', () => {
    /** Every command name with its arguments, however deep, as the shell would run them. */
    const runs = (statements: readonly BashStatement[]): string[] => statements.flatMap(runsOf);
    const inWord = (word: BashWord | undefined): string[] => (word?.runs ?? []).flatMap((inner) => runs(inner));
    const runsOf = (statement: BashStatement): string[] => {
      const redirected = statement.redirects.flatMap(({ target, body }) => [...inWord(target), ...inWord(body)]);
      switch (statement.type) {
        case 'command': {
          const values = statement.assignments.flatMap(
            ({ value }) => (Array.isArray(value) ? value : [value]) as (BashWord | undefined)[],
          );
          const words = [statement.name, ...statement.args, ...values];
          const own =
            statement.name === undefined
              ? []
              : [[statement.name, ...statement.args].map((word) => word.value ?? '?').join(' ')];
          return [...own, ...words.flatMap(inWord), ...redirected];
        }
        case 'pipeline':
          return [...runs(statement.commands), ...redirected];
        case 'list':
          return [...runsOf(statement.left), ...runsOf(statement.right)];
        case 'not':
          return runsOf(statement.command);
        case 'test':
          return statement.words.flatMap(inWord);
        case 'declaration':
          return statement.assignments.flatMap(({ value }) => inWord(value as BashWord | undefined));
        case 'unknown':
          return ['unknown'];
        default:
          return [
            ...('words' in statement ? statement.words.flatMap(inWord) : []),
            ...runs(statement.body),
            ...redirected,
          ];
      }
    };

    it.each([
      ['a | b && c || d; e & f', ['a', 'b', 'c', 'd', 'e', 'f']],
      ['rm > out -rf /', ['rm -rf /']],
      ['a | rm > out -rf "/x"', ['a', 'rm -rf /x']],
      ['> out rm -rf /', ['rm -rf /']],
      ['echo "$(id; who)" `ls -l`', ['echo ? ?', 'id', 'who', 'ls -l']],
      ['cat <<EOF | tee f && rm x\n$(whoami)\nEOF', ['cat', 'tee f', 'rm x', 'whoami']],
      ["cat <<'EOF'\n$(whoami)\nEOF", ['cat']],
      ['X=$(a) Y=1 env', ['env', 'a']],
      ['diff <(a) >(b)', ['diff ? ?', 'a', 'b']],
      ['if a; then b; elif c; then d; else e; fi', ['a', 'b', 'c', 'd', 'e']],
      ['for i in $(a); do b; done; while c; do d; done < "$(e)"', ['a', 'b', 'c', 'd', 'e']],
      ['case $(a) in x) b;; *) c;; esac', ['a', 'b', 'c']],
      ['f() { rm -rf /; }; f', ['rm -rf /', 'f']],
      ['(cd x && make) 2>&1', ['cd x', 'make']],
      ['[[ -n $(a) ]] && ! b', ['a', 'b']],
      ['export A=$(b)', ['b']],
      ['r\\m -r"f" \'/\'', ['rm -rf /']],
      ["$'\\x72m' -rf /", ['rm -rf /']],
      ['echo ${x:-$(rm y)} $((1 + $(z)))', ['echo ? ?', 'rm y', 'z']],
    ])('%s runs exactly that', async (command, expected) => {
      const script = await syntax.parseBash(command);
      expect(runs(script.statements).toSorted()).toEqual(expected.toSorted());
      expect(script.incomplete).toBe(false);
    });

    it('says what a word depends on instead of guessing', async () => {
      const { statements } = await syntax.parseBash('rm "$HOME"/x *.c ~/y {a,b} plain');
      const [command] = statements;
      if (command?.type !== 'command') throw new Error('not a command');
      expect(command.args.map(({ text, value, expands, globs }) => ({ text, value, expands, globs }))).toEqual([
        { text: '"$HOME"/x', value: undefined, expands: ['HOME'], globs: false },
        { text: '*.c', value: undefined, expands: [], globs: true },
        { text: '~/y', value: undefined, expands: ['~'], globs: false },
        { text: '{a,b}', value: undefined, expands: [], globs: true },
        { text: 'plain', value: 'plain', expands: [], globs: false },
      ]);
    });

    it('keeps redirections, descriptors and background marks', async () => {
      const { statements } = await syntax.parseBash('a 2> err >> log &');
      expect(statements[0]).toMatchObject({
        background: true,
        redirects: [
          { operator: '>', descriptor: '2', target: { value: 'err' } },
          { operator: '>>', target: { value: 'log' } },
        ],
      });
    });

    it.each(['echo "open', 'foo &&', 'if a; then', ')', 'a <<< '])('marks %j as incomplete', async (command) => {
      const script = await syntax.parseBash(command);
      expect(script.incomplete).toBe(true);
      expect(script.problems.length).toBeGreaterThan(0);
    });
  });
});

describe('WASM grammars', () => {
  it('are also taken from a folder of the user', async () => {
    const given = mkdtempSync(join(tmpdir(), 'tenon-grammars-'));
    try {
      const json = readFileSync(
        new URL('../../node_modules/@cursorless/tree-sitter-wasms/out/tree-sitter-json.wasm', import.meta.url),
      );
      writeFileSync(join(given, 'tree-sitter-ocaml.wasm'), json);
      const syntax = await createWasm({ grammarFolders: [given] });
      expect(syntax.languages().find((language) => language.id === 'ocaml')?.engine).toBe('wasm');
      // The file is JSON's grammar under another name, which shows that it is the one in use.
      expect(await syntax.tree({ content: '{"a": 1}', language: 'ocaml' })).toMatchObject({
        ok: true,
        value: { kind: 'document' },
      });
    } finally {
      rmSync(given, { recursive: true, force: true });
    }
  });
});
