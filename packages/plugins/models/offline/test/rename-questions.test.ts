import { afterEach, describe, expect, it } from 'vitest';
import { openWorkshop, type Workshop } from '@tenon/test-kit/offline-workshop';

let open: Workshop | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});
const workshop = async (...args: Parameters<typeof openWorkshop>) => (open = await openWorkshop(...args));
const changed = (shop: Workshop) =>
  shop
    .git('status', '--short')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.slice(3))
    .sort();

const LANGUAGES = {
  'a.ts': 'export function load(p: string) { return p; }\n',
  'c.ts': 'import { load } from "some-npm-package"; load(1);\n',
  'tool.py': 'from yaml import load\nprint(load("x"))\n',
  'c.c': '#include "x.h"\nint main(){ return load(3); }\n',
  'M.java': 'class M { int load(int a){return a;} }\n',
  's.sh': '#!/bin/sh\nsource ./x.sh\nload\n',
};

const SHOP = {
  'lib.py':
    'class Cart:\n    def total(self):\n        return 1\ndef total(x):\n    return x\ndef use(cart):\n    total = 3\n    return cart.total() + total\n',
  'm.py': 'from lib import total\nimport lib\nprint(total(1), lib.total(2))\nkw = dict(total=3)\n',
};

describe('a renaming', () => {
  it('stays in the language of the declaration, and names what it left alone', async () => {
    const shop = await workshop(LANGUAGES);
    const answer = await shop.ask('rename the function load to loadFile everywhere');
    expect(changed(shop)).toEqual(['a.ts']);
    expect(shop.read('a.ts')).toBe('export function loadFile(p: string) { return p; }\n');
    expect(answer).toMatch(/something else of that name:\n\n- `c\.ts:1`/);
    for (const path of ['tool.py', 'c.c', 'M.java', 's.sh'])
      expect(answer).toMatch(new RegExp(`another language:[^:]*\`${path}\``));
    expect(answer).not.toContain('nowhere');
  });

  it('tells a function from a method, and follows it to importers outside of the file that was named', async () => {
    const shop = await workshop(SHOP);
    const answer = await shop.ask('rename function total in lib.py to tot');
    expect(shop.read('lib.py')).toBe(SHOP['lib.py'].replace('def total(x)', 'def tot(x)'));
    expect(shop.read('m.py')).toBe('from lib import tot\nimport lib\nprint(tot(1), lib.tot(2))\nkw = dict(total=3)\n');
    expect(answer).toContain('4 places in 2 files');
    expect(answer).toContain('`total` is left on 4 lines');
  });

  it('asks about receivers whose type it does not know', async () => {
    const shop = await workshop(SHOP);
    const question = await shop.ask('rename the method total to sum in lib.py');
    expect(question).toContain('`lib.py:8` return cart.total() + total (it is not known what `cart` is)');
    expect(question).toContain('On the command line: `tenon -c -p 1`.');
    expect(changed(shop)).toEqual([]);
    await shop.ask('1');
    expect(shop.read('lib.py')).toBe(
      SHOP['lib.py'].replace('def total(self)', 'def sum(self)').replace('cart.total()', 'cart.sum()'),
    );
    expect(changed(shop)).toEqual(['lib.py']);
  });

  it('leaves what is not certain alone when told so, and says so', async () => {
    const shop = await workshop(SHOP);
    await shop.ask('rename Cart.total to sum');
    const answer = await shop.ask('2');
    expect(shop.read('lib.py')).toBe(SHOP['lib.py'].replace('def total(self)', 'def sum(self)'));
    expect(answer).toMatch(/could not decide what the name means there:\n\n- `lib\.py:8`/);
  });

  it('leaves a Rust variable of the same name alone, where a text uses it', async () => {
    const source =
      'pub fn compute(a: i32) -> i32 { a }\nmod t { use super::compute; fn x() { compute(1); let compute = 2; println!("{compute}"); } }\n';
    const shop = await workshop({ 'r.rs': source });
    await shop.ask('rename the function compute to calc');
    expect(shop.read('r.rs')).toBe(
      'pub fn calc(a: i32) -> i32 { a }\nmod t { use super::calc; fn x() { calc(1); let compute = 2; println!("{compute}"); } }\n',
    );
  });

  it('asks when nothing of the wanted kind has the name', async () => {
    const shop = await workshop({ 'a.ts': 'export function parseConfig() {}\n', 'b.ts': 'export class Other {}\n' });
    const question = await shop.ask('rename the class parseConfig to pc');
    expect(question).toContain('No class is called `parseConfig`');
    expect(question).toContain('1. `a.ts`, line 1, function');
    expect(changed(shop)).toEqual([]);
    expect(await shop.ask('no')).toBe('Nothing was changed.');
  });

  it('asks about imports through aliases, packages of the project and files that it cannot read', async () => {
    const shop = await workshop({
      'pkgs/core/package.json': '{ "name": "@me/core" }\n',
      'pkgs/core/src/index.ts': "export * from './load.js';\n",
      'pkgs/core/src/load.ts': 'export function load() {}\n',
      'pkgs/app/a.ts': "import { load } from '@me/core';\nload();\n",
      'pkgs/app/b.ts': "import { load } from '@/load';\nload();\n",
      'pkgs/app/c.ts': "import { load } from 'lodash';\nload();\n",
      'pkgs/app/View.vue': "<script>\nimport { load } from '../core/src/load';\n</script>\n",
    });
    const question = await shop.ask('rename load to read');
    for (const place of ['pkgs/app/a.ts:1', 'pkgs/app/b.ts:1', 'pkgs/app/View.vue:2'])
      expect(question).toContain(place);
    expect(question).not.toContain('lodash');
    expect(changed(shop)).toEqual([]);
    await shop.ask('1');
    expect(changed(shop)).toEqual(['pkgs/app/a.ts', 'pkgs/app/b.ts', 'pkgs/core/src/load.ts']);
  });

  it('asks about what comes through a module that it could not find', async () => {
    const shop = await workshop({
      'src/load.ts': 'export function load() {}\n',
      'src/index.ts': "export * from '@/load';\n",
      'src/named.ts': "export { load } from '~/load';\n",
      'src/use.ts': "import { load } from './index';\nimport { load as other } from './named';\nload();\nother();\n",
    });
    const question = await shop.ask('rename load to read');
    for (const place of ['src/named.ts:1', 'src/use.ts:1', 'src/use.ts:2', 'src/use.ts:3'])
      expect(question).toContain(place);
    await shop.ask('1');
    expect(shop.read('src/use.ts')).toBe(
      "import { read } from './index';\nimport { read as other } from './named';\nread();\nother();\n",
    );
    expect(shop.read('src/named.ts')).toBe("export { read } from '~/load';\n");
  });

  it('asks about calls that may name a parameter', async () => {
    const shop = await workshop({
      'a.py': 'def f(total, x=1):\n    return total + x\n\nf(total=1)\n',
      'b.py': 'from a import f\nf(total=2)\n',
    });
    const question = await shop.ask('rename the variable total to amount in a.py');
    expect(question).toContain('`b.py:2` f(total=2) (a call may name the parameter)');
    await shop.ask('1');
    await shop.ask('1');
    expect(shop.read('a.py')).toBe('def f(amount, x=1):\n    return amount + x\n\nf(amount=1)\n');
    expect(shop.read('b.py')).toBe('from a import f\nf(amount=2)\n');
  });

  it('knows that the files of a package share their names', async () => {
    const shop = await workshop({
      'go.mod': 'module x\n',
      'u/a.go': 'package u\n\nfunc Load() {}\n',
      'u/b.go': 'package u\n\nfunc Read() {}\n',
      'main.go': 'package main\n\nimport "x/u"\n\nfunc main() { u.Load() }\n',
    });
    expect(await shop.ask('rename Load to Read')).toContain('`Read` is already declared in `u/b.go:3`');
    expect(await shop.ask('rename Load to load')).toContain('other packages could not see it');
    expect(changed(shop)).toEqual([]);
    await shop.ask('rename Load to Fetch');
    expect(changed(shop)).toEqual(['main.go', 'u/a.go']);
  });

  it('asks before it breaks what uses the name outside of the folder that was named', async () => {
    const files = {
      'src/load.ts': 'export function load() {}\n',
      'tests/a.ts': "import { load } from '../src/load.ts';\nload();\n",
    };
    for (const says of ['rename load to read in src', 'rename load to read but not in tests']) {
      const shop = await workshop(files);
      expect(await shop.ask(says)).toContain('also used outside of what you named, in `tests/a.ts` (2 places)');
      expect(changed(shop)).toEqual([]);
      const answer = await shop.ask('rename only what was named');
      expect(changed(shop)).toEqual(['src/load.ts']);
      expect(answer).toMatch(/as you wished[^\n]*:\n\n- `tests\/a\.ts:1`/);
      await shop.close();
    }
  });

  it('does not let the new name mean something else', async () => {
    const shop = await workshop({
      'a.ts':
        'export function load() {\n  return fetch("x");\n}\nexport function go(next: number) {\n  return load() ?? next;\n}\n',
    });
    expect(await shop.ask('rename load to fetch')).toContain('`fetch` is already used in `a.ts:2` for something else');
    expect(await shop.ask('rename load to next')).toContain('`next` is already declared in `a.ts:4`');
    expect(await shop.ask('rename load to `class`')).toContain('a word of the language itself');
    expect(changed(shop)).toEqual([]);
  });

  it('renames one of several local variables, and only that', async () => {
    const source = 'def f(total):\n    return total\n\ndef g():\n    total = 1\n    return total + 1\n';
    const shop = await workshop({ 'a.py': source, 'b.py': 'total = 3\n' });
    expect(await shop.ask('rename the variable total to amount in a.py')).toContain('declared 2 times');
    const answer = await shop.ask('2');
    expect(shop.read('a.py')).toBe(
      'def f(total):\n    return total\n\ndef g():\n    amount = 1\n    return amount + 1\n',
    );
    expect(answer).toContain('`total` is left on 2 lines in `a.py`');
  });

  it('does not rename what is only imported', async () => {
    const shop = await workshop({ 'c.ts': 'import { load } from "some-npm-package";\nload(1);\n' });
    expect(await shop.ask('rename load to read')).toContain('`c.ts:1` imports it from `some-npm-package`');
    expect(await shop.ask('rename load to read in c.ts')).toContain('not declared there');
    expect(changed(shop)).toEqual([]);
  });

  it('asks how far to go in a language whose scopes it does not know', async () => {
    const shop = await workshop({ 'a.rb': 'def run_it(x)\n  # run_it\n  puts "run_it"\nend\n', 'b.rb': 'run_it(1)\n' });
    expect(await shop.ask('rename run_it to go')).toContain('do not know what names mean in ruby');
    await shop.ask('all');
    expect(shop.read('a.rb')).toBe('def go(x)\n  # run_it\n  puts "run_it"\nend\n');
    expect(shop.read('b.rb')).toBe('go(1)\n');
  });

  it('does not touch a declaration in a file that does not parse', async () => {
    const shop = await workshop({ 'a.ts': 'export function load() {\n  return (1;\n}\nload();\n' });
    expect(await shop.ask('rename load to read')).toContain('`a.ts` has a syntax error');
    expect(changed(shop)).toEqual([]);
  });

  it('keeps line ends, byte order marks and letters beyond ASCII', async () => {
    const shop = await workshop({
      'u.ts':
        "\uFEFFexport function load(s: string) { return s; }\r\nconst t = '🙂é' + load('ü') + `${load('x')} load`;\r\n",
      'v.ts': "import { load } from './u';\r\nconsole.log('日本', load('a'));",
    });
    await shop.ask('rename load to read');
    expect(shop.read('u.ts')).toBe(
      "\uFEFFexport function read(s: string) { return s; }\r\nconst t = '🙂é' + read('ü') + `${read('x')} load`;\r\n",
    );
    expect(shop.read('v.ts')).toBe("import { read } from './u';\r\nconsole.log('日本', read('a'));");
  });
});

describe('the report of a renaming', () => {
  it('lists the lines that changed, shows the others as they are now, and does not say that tests were not run before it runs them', async () => {
    const shop = await workshop({
      'package.json': '{ "scripts": { "test": "node -e 0" } }\n',
      'a.ts': 'export function load() {}\nexport const read2 = 1;\nexport const api = { load, text: "load" };\n',
      'b.ts': 'export const read = 1;\n',
    });
    const answer = await shop.ask('rename load to read and run the tests');
    expect(answer).toContain('- `a.ts`: lines 1, 3\n');
    expect(answer).not.toContain('`b.ts`');
    expect(answer).toContain('- `a.ts:3` export const api = { load: read, text: "load" };');
    expect(answer).toContain('The tests (`npm test`) succeeded');
    expect(answer).not.toContain('The tests were not run');
    expect(await shop.ask('rename read2 to other')).toContain('The tests were not run; say "run the tests" to do so.');
  });

  it('offers to replace the text only where nothing else has the name', async () => {
    const shop = await workshop({
      'a.ts': '// load\nexport function load() {}\n',
      'b.ts': '// other\nexport function other() {}\nexport const f = (other: 1) => other;\n',
    });
    expect(await shop.ask('rename load to read')).toContain(
      'To change the text too, say: replace "load" with "read" everywhere.',
    );
    expect(await shop.ask('rename other to another')).not.toContain('To change the text too');
  });
});
