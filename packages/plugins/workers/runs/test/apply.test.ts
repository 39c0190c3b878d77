/** Taking the work of a run over, with a real git. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gitIn, gitRepository } from '@tenon/test-kit/git-repository';
import { caseCount } from '@tenon/test-kit/properties';
import { putFiles, temporaryFolder } from '@tenon/test-kit/temporary';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { applyRun } from '../src/apply/apply.ts';
import type { RunsParts } from '../src/parts.ts';
import type { Run } from '../src/run.ts';

const LINES = Array.from({ length: 20 }, (_, at) => `line ${at}\n`);
let checkout: string;
let worktree: string;
let run: Run;

beforeEach(() => {
  const base = temporaryFolder('apply');
  [checkout, worktree] = [join(base, 'shop'), join(base, 'work')];
  gitRepository(checkout, { 'a.txt': LINES.join(''), 'b.txt': 'b\n', 'src/c.txt': 'c\n', '.gitignore': 'build\n' });
  gitIn(checkout, 'worktree', 'add', '-q', '-b', 'tenon/x', worktree);
  const start = gitIn(checkout, 'rev-parse', 'HEAD').trim();
  run = {
    alias: 'brisk-otter',
    state: 'done',
    request: { cwd: join(checkout, 'src') },
    worktree: { name: 'x', folder: worktree, base: start },
  } as Run;
});

const apply = () => applyRun({} as RunsParts, run);
const read = (path: string) => readFileSync(join(checkout, path), 'utf8');
const changed = (line: number, text: string) => LINES.with(line, `${text}\n`).join('');

describe('the work of a run is taken over', () => {
  test('committed or not: changes, new files, deletions, modes, links and binaries', async () => {
    putFiles(worktree, { 'a.txt': changed(0, 'by the worker'), 'new/d.bin': new Uint8Array([0, 255, 1, 10, 0]) });
    gitIn(worktree, 'add', '-A');
    gitIn(worktree, 'commit', '-qm', 'work');
    rmSync(join(worktree, 'b.txt'));
    putFiles(worktree, { 'tool.sh': '#!/bin/sh\n', build: 'ignored' });
    chmodSync(join(worktree, 'tool.sh'), 0o755);
    symlinkSync('a.txt', join(worktree, 'link'));
    const { files, text } = await apply();
    expect([...files].sort()).toEqual(['a.txt', 'b.txt', 'link', 'new/d.bin', 'tool.sh']);
    expect(text).toBe(`5 files of brisk-otter were taken over into ${checkout}.`);
    expect(read('a.txt')).toBe(changed(0, 'by the worker'));
    expect(readFileSync(join(checkout, 'new/d.bin'))).toEqual(Buffer.from([0, 255, 1, 10, 0]));
    expect([existsSync(join(checkout, 'b.txt')), existsSync(join(checkout, 'build'))]).toEqual([false, false]);
    expect(statSync(join(checkout, 'tool.sh')).mode & 0o111).not.toBe(0);
    expect(gitIn(checkout, 'diff', '--cached', '--name-only')).toBe('');
  });

  test('beside changes of the user in other lines and files, which stay', async () => {
    putFiles(worktree, { 'a.txt': changed(0, 'by the worker') });
    putFiles(checkout, { 'a.txt': changed(19, 'by the user'), 'own.txt': 'own' });
    gitIn(checkout, 'add', 'own.txt');
    await apply();
    expect(read('a.txt')).toBe(LINES.with(0, 'by the worker\n').with(19, 'by the user\n').join(''));
    expect(gitIn(checkout, 'diff', '--cached', '--name-only').trim()).toBe('own.txt');
  });

  test('after the user has committed more', async () => {
    putFiles(worktree, { 'a.txt': changed(0, 'by the worker') });
    putFiles(checkout, { 'a.txt': changed(19, 'later') });
    gitIn(checkout, 'commit', '-qam', 'later');
    await apply();
    expect(read('a.txt')).toContain('by the worker');
    expect(read('a.txt')).toContain('later');
  });

  test('a second time changes nothing and says so', async () => {
    putFiles(worktree, { 'a.txt': changed(0, 'by the worker') });
    await apply();
    expect((await apply()).text).toBe(`1 file of brisk-otter is in ${checkout} already.`);
    expect(read('a.txt')).toBe(changed(0, 'by the worker'));
  });
});

describe('nothing is changed', () => {
  test('when both changed the same lines; the files are named', async () => {
    putFiles(worktree, { 'a.txt': changed(0, 'by the worker'), 'b.txt': 'new b\n' });
    putFiles(checkout, { 'a.txt': changed(0, 'by the user') });
    await expect(apply()).rejects.toThrow('a.txt was changed there, too. Nothing was changed.');
    expect([read('a.txt'), read('b.txt')]).toEqual([changed(0, 'by the user'), 'b\n']);
    expect(gitIn(checkout, 'status', '--porcelain').trim()).toBe('M a.txt');
  });

  test('when a new file of both has the same name', async () => {
    putFiles(worktree, { 'new.txt': 'one\n' });
    putFiles(checkout, { 'new.txt': 'two\n' });
    await expect(apply()).rejects.toMatchObject({ code: 'RUNS_APPLY_CONFLICT' });
    expect(read('new.txt')).toBe('two\n');
  });

  test('when the worker has made a repository inside of the repository', async () => {
    mkdirSync(join(worktree, 'nested'));
    gitRepository(join(worktree, 'nested'), { 'x.txt': 'x' });
    await expect(apply()).rejects.toThrow('a repository inside of the repository changed: nested');
    expect(existsSync(join(checkout, 'nested'))).toBe(false);
  });

  test('when a file that git ignores in the checkout is in the way', async () => {
    putFiles(worktree, { '.gitignore': '', build: 'from the worker\n' });
    putFiles(checkout, { build: 'mine\n' });
    await expect(apply()).rejects.toMatchObject({ code: 'RUNS_APPLY_GIT' });
    expect([read('build'), read('.gitignore')]).toEqual(['mine\n', 'build\n']);
  });

  test('when the run has done nothing, or has no worktree', async () => {
    expect(await apply()).toEqual({ files: [], text: 'brisk-otter has changed nothing.' });
    const { worktree: _none, ...without } = run;
    await expect(applyRun({} as RunsParts, without as Run)).rejects.toMatchObject({ code: 'RUNS_STATE' });
  });
});

test('a repository that the worker has made and committed runs nothing, and is refused', async () => {
  const mark = join(checkout, '../was-run');
  const nested = join(worktree, 'nested');
  gitRepository(nested, { '.gitattributes': '* filter=evil\n', 'x.txt': 'x\n' });
  gitIn(worktree, 'add', 'nested');
  gitIn(worktree, 'commit', '-qm', 'link');
  gitIn(nested, 'config', 'filter.evil.clean', `touch ${mark}; cat`);
  writeFileSync(join(nested, 'x.txt'), 'changed after the commit\n');
  await expect(apply()).rejects.toThrow('a repository inside of the repository changed: nested');
  expect(existsSync(mark)).toBe(false);
});

test('hooks and programs that the repository names are not run', async () => {
  const mark = join(checkout, '../was-run');
  writeFileSync(join(checkout, '.git/hooks/post-index-change'), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
  gitIn(checkout, 'config', 'core.fsmonitor', `touch ${mark}`);
  putFiles(worktree, { 'b.txt': 'changed\n' });
  await apply();
  expect(existsSync(mark)).toBe(false);
});

test('the result is the merge of both changes, or nothing has changed', async () => {
  const edits = fc.dictionary(fc.integer({ min: 0, max: 19 }).map(String), fc.constantFrom('x', 'y'), { maxKeys: 4 });
  const edited = (by: Record<string, string>) =>
    LINES.map((line, at) => (by[at] === undefined ? line : `${by[at]} ${at}\n`)).join('');
  await fc.assert(
    fc.asyncProperty(edits, edits, async (theirs, ours) => {
      writeFileSync(join(worktree, 'a.txt'), edited(theirs));
      writeFileSync(join(checkout, 'a.txt'), edited(ours));
      const isApart = Object.keys(theirs).every((at) => ours[at] === undefined || ours[at] === theirs[at]);
      try {
        await apply();
        expect(isApart).toBe(true);
        expect(read('a.txt')).toBe(edited({ ...ours, ...theirs }));
      } catch (fault) {
        // git also refuses to merge lines that stand beside each other.
        expect(fault).toMatchObject({ code: 'RUNS_APPLY_CONFLICT' });
        expect(read('a.txt')).toBe(edited(ours));
      }
    }),
    { numRuns: caseCount(25) },
  );
});
