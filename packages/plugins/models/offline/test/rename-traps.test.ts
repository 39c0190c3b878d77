import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MarkedFiles, renamed, unmarked } from './marked.ts';
import { C, GO, JAVA, RUST } from './traps/native.ts';
import { PYTHON } from './traps/python.ts';
import { TYPED } from './traps/typed.ts';
import { COMMON, WEB } from './traps/web.ts';
import { openWorkshop, type Workshop } from '@tenon/test-kit/offline-workshop';

const PARTS: readonly MarkedFiles[] = [WEB, COMMON, TYPED, PYTHON, RUST, C, JAVA, GO];
const TSC = join(import.meta.dirname, '../../../../../node_modules/typescript/bin/tsc');

/** Programs that are not on every machine. */
const has = (program: string, flag = '--version') => spawnSync(program, [flag]).status === 0;

let shop: Workshop;
/** What the files must be, as the renamings go on. */
let expected: Record<string, string>;
beforeAll(async () => {
  expected = Object.assign({}, ...PARTS.map(unmarked)) as Record<string, string>;
  shop = await openWorkshop(expected);
});
afterAll(() => shop.close());

const tree = () => Object.fromEntries(Object.keys(expected).map((path) => [path, shop.read(path)]));
const run = (program: string, args: readonly string[], folder = '') =>
  execFileSync(program, args, { cwd: join(shop.root, folder), encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** Renames, and holds the whole tree to what it must be; `works` must give the same before and after. */
async function renames(
  part: MarkedFiles,
  next: string,
  says: readonly string[],
  works?: () => string,
): Promise<string> {
  const before = works?.();
  let answer = '';
  for (const text of says) answer = await shop.ask(text);
  expected = { ...expected, ...renamed(part, next) };
  expect(tree(), answer).toEqual(expected);
  if (works) expect(works()).toBe(before);
  return answer;
}

describe('renaming in a project full of the same name', () => {
  it('asks which of the many declarations is meant', async () => {
    const question = await shop.ask('rename the function load to fetchAll everywhere');
    for (const path of [
      'web/load.js',
      'web/other.js',
      'web/thing.cjs',
      'py/tool/loader.py',
      'rs/store.rs',
      'c/store.c',
    ])
      expect(question).toContain(`\`${path}\``);
    expect(question).not.toContain('java/Store.java');
    expect(shop.git('status', '--short')).toBe('');
  });

  it('follows every kind of import in JavaScript, and nothing else', async () => {
    const answer = await renames(WEB, 'fetchAll', ['rename the function load in web/load.js to fetchAll'], () =>
      run('node', ['main.js'], 'web'),
    );
    expect(answer).toContain('Renamed the function `load` (`web/load.js`) to `fetchAll`');
    expect(answer).toMatch(/another language:\n\n(?:- .*\n)*- `py\/tool\/loader\.py`/);
    expect(answer).toMatch(/something else of that name:\n\n(?:- .*\n)*- `web\/again\.js:3`/);
  });

  it('follows what a CommonJS module offers', async () => {
    await renames(
      COMMON,
      'hold',
      ['rename keep in cjs/store.cjs to hold'],
      () => run('node', ['use.cjs'], 'cjs') + run('node', ['esm.mjs'], 'cjs'),
    );
  });

  it('knows types, members, overloads and JSX in TypeScript', async () => {
    const check = () => run('node', [TSC, '-p', 'ts'], '');
    const pick = Object.fromEntries(Object.entries(TYPED).filter(([path]) => path !== 'ts/widget.ts'));
    await renames(pick, 'choose', ['rename the function pick in ts/store.ts to choose'], check);
    const widget = { 'ts/widget.ts': TYPED['ts/widget.ts'] ?? '' };
    await renames(widget, 'Gadget', ['rename the class Widget to Gadget'], check);
  });

  it.skipIf(!has('python3'))('knows scopes, packages and `__all__` in Python', async () => {
    await renames(PYTHON, 'fetch_all', ['rename the function load in py/tool/loader.py to fetch_all'], () =>
      run('python3', ['-B', 'main.py'], 'py').replaceAll('fetch_all', 'load'),
    );
  });

  it.skipIf(!has('rustc'))('knows modules, patterns and formatting macros in Rust', async () => {
    const works = () => {
      run('rustc', ['--edition', '2021', '-A', 'warnings', '-o', 'program', 'main.rs'], 'rs');
      return run('./program', [], 'rs');
    };
    await renames(RUST, 'fetch_all', ['rename the function load in rs/store.rs to fetch_all', '1'], works);
  });

  it.skipIf(!has('cc'))('joins files of C by their headers', async () => {
    const works = () => {
      run('cc', ['-o', 'program', 'main.c', 'store.c', 'other.c'], 'c');
      return run('./program', [], 'c');
    };
    await renames(C, 'fetch_all', ['rename the function load in c/store.c to fetch_all'], works);
  });

  it.skipIf(!has('javac', '-version'))(
    'tells methods, fields and variables of Java apart, and asks about the rest',
    async () => {
      const works = () => {
        run('javac', ['Main.java', 'Store.java'], 'java');
        return run('java', ['Main'], 'java');
      };
      await renames(JAVA, 'fetchAll', ['rename the method Store.load to fetchAll', 'leave these'], works);
    },
  );

  it('follows packages of Go', async () => {
    await renames(GO, 'Read', ['rename the function Load in go/util/util.go to Read']);
  });
});
