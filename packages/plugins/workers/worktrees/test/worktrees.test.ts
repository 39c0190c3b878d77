/** Worktrees with a real git. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gitIn, gitRepository } from '@tenon/test-kit/git-repository';
import { later, temporaryFolder } from '@tenon/test-kit/temporary';
import { thisProcess } from '@tenon/state-files';
import fc from 'fast-check';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Worktree, Worktrees } from '../src/api.ts';
import { enterWorktree, worktreeFlag } from '../src/enter.ts';
import { changeRecord } from '../src/records.ts';
import { changesIn } from '../src/status.ts';
import { createWorktrees } from '../src/worktrees.ts';

let base: string;
let repository: string;
let service: Worktrees;
let git: (...args: string[]) => string;

beforeEach(() => {
  base = temporaryFolder('worktrees');
  repository = join(base, 'shop');
  git = gitRepository(repository, { 'a.txt': 'one\n', 'src/b.txt': 'two\n', '.gitignore': 'ignored\n' });
  service = createWorktrees({ data: join(base, 'data') });
});

const head = (folder: string) => gitIn(folder, 'rev-parse', 'HEAD').trim();
const commit = (folder: string, file: string) => {
  writeFileSync(join(folder, file), file);
  gitIn(folder, 'add', '-A');
  gitIn(folder, 'commit', '-q', '-m', file);
};

describe('a new worktree', () => {
  test('has the files of the last commit on a branch of its own, outside of the repository and of the data folder', async () => {
    const { worktree, isReused, notices } = await service.create(repository, 'fix-login');
    expect(worktree).toMatchObject({ name: 'fix-login', branch: 'tenon/fix-login', base: head(repository) });
    expect(worktree.folder).toMatch(/\/tenon-worktrees\/shop-[0-9a-f]{8}\/fix-login$/);
    expect(readFileSync(join(worktree.folder, 'src/b.txt'), 'utf8')).toBe('two\n');
    expect(gitIn(worktree.folder, 'branch', '--show-current').trim()).toBe('tenon/fix-login');
    expect([isReused, notices]).toEqual([false, []]);
    expect(git('status', '--porcelain')).toBe('');
  });

  test('gets a name when nobody gives one', async () => {
    const { worktree } = await service.create(repository);
    expect(worktree.name).toMatch(/^\d{8}-\d{6}-[a-z0-9]{3}$/);
  });

  test('leaves uncommitted changes where they are and says so', async () => {
    writeFileSync(join(repository, 'a.txt'), 'changed\n');
    writeFileSync(join(repository, 'new.txt'), 'new\n');
    const { worktree, notices } = await service.create(repository, 'x');
    expect(notices.join()).toContain('uncommitted changes (2)');
    expect(readFileSync(join(worktree.folder, 'a.txt'), 'utf8')).toBe('one\n');
    expect(readFileSync(join(repository, 'a.txt'), 'utf8')).toBe('changed\n');
  });

  test('starts from the commit of a detached HEAD', async () => {
    const first = head(repository);
    commit(repository, 'later.txt');
    git('checkout', '-q', '--detach', first);
    const { worktree } = await service.create(repository, 'x');
    expect(worktree.base).toBe(first);
    expect(existsSync(join(worktree.folder, 'later.txt'))).toBe(false);
  });

  test('of a linked worktree belongs to the same repository and starts where that one is', async () => {
    git('worktree', 'add', '-q', '-b', 'other', join(base, 'linked'));
    commit(join(base, 'linked'), 'there.txt');
    const { worktree } = await service.create(join(base, 'linked'), 'x');
    expect(worktree.repository).toBe(realpathSync(join(repository, '.git')));
    expect(existsSync(join(worktree.folder, 'there.txt'))).toBe(true);
    const nested = await service.create(worktree.folder, 'y');
    expect((await service.list(repository)).map(({ name }) => name)).toEqual(['x', 'y']);
    expect(nested.worktree.folder).not.toContain(worktree.folder);
  });

  test('can be made of a bare repository', async () => {
    git('clone', '-q', '--bare', repository, join(base, 'bare.git'));
    const { worktree } = await service.create(join(base, 'bare.git'), 'x');
    expect(existsSync(join(worktree.folder, 'a.txt'))).toBe(true);
    expect(worktree.folder).toContain('/bare-');
    expect((await service.release(worktree)).isRemoved).toBe(true);
  });

  test('needs a repository with a commit, and a name that git takes', async () => {
    mkdirSync(join(base, 'plain'));
    await expect(service.create(join(base, 'plain'), 'x')).rejects.toMatchObject({ code: 'WORKTREES_NO_REPOSITORY' });
    gitIn(join(base, 'plain'), 'init', '-q');
    await expect(service.create(join(base, 'plain'), 'x')).rejects.toMatchObject({ code: 'WORKTREES_NO_COMMIT' });
    for (const name of ['', '../x', 'a/b', '-x', '.x', 'a..b', 'x.lock', 'x.', 'a b', 'a~1'])
      await expect(service.create(repository, name), name).rejects.toMatchObject({ code: 'WORKTREES_NAME' });
    expect(await service.list()).toEqual([]);
  });

  test('takes no branch and no folder that somebody else has made', async () => {
    git('branch', 'tenon/mine');
    await expect(service.create(repository, 'mine')).rejects.toMatchObject({ code: 'WORKTREES_TAKEN' });
    const { worktree } = await service.create(repository, 'x');
    await service.release(worktree);
    mkdirSync(worktree.folder, { recursive: true });
    await expect(service.create(repository, 'x')).rejects.toMatchObject({ code: 'WORKTREES_TAKEN' });
    git('branch', 'tenon-x');
    expect(await service.list()).toEqual([]);
    expect(git('branch', '--list', 'tenon/*').trim()).toBe('tenon/mine');
  });

  test('says what git says when a branch is in the way', async () => {
    git('branch', 'tenon');
    const trace = join(temporaryFolder('trace'), 'events');
    vi.stubEnv('GIT_TRACE2_EVENT', trace);
    await expect(service.create(repository, 'x')).rejects.toMatchObject({ code: 'WORKTREES_GIT' });
    vi.unstubAllEnvs();
    // Another git that works there would be waited for; the branch stays.
    expect(readFileSync(trace, 'utf8').match(/"start".*"worktree","add"/g)).toHaveLength(1);
    expect(await service.list()).toEqual([]);
  });
});

describe('after the run', () => {
  test('an untouched worktree is gone with its branch, and ignored files do not keep it', async () => {
    const { worktree } = await service.create(repository, 'x');
    writeFileSync(join(worktree.folder, 'ignored'), 'x');
    expect((await service.release(worktree)).isRemoved).toBe(true);
    expect(existsSync(worktree.folder)).toBe(false);
    expect(git('branch', '--list', 'tenon/*')).toBe('');
    expect(git('worktree', 'list').trim().split('\n')).toHaveLength(1);
  });

  const touches: Record<string, (worktree: Worktree) => void> = {
    'a changed file': ({ folder }) => writeFileSync(join(folder, 'a.txt'), 'x'),
    'a new file': ({ folder }) => writeFileSync(join(folder, 'new'), 'x'),
    'a staged removal': ({ folder }) => void gitIn(folder, 'rm', '-q', 'a.txt'),
    'a commit': ({ folder }) => commit(folder, 'c'),
    'a commit beside the branch': ({ folder }) => {
      gitIn(folder, 'checkout', '-q', '--detach');
      commit(folder, 'c');
    },
    'an empty commit': ({ folder }) => void gitIn(folder, 'commit', '-q', '--allow-empty', '-m', 'e'),
  };
  test.each(Object.entries(touches))(
    'one with %s stays, is found again, and is not removed without force',
    async (_what, touch) => {
      const { worktree } = await service.create(repository, 'x');
      touch(worktree);
      const { isRemoved, status } = await service.release(worktree);
      expect(isRemoved).toBe(false);
      expect(status.changes + status.commits).toBeGreaterThan(0);
      await expect(service.remove(worktree)).rejects.toMatchObject({ code: 'WORKTREES_HOLDS_WORK' });
      const again = await service.create(repository, 'x');
      expect(again).toMatchObject({ isReused: true, worktree });
      await service.release(worktree);
      const { lost } = await service.remove(worktree, { force: true });
      if (lost !== undefined) expect(git('cat-file', '-t', lost).trim()).toBe('commit');
      expect(await service.list()).toEqual([]);
      expect(git('branch', '--list', 'tenon/*')).toBe('');
    },
  );

  test('one whose commits are on another branch is removed without force', async () => {
    const { worktree } = await service.create(repository, 'x');
    commit(worktree.folder, 'c');
    await service.release(worktree);
    git('merge', '-q', '--ff-only', 'tenon/x');
    expect(await service.status(worktree)).toMatchObject({ commits: 1, onlyHere: 0 });
    expect(await service.remove(worktree)).toEqual({ worktree });
    expect(existsSync(join(repository, 'c'))).toBe(true);
  });

  test('a merge that is under way counts as work', async () => {
    const { worktree } = await service.create(repository, 'x');
    commit(repository, 'm');
    gitIn(worktree.folder, 'merge', '-q', '--no-commit', '--no-ff', 'main');
    expect(await service.status(worktree)).toMatchObject({ operation: 'merge', isUntouched: false });
  });

  test('a folder that somebody deleted is said to be gone, and can be made again with its commits', async () => {
    const { worktree } = await service.create(repository, 'x');
    commit(worktree.folder, 'c');
    await service.release(worktree);
    rmSync(worktree.folder, { recursive: true });
    expect(await service.status(worktree)).toMatchObject({ state: 'gone', onlyHere: 1 });
    await expect(service.remove(worktree)).rejects.toMatchObject({ code: 'WORKTREES_HOLDS_WORK' });
    await service.create(repository, 'x');
    expect(existsSync(join(worktree.folder, 'c'))).toBe(true);
  });

  test('a repository with submodules: those that are on this machine are checked out, and an untouched worktree goes with them', async () => {
    gitRepository(join(base, 'library'), { 'l.txt': 'l' });
    git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', join(base, 'library'), 'lib');
    git('commit', '-q', '-m', 'sub');
    const { worktree, notices } = await service.create(repository, 'x');
    expect(notices).toEqual([]);
    const update = ['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'update', '--init'];
    gitIn(worktree.folder, ...update);
    writeFileSync(join(worktree.folder, 'lib/l.txt'), 'changed');
    expect((await service.release(worktree)).isRemoved).toBe(false);
    await expect(service.remove(worktree)).rejects.toMatchObject({ code: 'WORKTREES_HOLDS_WORK' });
    gitIn(join(worktree.folder, 'lib'), 'checkout', '-q', '.');
    expect((await service.release(worktree)).isRemoved).toBe(true);
  });

  test('one in which another Tenon works is neither given to a second nor removed', async () => {
    const { worktree } = await service.create(repository, 'x');
    await expect(service.create(repository, 'x')).rejects.toMatchObject({ code: 'WORKTREES_IN_USE' });
    const other = spawn('sleep', ['100']);
    later(() => void other.kill('SIGKILL'));
    const user = { ...thisProcess(), pid: other.pid ?? 0, started: '' };
    const data = join(base, 'data');
    await changeRecord(data, worktree.folder, (now) => now && { ...now, user });
    await expect(service.remove(worktree, { force: true })).rejects.toMatchObject({ code: 'WORKTREES_IN_USE' });
    // A Tenon that was killed does not hold it for ever.
    await changeRecord(data, worktree.folder, (now) => now && { ...now, user: { ...user, pid: 2 ** 22 + 1 } });
    expect((await service.create(repository, 'x')).isReused).toBe(true);
  });

  test('a list outside of a repository has those of all, and a repository that is gone does not stand in the way', async () => {
    const { worktree } = await service.create(repository, 'x');
    commit(worktree.folder, 'c');
    await service.release(worktree);
    gitRepository(join(base, 'second'), { 'z.txt': '' });
    expect(await service.list(join(base, 'second'))).toEqual([]);
    expect(await service.list(base)).toEqual([worktree]);
    rmSync(repository, { recursive: true });
    await service.remove(worktree);
    expect(await service.list()).toEqual([]);
  });
});

describe('the flag', () => {
  test('has a name, or none, and belongs to the agent alone', () => {
    expect(worktreeFlag(['--worktree', 'fix', '-p', 'go'])).toEqual({ name: 'fix' });
    expect(worktreeFlag(['-p', 'go', '--worktree=fix'])).toEqual({ name: 'fix' });
    expect(worktreeFlag(['agent', '--worktree', '-p', 'go'])).toEqual({});
    expect(worktreeFlag(['--worktree', 'fix the login'])).toEqual({});
    expect(worktreeFlag(['-p', '--', '--worktree'])).toBeUndefined();
    expect(worktreeFlag(['worktree', 'list', '--worktree'])).toBeUndefined();
    expect(worktreeFlag(['-p', 'go'])).toBeUndefined();
  });

  test('works in the same folder below the top, and ends with what happened', async () => {
    const data = join(base, 'data');
    const untouched = await enterWorktree({ data, cwd: join(repository, 'src') }, { name: 'x' });
    expect(untouched.folder).toBe(join(untouched.worktree.folder, 'src'));
    expect(await untouched.leave()).toBe('Nothing was changed in the worktree x, so it was removed.');
    const touched = await enterWorktree({ data, cwd: repository }, {});
    writeFileSync(join(touched.folder, 'a.txt'), 'x');
    expect(await touched.leave()).toContain(`1 changed file: ${touched.worktree.folder}`);
  });
});

test('changes are counted as git lists them, whatever the files are called', () => {
  const name = fc.string({ minLength: 1 }).filter((text) => !text.includes('\0'));
  const entry = fc.oneof(
    fc.tuple(fc.constantFrom(' M ', '?? ', 'A  ', ' D ', 'UU '), name).map(([code, file]) => `${code}${file}\0`),
    fc.tuple(fc.constantFrom('R  ', 'C  ', ' R '), name, name).map(([code, to, from]) => `${code}${to}\0${from}\0`),
  );
  fc.assert(fc.property(fc.array(entry), (entries) => changesIn(entries.join('')) === entries.length));
});
