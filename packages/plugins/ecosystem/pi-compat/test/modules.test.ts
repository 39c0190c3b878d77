/** Which files are extensions, what they are called, and what of the machine their code lies in. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { codeFolders, entriesAt, findModules, nameOf } from '../src/host/modules.ts';
import { changeRecord, readRecords } from '../src/host/records.ts';

let base: string;
beforeEach(() => void (base = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-pi-modules-')))));
afterEach(() => rmSync(base, { recursive: true, force: true }));

const write = (...files: readonly string[]) => {
  for (const file of files) {
    const [name = '', content = ''] = file.split('=');
    mkdirSync(dirname(join(base, name)), { recursive: true });
    writeFileSync(join(base, name), content);
  }
};
const at = (path: string) =>
  entriesAt(path, { cwd: base, home: join(base, 'home') }).map((file) => file.slice(base.length + 1));

describe('a path', () => {
  test('is a module, a package with a manifest, an index, or a folder of modules, in this order', () => {
    write(
      'one.ts',
      'p/package.json={"pi":{"extensions":["./a.ts","./gone.ts"]}}',
      'p/a.ts',
      'p/index.ts',
      'q/index.js',
      'q/index.ts',
    );
    write(
      'many/x.ts',
      'many/x.d.ts',
      'many/x.test.ts',
      'many/sub/index.ts',
      'many/deep/er/index.ts',
      'many/r/package.json={"omp":{"extensions":["m.js"]}}',
      'many/r/m.js',
    );
    expect(at('one.ts')).toEqual(['one.ts']);
    expect(at('p')).toEqual(['p/a.ts']);
    expect(at('q')).toEqual(['q/index.ts']);
    expect(at('many').sort()).toEqual(['many/r/m.js', 'many/sub/index.ts', 'many/x.ts']);
  });

  test('of a manifest may be a folder or a pattern, may leave out, and never leads out of the package', () => {
    write('p/package.json={"pi":{"extensions":["./ext","./more/*.ts","!./more/old.ts","../outside.ts"]}}');
    write('p/ext/a.ts', 'p/ext/b/index.ts', 'p/more/new.ts', 'p/more/old.ts', 'outside.ts');
    expect(at('p').sort()).toEqual(['p/ext/a.ts', 'p/ext/b/index.ts', 'p/more/new.ts']);
  });

  test('of a package without a manifest is its folder `extensions`', () => {
    write('p/package.json={}', 'p/extensions/a.ts');
    expect(at('p')).toEqual(['p/extensions/a.ts']);
  });

  test('may begin at home, and is refused with a reason when there is nothing', () => {
    write('home/x.ts', 'notes.md');
    expect(at('~/x.ts')).toEqual(['home/x.ts']);
    expect(() => at('gone.ts')).toThrow('ENOENT');
    expect(() => at('notes.md')).toThrow('not TypeScript');
  });
});

test('every file is loaded once, under a name of its own, and relative paths of the settings belong to the project', async () => {
  write('a/tool.ts', 'b/tool.ts', 'c.ts');
  symlinkSync(join(base, 'c.ts'), join(base, 'd.ts'));
  const wanted = {
    configured: [join(base, 'a/tool.ts'), './b/tool.ts', 'gone.ts'],
    named: ['c.ts', 'd.ts'],
    discover: true,
  };
  const { modules, problems } = await findModules(undefined, wanted, {
    cwd: base,
    home: join(base, 'home'),
    cache: join(base, 'cache'),
  });
  expect(modules.map(({ name, level, from }) => [name, level, from])).toEqual([
    ['c', 'user', 'command line'],
    ['tool', 'user', 'settings'],
    ['tool-2', 'project', 'settings'],
  ]);
  expect(modules.map(({ project }) => project)).toEqual([undefined, undefined, base]);
  expect(problems.map(({ code }) => code)).toEqual(['PI_COMPAT_NOT_FOUND']);
});

test('a package of npm is named on the command line: all of its extensions, from where pi or oh-my-pi keeps it', async () => {
  const root = 'home/.omp/plugins/node_modules/@acme/kit';
  write(
    `${root}/package.json={"version": "1.2.0", "pi": {"extensions": ["./a.ts", "./more"]}}`,
    `${root}/a.ts`,
    `${root}/more/b.ts`,
    `${root}/more/c.ts`,
  );
  const place = { cwd: base, home: join(base, 'home'), cache: join(base, 'cache') };
  const found = (named: readonly string[], configured: readonly string[] = []) =>
    findModules(undefined, { configured, named, discover: false }, place);
  for (const name of ['npm:@acme/kit', 'npm:@acme/kit@1.2.0'])
    expect((await found([name])).modules.map(({ name: own }) => own)).toEqual(['a', 'b', 'c']);
  // A project's settings must not have anything installed, and a name is no flag for npm.
  for (const { modules, problems } of [await found([], ['npm:@acme/kit']), await found(['npm:--prefix=/x'])]) {
    expect(modules).toEqual([]);
    expect(problems.map(({ code }) => code)).toEqual(['PI_COMPAT_NOT_FOUND']);
  }
});

test('names come from the file, or from the first folder above it that says something', () => {
  expect(['/x/foo.ts', '/x/bar/index.ts', '/x/pkg/src/index.ts', '/x/pkg/dist/index.js'].map(nameOf)).toEqual([
    'foo',
    'bar',
    'pkg',
    'pkg',
  ]);
});

test('a sandbox shows the package of a module or the folder of a file, and never the home folder', () => {
  write(
    'home/.omp/agent/extensions/x.ts',
    'home/loose.ts',
    'lib/node_modules/pkg/package.json={}',
    'lib/node_modules/pkg/src/index.ts',
    'lib/node_modules/dep/index.js',
  );
  const folders = (file: string) =>
    codeFolders(join(base, file), { cwd: join(base, 'work'), home: join(base, 'home') }).map((path) =>
      path.slice(base.length + 1),
    );
  expect(folders('home/.omp/agent/extensions/x.ts')).toEqual(['home/.omp/agent/extensions']);
  expect(folders('home/loose.ts')).toEqual(['home/loose.ts']);
  expect(folders('lib/node_modules/pkg/src/index.ts')).toEqual(['lib/node_modules/pkg', 'lib/node_modules']);
});

test('decisions are kept per file, and a damaged record is an error', async () => {
  const file = join(base, 'data', 'extensions.json');
  expect(readRecords(file)).toEqual({});
  await Promise.all(
    ['/a.ts', '/b.ts'].map((module) =>
      changeRecord(file, module, () => ({ name: module, enabled: false, trust: 'isolated', since: '' })),
    ),
  );
  expect(Object.keys(readRecords(file)).sort()).toEqual(['/a.ts', '/b.ts']);
  await changeRecord(file, '/a.ts', () => undefined);
  expect(Object.keys(readRecords(file))).toEqual(['/b.ts']);
  for (const damage of ['{', '{"version":2}', '{"version":1,"modules":{"/x":{"trust":"full"}}}']) {
    writeFileSync(file, damage);
    expect(() => readRecords(file)).toThrow('extensions.json');
  }
});
