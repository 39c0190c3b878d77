/**
 * Trees with ignore rules for the comparison with git. Names and rules are bytes, written with one character per byte;
 * most rules are made out of a path of their tree, so that they hit or miss by little.
 */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import fc from 'fast-check';

/** A path or text with one character per byte. */
export type Bytes = string;

/** The bytes of such a text. */
export const bytes = (text: Bytes): Buffer => Buffer.from(text, 'latin1');

const letter = fc.constantFrom(...'aabbcABC01.-_');
const oddLetter = fc.constantFrom(...' \t\r\n\\*?[]!#^{}:~\u00c3\u00a9\u00ff\u000b\u0001');
const name = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('a', 'b', 'ab', 'A', 'foo', 'Foo', 'bar', 'a.log', 'foo.c', 'build') },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      'Icon\r',
      'a ',
      'a  b',
      'a\t',
      ' a',
      '#a',
      '!a',
      'a\\',
      '\\a',
      'a\nb',
      '.x',
      '\u00ff',
      'a*',
    ),
  },
  {
    weight: 3,
    arbitrary: fc
      .array(fc.oneof({ weight: 3, arbitrary: letter }, oddLetter), { minLength: 1, maxLength: 4 })
      .map((letters) => letters.join('')),
  },
);
const isUsable = (text: string): boolean => !['.', '..', '.git', '.gitignore', '.ignore'].includes(text);
const path = fc.array(name.filter(isUsable), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));

const classes = [
  'alnum',
  'alpha',
  'blank',
  'cntrl',
  'digit',
  'graph',
  'lower',
  'print',
  'punct',
  'space',
  'upper',
  'xdigit',
];
const wild = fc.oneof(
  fc.constantFrom(
    '*',
    '*',
    '**',
    '***',
    '?',
    '/',
    '/**/',
    '**/',
    '\\/',
    '\\',
    '[',
    ']',
    '[]',
    '[!]',
    '[a',
    '[a-',
    '[\\',
    '[[:alpha:]',
  ),
  fc.constantFrom(
    '[ab]',
    '[a-c]',
    '[c-a]',
    '[!a]',
    '[^b]',
    '[]a]',
    '[!]a]',
    '[a-]',
    '[-a]',
    '[\\]a]',
    '[\\a-\\c]',
    '[a\\-c]',
  ),
  fc.constantFrom(
    '[/a]',
    '[a/]',
    '[--0]',
    '[!-~]',
    '[\t-\r]',
    '[[:x]',
    '[[:]',
    '[[:nope:]]',
    '[[:a-z]',
    '[a[:digit:]-c]',
    '[A]',
    '[B-Z]',
  ),
  fc.tuple(fc.constantFrom('', '!', '^', 'a'), fc.constantFrom(...classes)).map(([front, of]) => `[${front}[:${of}:]]`),
);

/** What becomes of one letter of a path in a rule. */
const change = fc.oneof(
  { weight: 12, arbitrary: fc.constant((byte: string) => byte) },
  { weight: 1, arbitrary: fc.constant((byte: string) => `\\${byte}`) },
  { weight: 1, arbitrary: fc.constant((byte: string) => `[${byte}]`) },
  { weight: 1, arbitrary: fc.constant((byte: string) => `[^${byte}]`) },
  { weight: 1, arbitrary: fc.constant((byte: string) => byte.toUpperCase()) },
  { weight: 1, arbitrary: fc.constant(() => '') },
  { weight: 2, arbitrary: wild.map((text) => () => text) },
  { weight: 1, arbitrary: wild.map((text) => (byte: string) => byte + text) },
);

const around = fc.tuple(
  fc.constantFrom('', '', '', '', '!', '!', '/', '!/', '**/', '#', '\\#', '\\!', ' ', '//', '*', '*/'),
  fc.constantFrom(
    '',
    '',
    '',
    '',
    '/',
    '/',
    '/**',
    '/*',
    '/**/',
    ' ',
    '  ',
    '\t',
    '\\ ',
    '\\  ',
    ' \\ ',
    '\r',
    '//',
    '/ ',
    '** ',
    '\\/',
    '*',
    '\0x',
  ),
);

/** A rule made of a path: the path, which parts of it, and what becomes of its letters. */
const recipe = fc.record({
  path: fc.nat(),
  parts: fc.constantFrom<[number, number | undefined]>(
    [0, undefined],
    [-1, undefined],
    [-1, undefined],
    [0, 1],
    [0, 2],
    [1, undefined],
  ),
  changes: fc.array(change, { maxLength: 14 }),
  around,
});
type Recipe = typeof recipe extends fc.Arbitrary<infer T> ? T : never;

function lineOf({ path: index, parts, changes, around: [front, back] }: Recipe, paths: readonly Bytes[]): Bytes {
  const letters = (paths[index % paths.length] ?? '')
    .split('/')
    .slice(...parts)
    .join('/');
  const middle = Array.from(letters, (byte, at) => (byte === '\n' ? '?' : (changes[at]?.(byte) ?? byte))).join('');
  return front + middle + back;
}

const line = fc.oneof(
  { weight: 6, arbitrary: recipe },
  { weight: 1, arbitrary: fc.array(wild, { maxLength: 3 }).map((atoms) => atoms.join('')) },
);
const lines = fc.record({
  bom: fc.constantFrom('', '', '', '', '\u00ef\u00bb\u00bf'),
  rules: fc.array(line, { maxLength: 5 }),
  end: fc.constantFrom('\n', '\n', '\n', '\r\n'),
  last: fc.constantFrom('\n', ''),
});
type Lines = typeof lines extends fc.Arbitrary<infer T> ? T : never;

function textOf({ bom, rules, end, last }: Lines, paths: readonly Bytes[]): Bytes {
  const texts = rules.map((rule) => (typeof rule === 'string' ? rule : lineOf(rule, paths)));
  return bom + texts.join(end) + last;
}

/** One repository to ask git about. */
export interface IgnoreWorld {
  /** Files below the repository's top. */
  readonly paths: readonly Bytes[];
  /** Rule files by the folder they lie in; the top's is ''. */
  readonly gitignores: ReadonlyMap<Bytes, Bytes>;
  /** Folders whose `.gitignore` is a link to the named file. */
  readonly linked: ReadonlyMap<Bytes, Bytes>;
  readonly exclude: Bytes;
  readonly userExcludes: Bytes;
  readonly ignoreCase: boolean;
}

/** A tree with rules in all the places that git knows. */
export const ignoreWorld: fc.Arbitrary<IgnoreWorld> = fc
  .record({
    paths: fc.array(path, { minLength: 1, maxLength: 12 }),
    top: lines,
    nested: fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 2 }), lines, fc.nat({ max: 5 })), { maxLength: 2 }),
    exclude: fc.option(lines, { freq: 3 }),
    user: fc.option(lines, { freq: 3 }),
    ignoreCase: fc.constantFrom(false, false, false, true),
  })
  .map(({ paths, top, nested, exclude, user, ignoreCase }) => {
    const gitignores = new Map([['', textOf(top, paths)]]);
    const linked = new Map<Bytes, Bytes>();
    for (const [index, depth, rules, link] of nested) {
      const parts = (paths[index % paths.length] ?? '').split('/');
      if (parts.length <= depth) continue;
      const folder = parts.slice(0, depth).join('/');
      // Rules below are made of what lies below.
      const below = paths.filter((each) => each.startsWith(`${folder}/`)).map((each) => each.slice(folder.length + 1));
      gitignores.set(folder, textOf(rules, below));
      if (link === 0) linked.set(folder, 'rules-elsewhere');
    }
    const optional = (text: Lines | null): Bytes => (text ? textOf(text, paths) : '');
    return { paths, gitignores, linked, exclude: optional(exclude), userExcludes: optional(user), ignoreCase };
  });

/** Makes an empty repository, as git would, without starting git. */
export function makeRepository(top: Bytes, config = ''): void {
  for (const folder of ['objects', 'refs', 'info']) mkdirSync(bytes(`${top}/.git/${folder}`), { recursive: true });
  writeFileSync(bytes(`${top}/.git/HEAD`), 'ref: refs/heads/main\n');
  writeFileSync(bytes(`${top}/.git/config`), bytes(config));
}

/** Writes a file with its folders. Where a file is in the way of a folder, the later one is left out. */
export function put(file: Bytes, content: Bytes): boolean {
  try {
    mkdirSync(bytes(dirname(file)), { recursive: true });
    writeFileSync(bytes(file), bytes(content));
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EEXIST' || code === 'ENOTDIR' || code === 'EISDIR') return false;
    throw error;
  }
}

/** Plants a world: the repository in `top`, the user's files in `home`. */
export function plantWorld(world: IgnoreWorld, top: string, home: string): void {
  makeRepository(top, `[core]\n\tignorecase = ${world.ignoreCase}\n`);
  put(`${top}/.git/info/exclude`, world.exclude);
  put(`${home}/.config/git/ignore`, world.userExcludes);
  for (const file of world.paths) put(`${top}/${file}`, '');
  for (const [folder, rules] of world.gitignores) {
    const own = folder === '' ? top : `${top}/${folder}`;
    const target = world.linked.get(folder);
    if (!put(`${own}/${target ?? '.gitignore'}`, rules) || target === undefined) continue;
    symlinkSync(target, bytes(`${own}/.gitignore`));
  }
}
