/** A search with an index beside the real ripgrep, while files change: the same lines in the same files. */
import { chmodSync, linkSync, mkdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { recordConformance } from '@tenon/test-kit/conformance';
import { caseCount, COMMON_SEED } from '@tenon/test-kit/properties';
import { findRipgrep } from '@tenon/test-kit/ripgrep';
import { patientLimit, until } from '@tenon/test-kit/waiting';
import { afterAll, describe, expect, it } from 'vitest';
import { implementations } from '../src/index.ts';
import { ourRows, type Question, theirRows } from './beside-ripgrep.ts';
import { newFolder, plant, type Tree } from './scan-trees.ts';
import { well } from './search-worlds.ts';

const native = (await implementations('search')).find(({ kind }) => kind === 'native')?.implementation;
const ripgrep = findRipgrep();
const numRuns = caseCount(4);
const timeout = patientLimit(240_000 + numRuns * 10_000);

const WORDS = [
  'needle',
  'foo_bar',
  'useState',
  'Straße',
  'kelvin',
  'Kelvin',
  'taſk',
  'TASK',
  'éclair',
  'ÉCLAIR',
  '日本語',
  'İstanbul',
  'x=1;',
  'a-b-c',
  'class Rare',
  'TimeoutError',
  '0123456789_abcdefghijklmnopqrstuvwxyz_0123456789_abcdefghijklmnopqrstuvwxyz',
];
const word = fc.constantFrom(...WORDS);
const line = fc.array(fc.oneof(word, fc.constantFrom(' ', ';', '.', '(', ')', '\t', '😀', 'x')), { maxLength: 6 });
const ends = fc.constantFrom('\n', '\n', '\n', '\r\n');
const text = fc
  .array(fc.tuple(line, ends), { maxLength: 8 })
  .map((lines) => lines.map(([parts, end]) => parts.join('') + end).join(''));
/** So much text that a file has blocks of its own, in lines of any length, before and behind what counts. */
const filler = fc
  .tuple(
    fc.constantFrom('let value = compute(other, 12);', 'é ', 'ab;', 'plain words '),
    fc.constantFrom(5_000, 31_000, 33_000, 70_000, 140_000),
    fc.constantFrom('\n', '', '\r\n'),
  )
  .map(([part, length, end]) => `${part}${end}`.repeat(Math.ceil(length / (part.length + end.length))));
const long = fc.tuple(text, filler, text, filler, text).map((parts) => parts.join(''));
const content = fc.oneof(
  { weight: 6, arbitrary: text },
  { weight: 4, arbitrary: long },
  { weight: 1, arbitrary: long.map((body) => `\ufeff${body}`) },
  { weight: 1, arbitrary: long.map((body) => Buffer.from(`\ufeff${body}`, 'utf16le')) },
  { weight: 1, arbitrary: text.map((body) => Buffer.from(`\ufeff${body}`, 'utf16le').swap16()) },
  { weight: 1, arbitrary: text.map((body) => `${body}\0${body}`) },
  { weight: 1, arbitrary: text.map((body) => Buffer.from(body, 'latin1')) },
);
const FILES = 40;
const name = fc.nat({ max: FILES + 5 }).map((number) => `d${number % 4}/${number % 3 === 0 ? 'e/' : ''}${number}.ts`);
const files = fc
  .array(content, { minLength: FILES, maxLength: FILES })
  .map((contents): Tree =>
    Object.fromEntries(
      contents.map((body, number) => [`d${number % 4}/${number % 3 === 0 ? 'e/' : ''}${number}.ts`, body]),
    ),
  );

/** A part of a word, as people type it. */
const known = fc
  .tuple(
    word,
    fc.nat({ max: 60 }),
    fc.integer({ min: 1, max: 60 }),
    fc.constantFrom('as is', 'as is', 'upper', 'lower'),
  )
  .map(([whole, from, length, form]) => {
    const characters = [...whole];
    const start = from % characters.length;
    const part = characters.slice(start, start + length).join('');
    const typed = form === 'upper' ? part.toUpperCase() : form === 'lower' ? part.toLowerCase() : part;
    return typed.replaceAll(/[.()|+*?^$[\]{}\\]/g, '\\$&');
  });
const piece = fc.oneof(
  { weight: 6, arbitrary: known },
  { weight: 1, arbitrary: fc.tuple(known, known).map(([left, right]) => `(?:${left}|${right})`) },
  { weight: 1, arbitrary: known.map((part) => `(${part}|)`) },
  { weight: 1, arbitrary: known.map((part) => `(?i:${part})`) },
  { weight: 1, arbitrary: known.map((part) => `(?:${part})+`) },
  { weight: 1, arbitrary: fc.constantFrom('\\b', '\\B', '^', '$', '[kK]', '[a-f]', '\\w', '.', '\\b{start}') },
);
const between = fc.constantFrom('', '', '.*', '\\w*', '\\s+', '\\W', '[^;]*', '.?', '.{0,9}', '\\s*', '\\b');
const across = fc.constantFrom('', '.*', '\\n', '\\r?\\n', '[\\s\\S]*?', '\\s+', '[^;]+', '(?s:.)');
const row = (connection: fc.Arbitrary<string>) =>
  fc
    .tuple(piece, fc.array(fc.tuple(connection, piece), { maxLength: 3 }))
    .map(([first, rest]) => first + rest.map((parts) => parts.join('')).join(''));
const pattern = (connection: fc.Arbitrary<string>) =>
  fc.oneof(
    { weight: 4, arbitrary: row(connection) },
    { weight: 1, arbitrary: fc.tuple(row(connection), row(connection)).map((parts) => parts.join('|')) },
  );
const question = fc.record({
  asked: fc.oneof(
    { weight: 6, arbitrary: fc.record({ pattern: pattern(between), multiline: fc.constant(false) }) },
    { weight: 2, arbitrary: fc.record({ pattern: pattern(across), multiline: fc.constant(true) }) },
    { weight: 1, arbitrary: fc.record({ pattern: well, multiline: fc.constant(false) }) },
  ),
  ignoreCase: fc.boolean(),
  part: fc.constantFrom('', '', 'd1', 'd0/e'),
});
const change = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('write' as const), name, content }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), name }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('move', 'link', 'old', 'swap'), name, to: name }) },
);
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

describe.skipIf(!ripgrep || !native)(`search with an index beside ripgrep (seed ${COMMON_SEED})`, () => {
  const counts = { cases: 0, same: 0, refused: 0, different: 0, spared: 0 };
  afterAll(() =>
    recordConformance({ suite: 'search, native with an index', oracle: ripgrep?.version ?? '', ...counts }),
  );

  it('finds the same lines in the same files, whatever happens to them', { timeout }, async () => {
    const rounds = fc.array(
      fc.tuple(fc.array(change, { maxLength: 4 }), fc.array(question, { minLength: 3, maxLength: 9 })),
      { minLength: 2, maxLength: 5 },
    );
    await fc.assert(
      fc.asyncProperty(files, rounds, async (planted, happening) => {
        const tree = newFolder();
        const folder = newFolder();
        try {
          plant(tree, planted);
          await indexed(tree, folder, planted);
          for (const [changes, asked] of happening) {
            for (const each of changes) apply(tree, each);
            for (const each of asked) await compare(tree, folder, each);
          }
        } finally {
          for (const path of [tree, folder]) rmSync(path, { recursive: true, force: true });
        }
      }),
      { numRuns, endOnFailure: true },
    );
    expect(counts.spared).toBeGreaterThan(0);
  });

  const ask = (question: Question, folder: string) => {
    if (!native) throw new Error('the addon is needed');
    return native.grep({ ...question, gitignore: false, index: { folder, fromEntries: 1 } });
  };

  /** Files that changed right before an index is built are not trusted, so it is built of older ones. */
  async function indexed(path: string, folder: string, planted: Tree): Promise<void> {
    const newest = Math.max(...Object.keys(planted).map((file) => statSync(join(path, file)).ctimeMs));
    await until(() => Date.now() - newest > 100, 'older files');
    const nowhere = { path, pattern: 'nowhere_at_all', glob: [] };
    await until(async () => (await ask(nowhere, folder)).spared > 0, 'an index');
  }

  function apply(tree: string, change: Change): void {
    const path = join(tree, change.name);
    mkdirSync(dirname(path), { recursive: true });
    if ('content' in change) return writeFileSync(path, change.content);
    if (change.kind === 'swap') {
      // The folder of one file becomes that of another, and the other way round.
      const [one, other] = [join(tree, 'd0'), join(tree, 'd1')];
      renameSync(one, join(tree, 'between'));
      renameSync(other, one);
      return renameSync(join(tree, 'between'), other);
    }
    if (!statSync(path, { throwIfNoEntry: false })) return undefined;
    if (!('to' in change)) return rmSync(path);
    const to = join(tree, change.to);
    mkdirSync(dirname(to), { recursive: true });
    if (change.kind === 'move') return renameSync(path, to);
    if (change.kind === 'link') {
      if (statSync(to, { throwIfNoEntry: false })) return undefined;
      linkSync(path, to);
      return writeFileSync(to, 'needle through another name\n');
    }
    // Written, and then made to look as old as before.
    const { atime, mtime } = statSync(path);
    writeFileSync(path, 'useState of old\n');
    chmodSync(path, 0o600);
    return utimesSync(path, atime, new Date(mtime.getTime() - 1_000));
  }

  async function compare(
    tree: string,
    folder: string,
    { asked, ignoreCase, part }: typeof question extends fc.Arbitrary<infer T> ? T : never,
  ): Promise<void> {
    if (!ripgrep) throw new Error('ripgrep is needed');
    const path = join(tree, part);
    if (!statSync(path, { throwIfNoEntry: false })) return;
    const request: Question = {
      path,
      ...asked,
      ignoreCase,
      glob: [],
      limit: 1_000_000,
      perFileLimit: 1_000_000,
      maxColumns: 1_000_000,
    };
    counts.cases += 1;
    const expected = theirRows(ripgrep, request);
    if (!expected) {
      counts.refused += 1;
      await expect(ask(request, folder), asked.pattern).rejects.toMatchObject({ kind: 'failure' });
      return;
    }
    counts.different += 1;
    const result = await ask(request, folder);
    counts.spared += result.spared;
    const ours = ourRows(result, expected);
    // Of a match that spans hundreds of lines ours shows the first ones.
    if (asked.multiline) expect(Object.keys(ours).toSorted(), asked.pattern).toEqual(Object.keys(expected).toSorted());
    else expect(ours, JSON.stringify(request)).toEqual(expected);
    counts.different -= 1;
    counts.same += 1;
  }
});
