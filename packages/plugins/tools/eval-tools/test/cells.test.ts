/** How the text of a call becomes cells. */
import { loadAccelerator } from '@tenon/native';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAttributes } from '../src/cells/attributes.ts';
import { rewriteImports } from '../src/cells/imports.ts';
import { parseCells, type ParsedCell } from '../src/cells/parse.ts';
import { sniffLanguage } from '../src/cells/sniff.ts';
import { chooseLanguages } from '../src/choose-language.ts';
import { htmlText } from '../src/html-text.ts';

describe('a header', () => {
  it('in its advertised form names language, title, time and reset', () => {
    expect(parseAttributes(' py:"load the data" t:45s rst', 1)).toEqual({
      language: 'python',
      title: 'load the data',
      timeoutMs: 45_000,
      reset: true,
    });
  });

  it('is read in the other ways that models write it', () => {
    const read = (text: string) => parseAttributes(text, 1);
    expect(read('js')).toEqual({ language: 'javascript', reset: false });
    expect(read("python:'x y'")).toEqual({ language: 'python', title: 'x y', reset: false });
    expect(read('title:"a" timeout:2m reset typescript')).toEqual({
      language: 'javascript',
      title: 'a',
      timeoutMs: 120_000,
      reset: true,
    });
    expect(read('id:one 500ms')).toEqual({ title: 'one', timeoutMs: 500, reset: false });
    expect(read('rst:false duration:7')).toEqual({ timeoutMs: 7000, reset: false });
    expect(read('rst:yes')).toEqual({ reset: true });
    expect(read('load all rows py')).toEqual({ language: 'python', title: 'load all rows', reset: false });
    expect(read('py:"never closed t:5s')).toEqual({ language: 'python', title: 'never closed t:5s', reset: false });
    expect(read('py: t:5s')).toEqual({ language: 'python', timeoutMs: 5000, reset: false });
    expect(read('note:this "and that"')).toEqual({ title: 'note:this and that', reset: false });
  });

  it('with a time that is none is an error that names the cell', () => {
    const broken = '*** Cell py\n1\n*** Cell py t:soon\n2';
    expect(() => parseCells(broken)).toThrow(
      expect.objectContaining({ code: 'EVAL_TIMEOUT_INVALID', message: expect.stringContaining('cell 2') }),
    );
  });
});

describe('cells', () => {
  const codes = (input: string) => parseCells(input).cells.map(({ code }) => code);

  it('reach to the next header, an end or the end of the text', () => {
    expect(codes('*** Cell py\na = 1\n\n*** Cell js\nlet b\n*** End\n')).toEqual(['a = 1', 'let b']);
    expect(codes('***Cell py\r\n  x\r\n** End py\r\n*****  cell js\r\ny')).toEqual(['  x', 'y']);
    expect(codes('*** Cell py\na\n*** End\nstray\n*** Cell py\nb')).toEqual(['a\nstray', 'b']);
    expect(codes('first\n*** Cell js\nsecond')).toEqual(['first', 'second']);
  });

  it('without any header are one cell, and a fence around it names the language', () => {
    expect(parseCells('print(1)\nprint(2)')).toEqual({
      cells: [{ code: 'print(1)\nprint(2)', reset: false }],
      isAborted: false,
    });
    expect(parseCells('```js\nlet a = `x`;\n```')).toEqual({
      cells: [{ code: 'let a = `x`;', language: 'javascript', reset: false }],
      isAborted: false,
    });
    expect(parseCells('*** Cell py\n```\nx\n```').cells).toEqual([{ code: 'x', language: 'python', reset: false }]);
  });

  it('that a model breaks off are left out, and those before it are kept', () => {
    expect(parseCells('*** Cell py\na\n*** End\n*** Cell py\nb\n*** Abort\nc')).toMatchObject({
      cells: [{ code: 'a' }],
      isAborted: true,
    });
    expect(parseCells('*** Cell py\na\n*** Abort')).toEqual({ cells: [], isAborted: true });
  });

  it('that hold nothing are an error, unless they reset', () => {
    expect(() => parseCells(' \n')).toThrow(expect.objectContaining({ code: 'EVAL_EMPTY' }));
    expect(() => parseCells('*** Cell py\n\n')).toThrow(expect.objectContaining({ code: 'EVAL_EMPTY' }));
    expect(parseCells('*** Cell py rst').cells).toEqual([{ code: '', language: 'python', reset: true }]);
  });

  const line = fc
    .string({ maxLength: 30 })
    .filter(
      (text) => !/^[ \t]{0,3}\*\*/.test(text) && !/[\r\n\u2028\u2029]/.test(text) && !/^\s*(?:`{3}|~{3})/.test(text),
    );
  const code = fc
    .array(line, { minLength: 1, maxLength: 6 })
    .filter((lines) => lines[0]?.trim() !== '' && lines.at(-1)?.trim() !== '')
    .map((lines) => lines.join('\n'));
  const title = fc
    .string({ minLength: 1, maxLength: 20 })
    .filter((text) => !/["\r\n\u2028\u2029]/.test(text) && text === text.trim());
  const cell = fc.record({
    language: fc.constantFrom('python' as const, 'javascript' as const),
    title: fc.option(title, { nil: undefined }),
    seconds: fc.option(fc.integer({ min: 1, max: 600 }), { nil: undefined }),
    reset: fc.boolean(),
    code,
  });

  it('come back exactly as they were written, with or without ends', () => {
    fc.assert(
      fc.property(
        fc.array(cell, { minLength: 1, maxLength: 5 }),
        fc.boolean(),
        fc.boolean(),
        (cells, ends, windows) => {
          const text = cells
            .map((one) => {
              const name = one.language === 'python' ? 'py' : 'js';
              const head = [
                `*** Cell ${name}${one.title === undefined ? '' : `:"${one.title}"`}`,
                ...(one.seconds === undefined ? [] : [`t:${one.seconds}s`]),
                ...(one.reset ? ['rst'] : []),
              ];
              return `${head.join(' ')}\n${one.code}\n${ends ? '*** End\n' : ''}`;
            })
            .join('');
          const expected = cells.map((one): ParsedCell => ({
            language: one.language,
            reset: one.reset,
            code: one.code,
            ...(one.title !== undefined && { title: one.title }),
            ...(one.seconds !== undefined && { timeoutMs: one.seconds * 1000 }),
          }));
          expect(parseCells(windows ? text.replaceAll('\n', '\r\n') : text)).toEqual({
            cells: expected,
            isAborted: false,
          });
        },
      ),
    );
  });

  it('never make the parser fail in another way than it says', () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom('*** Cell ', '*** End', '*** Abort', '\n', '```', 'py:"', 't:', 'rst', '**'),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        try {
          const { cells } = parseCells(pieces.join(''));
          for (const one of cells) expect(one.code !== '' || one.reset).toBe(true);
        } catch (fault) {
          expect(fault).toMatchObject({ owner: 'eval-tools', next: expect.any(String) });
        }
      }),
    );
  });
});

describe('the language of a cell', () => {
  it('is guessed from its looks', () => {
    for (const code of [
      'import os\nprint(os.getcwd())',
      'def f(x):\n    return x',
      'from a import b',
      '%pip install x',
      'for i in range(3):\n    print(i)',
      '#!/usr/bin/env python3\nx',
      'x = None if y is not None else True',
    ]) {
      expect([code, sniffLanguage(code)]).toEqual([code, 'python']);
    }
    for (const code of [
      'const a = 1;',
      'import fs from "node:fs"',
      'console.log(1)',
      'let f = (x) => x',
      '// note\nfoo();',
      'function f() { return null; }',
      '#!/usr/bin/env node\nx',
    ]) {
      expect([code, sniffLanguage(code)]).toEqual([code, 'javascript']);
    }
    expect(sniffLanguage('1 + 1')).toBeUndefined();
    expect(sniffLanguage('x = "const a = 1; console.log(a) => ==="\nprint(x)')).toBe('python');
  });

  it('goes with the cell before, and to what there is', () => {
    const of = (input: string, enabled: ('python' | 'javascript')[] = ['python', 'javascript'], hasPython = true) => {
      const { cells, notices } = chooseLanguages(parseCells(input).cells, enabled, () => hasPython);
      return [cells.map(({ language }) => language), notices.length];
    };
    expect(of('*** Cell js\n1\n*** Cell\n2')).toEqual([['javascript', 'javascript'], 0]);
    expect(of('1 + 1')).toEqual([['python'], 0]);
    expect(of('1 + 1', ['python', 'javascript'], false)).toEqual([['javascript'], 1]);
    expect(of('const a = 1', ['python'])).toEqual([['python'], 1]);
    expect(() => of('*** Cell js\n1', ['python'])).toThrow(expect.objectContaining({ code: 'EVAL_LANGUAGE_OFF' }));
  });
});

describe('imports in JavaScript', () => {
  const rewrite = (code: string) => rewriteImports(code, () => loadAccelerator('syntax'));

  it('become calls that a cell can make', async () => {
    expect(await rewrite('import a from "x";')).toBe('const { default: a } = await __tenon_import__("x");');
    expect(await rewrite("import { b, c as d } from 'x'")).toBe("const { b, c: d } = await __tenon_import__('x');");
    expect(await rewrite("import a, { b } from 'x';")).toBe("const { default: a, b } = await __tenon_import__('x');");
    expect(await rewrite("import * as all from 'x';")).toBe("const all = await __tenon_import__('x');");
    expect(await rewrite("import a, * as all from 'x';")).toBe(
      "const all = await __tenon_import__('x'); const { default: a } = all;",
    );
    expect(await rewrite("import 'x';")).toBe("await __tenon_import__('x');");
    expect(await rewrite("const m = await import('x'); import.meta.url")).toBe(
      "const m = await __tenon_import__('x'); __tenon_meta__.url",
    );
  });

  it('are left alone where they are only text, and lines keep their numbers', async () => {
    const text = 'const a = `import x from "y"`; // import("z")\nconst r = /import("q")/; a.import = 1;';
    expect(await rewrite(text)).toBe(text);
    const long = await rewrite("import {\n  b,\n  c,\n} from 'ü';\nafter");
    expect(long.split('\n').findIndex((row) => row === 'after')).toBe(4);
    expect(long).toContain("await __tenon_import__('ü')");
  });
});

describe('HTML', () => {
  it('becomes text that a model can read', () => {
    expect(
      htmlText('<style>x</style><table><tr><th>a</th><th>b</th></tr>\n<tr><td>1</td><td>&lt;2&gt;</td></tr></table>'),
    ).toBe('| a | b |\n| 1 | <2> |');
    expect(htmlText('<h2>T</h2><p>one <b>two</b></p><ul><li>x</li></ul><!-- no -->')).toBe(
      '## T\n\none **two**\n\n- x',
    );
  });
});
