import { afterEach, describe, expect, it } from 'vitest';
import { openWorkshop, type Workshop } from '@tenon/test-kit/offline-workshop';

let open: Workshop | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});
const workshop = async (...args: Parameters<typeof openWorkshop>) => (open = await openWorkshop(...args));

const PROJECT = {
  'src/user.ts': `import { readFile } from 'node:fs/promises';

/** Loads a user from disk. */
export async function loadUser(id: string): Promise<{ name: string }> {
  // loadUser trusts its input
  const text = await readFile(\`users/\${id}.json\`, 'utf8');
  return JSON.parse(text);
}

export const messages = { failed: 'loadUser failed' };
`,
  'src/app.ts': `import { loadUser } from './user.ts';
import * as users from './user.ts';

export async function greet(id: string): Promise<string> {
  const user = await loadUser(id);
  console.log('greeting', user.name);
  return \`Hello \${(await loadUser(id)).name}\`;
}

export const tools = { loadUser, greet };
export const again = (id: string) => users.loadUser(id);
`,
  'src/other.ts': `// Something else of the same name.
export function describe(loadUser: boolean): string {
  return loadUser ? 'yes' : 'no';
}

export const registry = { find: (api: { loadUser(): void }) => api.loadUser() };
`,
  'README.md': '# Sample\n\nCall `loadUser` to load a user.\n',
  'notes/todo.md': 'TODO: write more\n',
};

describe('renaming through the whole loop', () => {
  it('changes every use of a function, nothing else, and says what it left alone', async () => {
    const shop = await workshop(PROJECT);
    const answer = await shop.ask('rename the function loadUser to fetchUser everywhere');
    expect(shop.read('src/user.ts')).toBe(
      PROJECT['src/user.ts'].replace('export async function loadUser', 'export async function fetchUser'),
    );
    expect(shop.read('src/app.ts')).toBe(`import { fetchUser } from './user.ts';
import * as users from './user.ts';

export async function greet(id: string): Promise<string> {
  const user = await fetchUser(id);
  console.log('greeting', user.name);
  return \`Hello \${(await fetchUser(id)).name}\`;
}

export const tools = { loadUser: fetchUser, greet };
export const again = (id: string) => users.fetchUser(id);
`);
    expect(shop.read('src/other.ts')).toBe(PROJECT['src/other.ts']);
    expect(shop.read('README.md')).toBe(PROJECT['README.md']);
    expect(answer).toContain('Renamed the function `loadUser` (`src/user.ts`) to `fetchUser`: 6 places in 2 files');
    expect(answer).toMatch(/in comments, which I left alone:\n\n- `src\/user\.ts:5` \/\/ loadUser trusts its input/);
    expect(answer).toMatch(/in texts \(strings\), which I left alone:\n\n- `src\/user\.ts:10`/);
    expect(answer).toMatch(/files that are not code:\n\n- `README\.md:3`/);
    expect(answer).toMatch(/something else of that name:\n\n- `src\/other\.ts:2`/);
    expect(answer).toContain('The tests were not run');
    expect(new Set(shop.calls())).toEqual(new Set(['search', 'read', 'find', 'edit']));
    expect(shop.calls().filter((name) => name === 'edit')).toHaveLength(1);
    expect(shop.git('status', '--short')).toBe(' M src/app.ts\n M src/user.ts\n');
  });

  it('leaves a program doing what it did, through every way a module can be used', async () => {
    const shop = await workshop({
      'package.json': '{ "name": "sample", "type": "module", "scripts": { "test": "node test/run.js" } }\n',
      'src/math.js':
        'export function add(a, b) {\n  return a + b;\n}\n\nexport const ops = { add, sub: (a, b) => a - b };\nexport default add;\n',
      'src/index.js':
        "export { add } from './math.js';\nexport { add as plus } from './math.js';\nimport fallback, { add } from './math.js';\nexport const both = [fallback, add];\n",
      'src/lazy.js':
        "export async function lazy() {\n  const { add } = await import('./math.js');\n  const math = await import('./math.js');\n  return add(1, 2) + math.add(1, 1);\n}\n",
      'src/old.cjs': 'const helper = { add: (a, b) => a * b };\nmodule.exports = { helper };\n',
      'src/set.js': 'export const set = new Set();\nset.add(1);\n',
      'src/broken.js': "import { add } from './math.js';\nadd(1, ;\n",
      'test/run.js':
        "import { add, plus, both } from '../src/index.js';\nimport { ops } from '../src/math.js';\nimport { lazy } from '../src/lazy.js';\nimport { set } from '../src/set.js';\nimport old from '../src/old.cjs';\n" +
        "console.log('result', add(1, 2), plus(3, 4), both.map((f) => f(5, 6)), ops.add(7, 8), await lazy(), [...set], old.helper.add(2, 3), /add/.test('add'));\n",
    });
    const result = (text: string) => /^result .*$/m.exec(text)?.[0];
    const before = result(await shop.ask('run the tests'));
    expect(before).toBe('result 3 7 [ 11, 11 ] 15 5 [ 1 ] 6 true');
    const answer = await shop.ask('rename the function add to sum everywhere');
    expect(result(await shop.ask('run the tests'))).toBe(before);
    expect(shop.read('src/math.js')).toContain('export function sum(a, b)');
    expect(shop.read('src/math.js')).toContain('{ add: sum, sub:');
    expect(shop.read('src/lazy.js')).toContain("const { sum } = await import('./math.js')");
    expect(shop.read('src/lazy.js')).toContain('math.sum(1, 1)');
    expect(shop.git('diff', '--stat', '--', 'src/old.cjs', 'src/set.js', 'src/broken.js')).toBe('');
    expect(answer).toContain('`src/broken.js` has a syntax error, so nothing in it was renamed');
    expect(answer).toMatch(/Kept as the name of a property[^\n]*:\n\n- `src\/math\.js:5`/);
    expect(answer).toMatch(/syntax error:\n\n- `src\/broken\.js:1`/);
    expect(answer).toMatch(/Members of that name of other things:\n\n(?:- .*\n)*- `test\/run\.js:6`/);
  });

  it('renames in Go, Rust and Java, and methods by their kind', async () => {
    const shop = await workshop({
      'go.mod': 'module x\n',
      'util/util.go':
        'package util\n\n// Load loads.\nfunc Load(p string) string { return p }\n\nfunc Twice() string { return Load("a") + Load("b") }\n',
      'main.go': 'package main\n\nimport "x/util"\n\nfunc main() { println(util.Load("Load")) }\n',
      'lib.rs':
        'pub fn parse(s: &str) -> u8 { 1 }\nmod t { use super::parse; fn x() { parse("parse"); super::parse("b"); } }\n',
      'A.java': 'class A {\n  public int size(int x) {\n    return size(x - 1) + this.size(2);\n  }\n}\n',
      'p.py':
        'class Box:\n    def open(self):\n        return open("f")\n\n    def twice(self):\n        self.open()\n',
    });
    await shop.ask('rename Load to Read');
    expect(shop.read('main.go')).toContain('util.Read("Load")');
    expect(shop.read('util/util.go')).toContain('// Load loads.\nfunc Read(');
    await shop.ask('rename the function parse to read_all');
    expect(shop.read('lib.rs')).toBe(
      'pub fn read_all(s: &str) -> u8 { 1 }\nmod t { use super::read_all; fn x() { read_all("parse"); super::read_all("b"); } }\n',
    );
    await shop.ask('rename the method size to length');
    expect(shop.read('A.java')).toContain('return length(x - 1) + this.length(2);');
    await shop.ask('rename the method open to unlock in p.py');
    expect(shop.read('p.py')).toBe(
      'class Box:\n    def unlock(self):\n        return open("f")\n\n    def twice(self):\n        self.unlock()\n',
    );
  });

  it('asks which one when a name is declared in several files, and goes on with the answer', async () => {
    const shop = await workshop({
      'a/run.ts': 'export function start() {}\nstart();\n',
      'b/run.ts': 'export function start() {}\nstart();\n',
    });
    const question = await shop.ask('rename start to begin');
    expect(question).toContain('declared in 2 files');
    expect(shop.git('status', '--short')).toBe('');
    const place = question.indexOf('`a/run.ts`') < question.indexOf('`b/run.ts`') ? '1' : '2';
    const answer = await shop.ask(place);
    expect(answer).toContain('Renamed the function `start` (`a/run.ts`)');
    expect(shop.read('a/run.ts')).toBe('export function begin() {}\nbegin();\n');
    expect(shop.read('b/run.ts')).toBe('export function start() {}\nstart();\n');
  });

  it('renames a class in types and values', async () => {
    const shop = await workshop({
      'store.ts':
        'export class Store<T> {\n  items: T[] = [];\n  clone(): Store<T> {\n    return new Store<T>();\n  }\n}\n',
      'use.ts':
        "import { Store } from './store.ts';\nexport const all: Map<string, Store<number>> = new Map();\nexport const one = new Store<string>();\n",
    });
    const answer = await shop.ask('rename the class Store to Shelf');
    expect(shop.read('store.ts')).not.toContain('Store');
    expect(shop.read('use.ts')).toBe(
      "import { Shelf } from './store.ts';\nexport const all: Map<string, Shelf<number>> = new Map();\nexport const one = new Shelf<string>();\n",
    );
    expect(answer).toContain('no longer occurs anywhere');
  });

  it('renames in Python by name, not by attribute', async () => {
    const shop = await workshop({
      'pkg/loader.py': 'def load(path):\n    """Use load to load."""\n    return open(path).read()\n',
      'main.py':
        'from pkg.loader import load\nfrom pkg import loader\nimport json\n\nprint(load("x"), json.load(open("y")), loader.load("z"))\n',
    });
    const answer = await shop.ask('rename the function load to slurp in the whole project');
    expect(shop.read('pkg/loader.py')).toContain('def slurp(path):\n    """Use load to load."""');
    expect(shop.read('main.py')).toBe(
      'from pkg.loader import slurp\nfrom pkg import loader\nimport json\n\nprint(slurp("x"), json.load(open("y")), loader.slurp("z"))\n',
    );
    expect(answer).toMatch(/something else of that name:\n\n- `main\.py:5`/);
  });

  it('does not give two things one name without asking', async () => {
    const shop = await workshop({ 'a.ts': 'export function alpha() {}\nexport function beta() {\n  alpha();\n}\n' });
    expect(await shop.ask('rename alpha to beta')).toContain('`beta` is already declared in `a.ts:2`');
    expect(await shop.ask('no')).toBe('Nothing was changed.');
    expect(shop.git('status', '--short')).toBe('');
  });

  it('says when there is nothing of that name', async () => {
    const shop = await workshop(PROJECT);
    expect(await shop.ask('rename the function loadUsr to fetchUser')).toContain('`loadUsr` does not occur');
    expect(shop.calls()).toEqual(['search']);
  });

  it('offers a text replacement for a name that nothing declares', async () => {
    const shop = await workshop({
      'a.css': '.old-box { color: red }\n.mark { color: blue }\n',
      'b.html': '<p class="mark"></p>\n',
    });
    expect(await shop.ask('rename mark to label')).toContain('no line declares it');
    await shop.ask('yes');
    expect(shop.read('a.css')).toContain('.label {');
    expect(shop.read('b.html')).toContain('class="label"');
  });
});

describe('changing files through the whole loop', () => {
  it('rewrites code by structure and leaves text alone', async () => {
    const shop = await workshop({
      'a.ts':
        "console.log('a', 1);\n// console.log('b')\nexport const text = 'console.log(1)';\nconsole.log(console.log(2));\n",
      'b.js': 'console.log(x)\n',
    });
    const answer = await shop.ask('rewrite `console.log($$$ARGS)` to `logger.info($$$ARGS)`');
    expect(shop.read('a.ts')).toBe(
      "logger.info('a', 1);\n// console.log('b')\nexport const text = 'console.log(1)';\nlogger.info(logger.info(2));\n",
    );
    expect(shop.read('b.js')).toBe('logger.info(x)\n');
    expect(answer).toContain('4 places in 2 files');
    expect(answer).toContain('no code matches the pattern any more');
  });

  it('replaces text in one file, and asks where when it is in several', async () => {
    const shop = await workshop({ 'a.md': 'The colour is a colour.\n', 'b.md': 'No colour here.\n' });
    expect(await shop.ask('replace "colour" with "color"')).toContain('Where should it be replaced?');
    expect(shop.git('status', '--short')).toBe('');
    expect(await shop.ask('only in a.md')).toContain('2 places on 1 line in 1 file');
    expect(shop.read('a.md')).toBe('The color is a color.\n');
    expect(await shop.ask('replace "colour" with "color" everywhere')).toContain('no longer occurs anywhere');
    expect(shop.read('b.md')).toBe('No color here.\n');
  });

  it('replaces text with characters that mean something in patterns and replacements', async () => {
    const shop = await workshop({ 'a.txt': 'price: $5 (net) [a.b]\n' });
    await shop.ask('replace "$5 (net) [a.b]" with "$& $1 \\\\n" in a.txt');
    expect(shop.read('a.txt')).toBe('price: $& $1 \\n\n');
  });

  it('creates a file, does not overwrite one without asking, and appends', async () => {
    const shop = await workshop({ 'a.txt': 'one\n' });
    await shop.ask('create a file docs/hello.md with:\n```md\n# Hello\n\nworld\n```');
    expect(shop.read('docs/hello.md')).toBe('# Hello\n\nworld\n');
    expect(await shop.ask('create a file a.txt with "two"')).toContain('is there already');
    expect(shop.read('a.txt')).toBe('one\n');
    await shop.ask('yes');
    expect(shop.read('a.txt')).toBe('two\n');
    await shop.ask('append "three" to a.txt');
    expect(shop.read('a.txt')).toBe('two\nthree\n');
    await shop.ask('add the line "zero" at the top of a.txt');
    expect(shop.read('a.txt')).toBe('zero\ntwo\nthree\n');
  });
});

describe('running things through the whole loop', () => {
  const manifest = (test: string) => `${JSON.stringify({ name: 'sample', private: true, scripts: { test } })}\n`;

  it('finds out how the project runs its tests and tells the result', async () => {
    const shop = await workshop({
      'package.json': manifest('node check.js'),
      'check.js': "console.log('2 tests passed');\n",
    });
    const answer = await shop.ask('run the tests');
    expect(answer).toContain('The tests (`npm test`) succeeded');
    expect(answer).toContain('2 tests passed');
  });

  it('tells the exit code of failing tests and does not go on to what should follow', async () => {
    const shop = await workshop({
      'package.json': manifest('node check.js'),
      'check.js': "console.log('broken'); process.exit(3);\n",
    });
    const answer = await shop.ask('run the tests and then create a file done.txt with "yes"');
    expect(answer).toMatch(/failed with exit code 3/);
    expect(answer).toContain('broken');
    expect(answer).toContain('I did not go on with: "create a file done.txt');
    expect(shop.exists('done.txt')).toBe(false);
  });

  it('asks when there is more than one way, and says so when there is none', async () => {
    const shop = await workshop({ 'package.json': manifest('echo from-npm'), Makefile: 'test:\n\t@echo from-make\n' });
    expect(await shop.ask('run the tests')).toContain('more than one way');
    expect(await shop.ask('make test')).toContain('from-make');
    await shop.close();
    const bare = await workshop({ 'a.txt': '' });
    expect(await bare.ask('run the tests')).toContain('Tell me the command');
  });

  it('runs a command as it was written, in the folder that was named', async () => {
    const shop = await workshop({ 'sub/a.txt': 'x' });
    expect(await shop.ask('run `ls` in sub')).toContain('a.txt');
    expect(await shop.ask('run `exit 4`')).toContain('exit code 4');
  });

  it('shows git status, diff and log', async () => {
    const shop = await workshop({ 'a.txt': 'one\n' });
    expect(await shop.ask('git status')).toContain('Nothing has changed');
    await shop.ask('replace "one" with "two" in a.txt');
    expect(await shop.ask('git status')).toContain('M a.txt');
    const diff = await shop.ask('show me the diff');
    expect(diff).toContain('-one');
    expect(diff).toContain('+two');
    expect(await shop.ask('show the last 3 commits')).toContain('start');
  });

  it('carries out several requests in order', async () => {
    const shop = await workshop({ ...PROJECT, 'package.json': manifest('node -e "console.log(process.version)"') });
    const answer = await shop.ask('rename loadUser to fetchUser, then run the tests and show git status');
    expect(answer).toContain('Renamed the function');
    expect(answer).toContain('The tests (`npm test`) succeeded');
    expect(answer).toContain('M src/user.ts');
  });
});

describe('looking through the whole loop', () => {
  it('finds files, text and to-dos', async () => {
    const shop = await workshop(PROJECT);
    expect(await shop.ask('find all typescript files in src')).toMatch(/Found 3 files/);
    expect(await shop.ask('find files ending with .md')).toContain('notes/todo.md');
    expect(await shop.ask('search for "Hello"')).toMatch(/1 line in 1 file[\s\S]*src\/app\.ts\n {2}7: /);
    expect(await shop.ask('search for "nowhere to be found"')).toContain('does not occur');
    expect(await shop.ask('list the todos')).toContain('notes/todo.md\n  1: TODO: write more');
    expect(await shop.ask('who calls loadUser?')).toContain('declared in src/user.ts:4');
  });

  it('outlines and explains files and symbols from what they say themselves', async () => {
    const shop = await workshop(PROJECT);
    expect(await shop.ask('outline src/app.ts')).toContain('4: export async function greet(id: string)');
    expect(await shop.ask('list the functions in src/app.ts')).toContain('4: export async function greet');
    const file = await shop.ask('explain src/user.ts');
    expect(file).toContain('line 4: exported function `loadUser`: Loads a user from disk.');
    expect(file).toContain('needs a real model');
    const symbol = await shop.ask('explain the function loadUser');
    expect(symbol).toContain('> Loads a user from disk.');
    expect(symbol).toMatch(/It calls `readFile`(?: and|,) `JSON\.parse`/);
    expect(await shop.ask('where is greet defined?')).toContain('src/app.ts\n  4: ');
    expect(await shop.ask('show lines 1 to 2 of README.md')).toContain('1: # Sample');
  });
});

describe('a long conversation', () => {
  it('can be summarized by the rules and goes on after that', async () => {
    const compaction = { enabled: true, reserveTokens: 100, keepRecentTokens: 50, thresholdPercent: -1 };
    const shop = await workshop(PROJECT, { settings: { agent: { compaction } } });
    for (const says of ['show src/user.ts', 'show src/app.ts', 'search for "user"', 'list the todos'])
      await shop.ask(says);
    const { tokensBefore, tokensAfter } = await shop.agent.compact();
    expect(tokensAfter).toBeLessThan(tokensBefore);
    expect(await shop.ask('rename loadUser to fetchUser')).toContain('Renamed the function');
    expect(shop.read('src/user.ts')).toContain('function fetchUser');
  });

  it('takes a message in the middle of the work as the new request', async () => {
    const shop = await workshop({ 'a.txt': 'x\n' });
    const running = shop.agent.prompt('run `sleep 0.3`');
    shop.agent.steer('create a file b.txt with "steered"');
    await running;
    expect(shop.read('b.txt')).toBe('steered\n');
  });
});

describe('knowing its limits', () => {
  it('is what the agent uses when no key is configured', async () => {
    const shop = await workshop({});
    expect(shop.agent.state.model).toMatchObject({ provider: 'offline', id: 'rules', api: 'offline' });
  });

  it('says what needs a real model and how to get one, without touching anything', async () => {
    const shop = await workshop(PROJECT);
    const answer = await shop.ask('implement a login form with OAuth');
    expect(answer).toContain('needs a real model');
    expect(answer).toContain('tenon auth login');
    expect(answer).toContain('ANTHROPIC_API_KEY');
    expect(answer).toContain('Ollama');
    expect(shop.calls()).toEqual([]);
  });

  it('uses only the tools that are offered, and names the one that is missing', async () => {
    const shop = await workshop(PROJECT, { tools: ['read', 'search'] });
    expect(await shop.ask('rename loadUser to fetchUser')).toContain('Renaming needs the tools `find`, `edit`');
    expect(await shop.ask('git status')).toContain('needs the tool `bash`');
    expect(shop.calls()).toEqual([]);
    expect(await shop.ask('search for Hello')).toContain('src/app.ts');
  });
});
