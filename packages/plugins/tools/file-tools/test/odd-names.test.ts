/** Names with blanks, quotes, colons and the like: a file is changed under its own name only, in every tool and mode. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanPath, unwrapPath } from '@tenon/tools/api';
import { caseCount } from '@tenon/test-kit/properties';
import { openWorkbench, textOf, type Workbench } from '@tenon/test-kit/workbench';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const MODES = ['hashline', 'replace', 'patch', 'apply_patch', 'vim'] as const;
const CONTENT = 'one\ntwo\nthree\n';

/** An edit that replaces the second line of the file. */
function editOf(mode: (typeof MODES)[number], path: string, anchor: string): Record<string, unknown> {
  if (mode === 'hashline') return { input: `@@ ${path}\n= ${anchor}..${anchor}\n~NEW\n` };
  if (mode === 'replace') return { path, edits: [{ old_text: 'two', new_text: 'NEW' }] };
  if (mode === 'patch') return { path, edits: [{ op: 'update', diff: '@@\n one\n-two\n+NEW\n' }] };
  if (mode === 'vim') return { file: path, steps: [{ kbd: [':2s/two/NEW/\n'] }] };
  return { input: `*** Begin Patch\n*** Update File: ${path}\n@@\n one\n-two\n+NEW\n*** End Patch\n` };
}

const name = fc
  .tuple(
    fc.constantFrom('', '', ' ', '  ', '\t', '"', "'", '~', '@', './', '\u00a0'),
    fc.constantFrom('x', 'x', 'é', 'e\u0301', 'a b', 'x.txt', '-'),
    fc.constantFrom('', '', ' ', '\n', '\r', '\t', '.', ':12', '%20', '"', "'", '\\', ':raw', '\u00a0'),
  )
  .map((parts) => parts.join(''));

let benches: Map<string, Workbench>;
beforeAll(async () => {
  benches = new Map();
  for (const mode of MODES)
    benches.set(
      mode,
      await openWorkbench(['file-tools', 'documents', 'search-tools'], {
        settings: { 'file-tools': { edit: { mode } } },
      }),
    );
});
afterAll(async () => {
  for (const bench of benches.values()) await bench.dispose();
});

function benchOf(mode: string): Workbench {
  const bench = benches.get(mode);
  if (!bench) throw new Error(`no bench for ${mode}`);
  return bench;
}

/** The project holds these files only, all with the same content: nothing but the name tells them apart. */
function put(bench: Workbench, names: readonly string[]): void {
  for (const each of namesIn(bench)) rmSync(bench.path(each), { recursive: true });
  for (const each of names) writeFileSync(join(bench.root, each), CONTENT);
}

function namesIn(bench: Workbench): string[] {
  return readdirSync(bench.root).filter((each) => each !== '.git');
}

function contentsOf(bench: Workbench): Record<string, string> {
  return Object.fromEntries(namesIn(bench).map((each) => [each, readFileSync(join(bench.root, each), 'utf8')]));
}

/** The forms of a name that stand for the same file: composed and decomposed letters. */
const composed = (text: string): string => text.normalize('NFC');

/** Checks what became of the files when a call named one of them. */
function check(
  given: string,
  before: readonly string[],
  after: Record<string, string>,
  isTrimmedByForm: (text: string) => string,
): void {
  const changed = before.filter((each) => after[each] !== CONTENT);
  const exact = before.find((each) => each === given.replace(/^\.\//, ''));
  if (exact !== undefined) {
    expect(changed.filter((each) => each !== exact)).toEqual([]);
    return;
  }
  // Quotes, `./` and the way letters are composed are no part of the name; blanks are.
  const allowed = [unwrapPath(given), isTrimmedByForm(given), unwrapPath(isTrimmedByForm(given))].map((text) =>
    composed(text.replace(/^\.\//, '')),
  );
  for (const each of changed)
    expect(allowed, `${JSON.stringify(given)} changed ${JSON.stringify(each)}`).toContain(composed(each));
}

/** Blanks around the name belong to the form in a header line, where no file has such a name. */
const FORMS: Readonly<Record<string, (text: string) => string>> = {
  hashline: (text) => (text.split('\n')[0] ?? '').trim(),
  apply_patch: (text) => (text.split('\n')[0] ?? '').trimEnd(),
};

const call = fc.record({
  names: fc.uniqueArray(name, { minLength: 1, maxLength: 5 }),
  other: name,
  isThere: fc.boolean(),
});

describe('odd names', () => {
  it.each(MODES)('are edited under their own name only (%s)', async (mode) => {
    const bench = benchOf(mode);
    let session = 0;
    await fc.assert(
      fc.asyncProperty(call, async ({ names, other, isThere }) => {
        const given = isThere ? (names[0] ?? other) : other;
        const there = [...new Set(names.map((each) => each.replace(/^\.\//, '')))];
        put(bench, there);
        session++;
        const seen = await Promise.all(
          there.map((each) => bench.ok('read', { path: bench.path(each) }, `s${session}`)),
        );
        const anchor = /^2[a-z]+/m.exec(seen[0] ?? '')?.[0] ?? '';
        const result = await bench.run('edit', editOf(mode, given, anchor), { session: `s${session}` });
        const after = contentsOf(bench);
        check(given, there, after, FORMS[mode] ?? ((text) => text));
        const isSame = there.every((each) => after[each] === CONTENT);
        // A name with a line break cannot be written in a header.
        const isSayable = FORMS[mode] === undefined || !/[\r\n]/.test(given);
        if (result.isError) expect(isSame, textOf(result)).toBe(true);
        if (isSayable && isThere) expect(after[given.replace(/^\.\//, '')], textOf(result)).toBe('one\nNEW\nthree\n');
      }),
      { numRuns: caseCount(60) },
    );
  });

  it('are written under their own name only', async () => {
    const bench = benchOf('replace');
    let session = 0;
    await fc.assert(
      fc.asyncProperty(call, async ({ names, other, isThere }) => {
        const given = isThere ? (names[0] ?? other) : other;
        const there = [...new Set(names.map((each) => each.replace(/^\.\//, '')))];
        put(bench, there);
        const result = await bench.run('write', { path: given, content: 'NEW\n' }, { session: `w${session++}` });
        const after = contentsOf(bench);
        check(given, there, after, (text) => text);
        if (result.isError) expect(after).toEqual(Object.fromEntries(there.map((each) => [each, CONTENT])));
        if (isThere) expect(after[given.replace(/^\.\//, '')], textOf(result)).toBe('NEW\n');
      }),
      { numRuns: caseCount(60) },
    );
  });

  it('are read and searched under their own name; without the blanks at its ends only if that is said', async () => {
    const bench = benchOf('replace');
    await fc.assert(
      fc.asyncProperty(call, async ({ names, other, isThere }) => {
        const given = isThere ? (names[0] ?? other) : other;
        const there = [...new Set(names.map((each) => each.replace(/^\.\//, '')))];
        put(bench, there);
        for (const each of there) writeFileSync(join(bench.root, each), `name ${JSON.stringify(each)}\n`);
        const literal = given.replace(/^\.\//, '');
        const result = textOf(await bench.run('read', { path: given }));
        if (there.includes(literal)) {
          expect(result).toContain(`name ${JSON.stringify(literal)}`);
          expect(await bench.ok('search', { pattern: 'name', paths: [given] })).toContain(
            `name ${JSON.stringify(literal)}`,
          );
        } else if (given !== given.trim() && there.includes(cleanPath(given)) && !there.includes(unwrapPath(given))) {
          expect(result).toMatch(/There is no ".*" with the blanks at its ends/s);
        }
      }),
      { numRuns: caseCount(60) },
    );
  });

  it('are refused where a slip would change another file or make an odd one', async () => {
    const bench = benchOf('replace');
    put(bench, ['x']);
    const fails = (path: string) => bench.fails('write', { path, content: 'NEW\n' });
    expect(await fails('x\n')).toBe(
      'There is no file "x\\n", with blanks or line breaks at an end of its name. Nothing was changed. If "x" is meant, give the path without them.',
    );
    expect(await fails(' x')).toMatch(/^There is no file " x"/);
    expect(await fails('new.txt\n')).toMatch(/If "new\.txt" is meant/);
    expect(await fails('folder/')).toMatch(/ends with a slash/);
    expect(await bench.ok('write', { path: '"quoted.txt"', content: 'NEW\n' })).toMatch(/^Created quoted\.txt/);
    expect(await bench.ok('write', { path: ' y', content: 'NEW\n' })).toMatch(/^Created  y/);
    expect(contentsOf(bench)).toEqual({ x: CONTENT, 'quoted.txt': 'NEW\n', ' y': 'NEW\n' });
  });
});
