import { afterEach, describe, expect, it } from 'vitest';
import { openWorkshop, type Workshop } from '@tenon/test-kit/offline-workshop';

let open: Workshop | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});
const workshop = async (...args: Parameters<typeof openWorkshop>) => (open = await openWorkshop(...args));

const LOGS = {
  'src/a.js': 'console.log(1);\n',
  'src/old/b.js': 'console.log(2);\n',
  'tests/x.js': 'console.log(3);\n',
  'src/a.test.js': 'console.log(4);\n',
};
const logs = (shop: Workshop) => Object.keys(LOGS).filter((path) => shop.read(path).includes('logger.info('));

describe('what is to be left out', () => {
  it.each([
    ['replace console.log by logger.info but not in tests', ['src/a.js', 'src/old/b.js']],
    ['replace console.log by logger.info except in tests', ['src/a.js', 'src/old/b.js']],
    ['replace console.log by logger.info everywhere except in tests and src/old', ['src/a.js']],
    ['replace console.log by logger.info in src, not in src/old', ['src/a.js', 'src/a.test.js']],
    ['replace console.log by logger.info only in tests', ['tests/x.js']],
    ['replace calls to console.log with logger.info but not in tests', ['src/a.js', 'src/old/b.js']],
    ['replace console.log by logger.info structurally in src', ['src/a.js', 'src/old/b.js', 'src/a.test.js']],
  ])('is left out: %s', async (says, expected) => {
    const shop = await workshop(LOGS);
    await shop.ask(says);
    expect(logs(shop)).toEqual(expected);
    for (const path of expected)
      expect(shop.read(path)).toBe(LOGS[path as keyof typeof LOGS].replace('console.log', 'logger.info'));
  });

  it('is asked for where it is not clear, and nothing is changed', async () => {
    const shop = await workshop(LOGS);
    expect(await shop.ask('replace console.log by logger.info except in comments')).toContain('left out is not clear');
    expect(await shop.ask('replace console.log by logger.info if possible where it matters in src')).toContain(
      'by exactly',
    );
    expect(shop.git('status', '--short')).toBe('');
  });

  it('is left out of searches and lists', async () => {
    const shop = await workshop(LOGS);
    expect(await shop.ask('search for console.log but not in tests')).toContain('2 lines in 2 files');
    expect(await shop.ask('find javascript files except tests')).toContain('Found 2 files');
  });
});

describe('finding and listing', () => {
  it('finds files by their names, not by what the word means otherwise', async () => {
    const shop = await workshop({ 'src/config.ts': '', 'package.json': '{}\n', 'src/my-config.ts': '' });
    expect(await shop.ask('find files named config')).toBe('Found 1 file:\n\n- src/config.ts');
    expect(await shop.ask('find files named my-conf')).toMatch(
      /No file is named `my-conf`, but[^]*- src\/my-config\.ts/,
    );
  });

  it('says what it does not do instead of searching for it', async () => {
    const shop = await workshop({ 'a.ts': '' });
    for (const says of ['delete all files', 'remove src/a.ts', 'compress files']) {
      expect(await shop.ask(says), says).toMatch(/needs a real model/);
      expect(shop.calls(), says).toEqual([]);
    }
    expect(await shop.ask('delete a.ts')).toContain('run `git rm a.ts`');
  });

  it('counts functions and methods the same way in every language', async () => {
    const shop = await workshop({
      'a.py': 'def load():\n    pass\n\nclass A:\n    def get(self):\n        pass\n',
      'b.ts':
        'export function load() {}\nexport class B {\n  get() { return 1; }\n  static of() {\n    return new B();\n  }\n}\n',
      'c.rs': 'fn load() {}\nimpl C {\n    fn get(&self) {}\n}\n',
      'd.go': 'package d\n\nfunc load() {}\n\nfunc (d D) get() {}\n',
      'E.java': 'class E {\n  int get() {\n    return 1;\n  }\n}\n',
    });
    expect(await shop.ask('list all functions')).toMatch(/^4 functions in 4 files/);
    expect(await shop.ask('list all methods')).toMatch(/^6 methods in 5 files/);
  });
});

describe('help', () => {
  it('gives commands that work as they stand', async () => {
    const shop = await workshop({});
    expect(await shop.ask('help')).toContain('`tenon auth login PROVIDER`');
    expect(await shop.ask('rename loadUser')).toContain('`tenon -c -p "…"`');
  });
});

describe('a bare word that is also a part of others', () => {
  const WORDS = { 'a.txt': 'load loadFile\nreload load\n' };

  it('is asked about, and nothing is changed before the answer', async () => {
    const shop = await workshop(WORDS);
    const question = await shop.ask('replace load by fetch everywhere');
    expect(question).toContain('`loadFile`');
    expect(question).toContain('`reload`');
    expect(shop.read('a.txt')).toBe(WORDS['a.txt']);
    await shop.ask('1');
    expect(shop.read('a.txt')).toBe('fetch loadFile\nreload fetch\n');
  });

  it('is replaced inside them where the user says so, or where it stands nowhere else', async () => {
    const shop = await workshop({ ...WORDS, 'b.txt': 'colours\n' });
    await shop.ask('replace load by fetch everywhere');
    await shop.ask('2');
    expect(shop.read('a.txt')).toBe('fetch fetchFile\nrefetch fetch\n');
    await shop.ask('replace colour by color everywhere');
    expect(shop.read('b.txt')).toBe('colors\n');
  });

  it('is taken letter by letter in quotes', async () => {
    const shop = await workshop(WORDS);
    await shop.ask('replace "load" by "fetch" everywhere');
    expect(shop.read('a.txt')).toBe('fetch fetchFile\nrefetch fetch\n');
  });
});
