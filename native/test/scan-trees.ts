/** Trees on disk for the scan and search suites. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';

/** Paths and contents; a path that ends in `/` is an empty folder. */
export type Tree = Readonly<Record<string, string | Uint8Array>>;

/** A new folder that the caller removes. */
export function newFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'tenon-scan-')));
}

/** Writes a tree below a folder. Where a file is in the way of a folder, the later one is left out. */
export function plant(root: string, tree: Tree): void {
  for (const [path, content] of Object.entries(tree)) {
    const full = join(root, path);
    try {
      mkdirSync(path.endsWith('/') ? full : dirname(full), { recursive: true });
      if (!path.endsWith('/')) writeFileSync(full, content);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code !== 'EEXIST' && code !== 'ENOTDIR' && code !== 'EISDIR') throw error;
    }
  }
}

/** Runs with a tree that is gone afterwards. */
export async function withTree<T>(tree: Tree, run: (root: string) => Promise<T>): Promise<T> {
  const root = newFolder();
  try {
    plant(root, tree);
    return await run(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

const NOBODY = 65_534;

/** Runs without the rights of the superuser, who can read everything; other users run as they are. */
export async function unprivileged<T>(run: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return run();
  const home = process.env['HOME'];
  // The superuser's home is closed to others, so the global excludes there would be reported as well.
  process.env['HOME'] = tmpdir();
  process.seteuid?.(NOBODY);
  try {
    return await run();
  } finally {
    process.seteuid?.(0);
    if (home === undefined) delete process.env['HOME'];
    else process.env['HOME'] = home;
  }
}

/** Few different names, so that rules and patterns hit. */
const name = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('a', 'b', 'ab', 'foo', 'bar', 'foo.ts', 'b.log', 'a.b.c', 'Foo', 'foo-bar') },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '.hidden',
      'node_modules',
      '.ignore',
      '.gitignore',
      'a b',
      'x[1]',
      'é.ts',
      '日本',
      '😀.log',
      '#a',
      '!b',
      'a*b',
      '{a}',
      '\ue000z',
    ),
  },
);

const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));

const ruleAtom = fc.constantFrom(
  'a',
  'b',
  'foo',
  'bar',
  '.ts',
  '.log',
  '*',
  '*',
  '**',
  '?',
  '[ab]',
  '[!a]',
  '[^b]',
  '[a-c]',
  '\\*',
  ' ',
  'é',
  '-',
  '.',
  '#',
  '!',
  '{a}',
  '\\#',
);
const ruleBody = fc
  .array(
    fc.array(ruleAtom, { minLength: 1, maxLength: 3 }).map((atoms) => atoms.join('')),
    { minLength: 1, maxLength: 3 },
  )
  .map((parts) => parts.join('/'));

const rule = fc
  .tuple(
    fc.constantFrom('', '', '', '!'),
    fc.constantFrom('', '', '/', '**/'),
    ruleBody,
    fc.constantFrom('', '', '/', '/**', '/*', ' '),
  )
  .map((parts) => parts.join(''));

const rules = fc.array(rule, { maxLength: 5 }).map((lines) => `${lines.join('\n')}\n`);

/** A tree with rule files in some folders. */
export const tree: fc.Arbitrary<Tree> = fc
  .tuple(
    fc.array(path, { minLength: 1, maxLength: 14 }),
    rules,
    fc.array(
      fc.tuple(fc.array(name, { maxLength: 2 }), fc.constantFrom('.gitignore', '.gitignore', '.ignore'), rules),
      { maxLength: 2 },
    ),
  )
  .map(([paths, top, nested]) => ({
    '.gitignore': top,
    ...Object.fromEntries(paths.map((file) => [file, ''])),
    ...Object.fromEntries(nested.map(([folder, file, lines]) => [[...folder, file].join('/'), lines])),
  }));

const globAtom = fc.constantFrom(
  'a',
  'b',
  'foo',
  '.ts',
  '.log',
  '*',
  '*',
  '**',
  '?',
  '[ab]',
  '[!a]',
  '[a-',
  '[',
  ']',
  '{a,b}',
  '{foo,b.l}og',
  '{',
  '}',
  ',',
  '\\',
  'é',
  '.',
  '/',
  '/',
  '**/',
  '{a,b/{c,foo}}',
  '[z-a]',
  '[.-0]',
);

/** A glob of the dialect, closed or not. */
export const glob = fc
  .tuple(
    fc.constantFrom('', '', '', '!', './', '/'),
    fc.array(globAtom, { minLength: 1, maxLength: 5 }),
    fc.constantFrom('', '', '', '/'),
  )
  .map(([front, atoms, back]) => front + atoms.join('') + back);
