import { chmodSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { implementations } from '../src/index.ts';
import type { GrepOptions, GrepResult } from '../src/search/contract.ts';
import { newFolder, plant, unprivileged } from './scan-trees.ts';

const available = await implementations('search');

/** `path:number*text`, with a blank instead of the star for context. */
function rows(result: GrepResult): string[] {
  return result.files.flatMap((file) =>
    file.lines.map((line) => `${file.path}:${line.number}${line.match ? '*' : ' '}${line.text}`),
  );
}

describe.each(available)('$kind search', ({ implementation: search }) => {
  let root: string;
  beforeEach(() => {
    root = newFolder();
  });
  afterEach(() => {
    rmSync(root, { recursive: true, force: true });
  });
  const grep = (pattern: string, options: Partial<GrepOptions> = {}): Promise<GrepResult> =>
    search.grep({ path: root, pattern, ...options });

  it('finds lines in path order, with columns in UTF-16 units', async () => {
    plant(root, { 'b.ts': 'x\n😀 needle\r\n', 'a/z.ts': 'needle', '.hid': 'needle' });
    const result = await grep('needle');
    expect(rows(result)).toEqual(['.hid:1*needle', 'a/z.ts:1*needle', 'b.ts:2*😀 needle']);
    expect(result.files[2]?.lines[0]?.column).toBe(4);
    expect(result).toMatchObject({ matches: 3, limited: false, searched: 3, binary: 0 });
  });

  it('takes code that was typed as a pattern for what it is, and says so', async () => {
    plant(root, { a: 'const s = `${name}`;\nuseState(0)\ninterface {}\n' });
    expect(rows(await grep('${name}'))).toEqual(['a:1*const s = `${name}`;']);
    const result = await grep('useState(');
    expect(rows(result)).toEqual(['a:2*useState(0)']);
    expect(result.repaired).toBe('useState\\(');
    expect(rows(await grep('interface {}'))).toEqual(['a:3*interface {}']);
  });

  it('refuses look-around, back-references and the empty pattern with advice', async () => {
    await expect(grep('(?<=a)b')).rejects.toThrow(/look-around .* filter the results/);
    await expect(grep('(a)\\1')).rejects.toThrow(/back-references .* filter the results/);
    await expect(grep('')).rejects.toThrow(/pattern is empty/);
    await expect(grep('[a')).rejects.toThrow(/invalid pattern/);
  });

  it('deals a limit over the files before any file gets a second turn, and pages fit together', async () => {
    plant(root, { a: 'x\nx\nx\n', b: 'x\n', c: 'x\nx\n' });
    const first = await grep('x', { limit: 4 });
    expect(first.files.map((file) => [file.path, file.matches, file.more])).toEqual([
      ['a', 2, true],
      ['b', 1, false],
      ['c', 1, true],
    ]);
    expect(first.limited).toBe(true);
    const second = await grep('x', { limit: 4, offset: 4 });
    expect(rows(second)).toEqual(['a:3*x', 'c:2*x']);
    expect(second.limited).toBe(false);
  });

  it('gives the same answer with a limit every time, however many files match', async () => {
    plant(root, Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`f${index}`, 'x\nx\n'])));
    const answers = await Promise.all(Array.from({ length: 5 }, () => grep('x', { limit: 50 })));
    const texts = new Set(answers.map((answer) => JSON.stringify(rows(answer))));
    expect(texts.size).toBe(1);
    expect(answers[0]?.matches).toBe(50);
  });

  it('shows context lines once and marks them', async () => {
    plant(root, { a: '1\nx\n3\nx\n5\n6\n' });
    expect(rows(await grep('x', { before: 1, after: 1 }))).toEqual(['a:1 1', 'a:2*x', 'a:3 3', 'a:4*x', 'a:5 5']);
  });

  it('cuts long lines around the match', async () => {
    plant(root, { a: `${'-'.repeat(500)}needle${'-'.repeat(500)}` });
    const line = (await grep('needle', { maxColumns: 40 })).files[0]?.lines[0];
    expect(line?.text).toBe(`${'-'.repeat(10)}needle${'-'.repeat(24)}`);
    expect(line).toMatchObject({ column: 501, cut: 490 });
  });

  it('matches across lines when the pattern names a line break', async () => {
    plant(root, { a: 'one\r\ntwo\nthree\n' });
    expect(rows(await grep('one\\r?\\ntwo'))).toEqual(['a:1*one', 'a:2*two']);
    expect(rows(await grep('two[\\s\\S]*e', { multiline: true }))).toEqual(['a:2*two', 'a:3*three']);
    expect(rows(await grep('two\\s*three'))).toEqual([]);
  });

  it('finds a match that begins on the line where the last one ended', async () => {
    plant(root, { a: 'abc\ndefabc\ndef\nx\n' });
    expect(rows(await grep('abc\\ndef', { after: 1 }))).toEqual(['a:1*abc', 'a:2*defabc', 'a:3*def', 'a:4 x']);
    plant(root, { a: 'aab\nc\n' });
    expect(rows(await grep('a|b\\nc'))).toEqual(['a:1*aab', 'a:2*c']);
  });

  it('takes no longer for many matches on one line when they may span lines', async () => {
    plant(root, { a: `${'ab'.repeat(500_000)}\nb` });
    const result = await grep('a|\\nb', { maxColumns: 5, timeoutMs: 20_000 });
    expect(rows(result)).toEqual(['a:1*ababa', 'a:2*b']);
  });

  it('gives only files, or counts', async () => {
    plant(root, { a: 'x\nx\n', b: 'y', c: 'x' });
    const files = await grep('x', { mode: 'files' });
    expect(files.files.map((file) => file.path)).toEqual(['a', 'c']);
    const counts = await grep('x', { mode: 'count' });
    expect(counts.files.map((file) => [file.path, file.matches])).toEqual([
      ['a', 2],
      ['c', 1],
    ]);
  });

  it('reads UTF-16 with a mark, leaves binary files, and does not follow links', async () => {
    plant(root, {
      little: Buffer.from('\ufeffgrün needle\n', 'utf16le'),
      big: Buffer.from('\ufeffneedle', 'utf16le').swap16(),
      binary: 'needle\0needle',
    });
    symlinkSync('little', join(root, 'link'));
    const result = await grep('needle');
    expect(rows(result)).toEqual(['big:1*needle', 'little:1*grün needle']);
    expect(result.binary).toBe(1);
  });

  it('reports files that are too large instead of skipping them silently', async () => {
    plant(root, { big: 'needle\n'.repeat(100), small: 'needle' });
    const result = await grep('needle', { maxFileBytes: 50 });
    expect(result.problems).toEqual([{ path: 'big', reason: 'larger than 50 bytes; raise maxFileBytes to search it' }]);
    expect(rows(result)).toEqual(['small:1*needle']);
  });

  it.skipIf(!process.geteuid)('reports files that cannot be read', async () => {
    plant(root, { closed: 'needle', open: 'needle' });
    chmodSync(root, 0o755);
    chmodSync(join(root, 'closed'), 0);
    const result = await unprivileged(() => grep('needle'));
    expect(result.problems).toEqual([{ path: 'closed', reason: 'permission denied' }]);
    expect(rows(result)).toEqual(['open:1*needle']);
  });

  it('searches a single file that is named directly, even a hidden or ignored one', async () => {
    plant(root, { '.gitignore': '*', '.secret': 'needle' });
    const result = await grep('needle', { path: join(root, '.secret') });
    expect(rows(result)).toEqual(['.secret:1*needle']);
    expect(result.scan).toBeUndefined();
  });

  it('searches a link that is named directly, under its own name', async () => {
    plant(root, { 'd/real.txt': 'needle' });
    symlinkSync('d/real.txt', join(root, 'link'));
    symlinkSync('link', join(root, 'second'));
    for (const name of ['link', 'second']) {
      const result = await grep('needle', { path: join(root, name) });
      expect(rows(result)).toEqual([`${name}:1*needle`]);
      expect(result.problems).toEqual([]);
    }
  });

  it('keeps results within the byte budget and says that there is more', async () => {
    plant(root, { a: 'needle\n'.repeat(1000) });
    const result = await grep('needle', { maxBytes: 2000 });
    expect(result.limited).toBe(true);
    expect(result.matches).toBeGreaterThan(10);
    expect(result.matches).toBeLessThan(100);
  });

  it('answers from a cached list of files', async () => {
    plant(root, { a: 'needle' });
    await grep('needle', { cache: true });
    const result = await grep('needle', { cache: true });
    expect(result.scan?.source).not.toBe('walk');
    expect(result.matches).toBe(1);
  });

  it.each([
    ['é*F', 'é'],
    ['(x+x+)+y', 'x'],
    ['(x*)*y', 'x'],
    ['(x|xx)+?y', 'x'],
    ['(x?){20}x{20}y', 'x'],
    ['(?i)\\w*\\d', 'x'],
    ['x.*x.*x.*y', 'x'],
  ])('gets through a line of 200,000 letters with %s', async (pattern, letter) => {
    plant(root, { a: `${letter.repeat(200_000)}\n${'x'.repeat(30)}y éF x1\n` });
    expect(rows(await grep(pattern, { maxColumns: 3 }))).toEqual([expect.stringMatching(/^a:2\*/)]);
  });

  it('ends soon after its signal, also in the middle of one large file', async () => {
    plant(root, { a: '-'.repeat(60_000_000) });
    const controller = new AbortController();
    const reason = new Error('changed my mind');
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
      if (turns === 2) controller.abort(reason);
    }, 1);
    try {
      // Each character may begin and end many matches, of which none is complete.
      await expect(grep('(-+-+){3,40}x', { signal: controller.signal })).rejects.toBe(reason);
    } finally {
      clearInterval(timer);
    }
  });

  it('rejects with the reason of an aborted signal', async () => {
    const reason = new Error('changed my mind');
    await expect(grep('x', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});
