/** Worktrees as runs of workers use them: without a branch, held, made by many at once, cleaned up. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { UNCONFINED } from '@tenon/sandbox/api';
import { buildProgram } from '@tenon/test-kit/built-program';
import { gitIn, gitRepository } from '@tenon/test-kit/git-repository';
import { caseCount } from '@tenon/test-kit/properties';
import { putFiles, temporaryFolder } from '@tenon/test-kit/temporary';
import { until } from '@tenon/test-kit/waiting';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Worktrees } from '../src/api.ts';
import { installStep } from '../src/install.ts';
import { wantsWorktree } from '../src/wants-worktree.ts';
import { createWorktrees } from '../src/worktrees.ts';

let base: string;
let repository: string;
let service: Worktrees;

beforeEach(() => {
  base = temporaryFolder('run-worktrees');
  repository = join(base, 'shop');
  gitRepository(repository, {
    'a.txt': 'one\n',
    'src/b.txt': 'two\n',
    'doc/c.txt': 'three\n',
    '.gitignore': 'ignored\n',
  });
  service = createWorktrees({ data: join(base, 'data') });
});

const head = (folder: string) => gitIn(folder, 'rev-parse', 'HEAD').trim();

describe('a task asks for a worktree', () => {
  test.each([
    'Review this branch',
    'please review the last 3 commits for security problems',
    'do a code review of PR #12',
    'rebase feature onto main',
    'Cherry-pick abc123 onto release-2',
    'find out with git bisect which commit broke the build',
    'merge origin/main into this branch',
    'resolve the merge conflicts',
    'squash the last two commits',
    'check out the tag v1.2 and run the tests',
  ])('by itself: %s', (task) => expect(wantsWorktree(task, 'auto')).toBe(true));

  test.each([
    'add a review form to the product page',
    'fix the login button',
    'write a function that merges two sorted lists',
    'why does the parser fail on empty input?',
  ])('not: %s', (task) => expect(wantsWorktree(task, 'auto')).toBe(false));

  test('when the user, the setting or another run in the same folder says so', () => {
    expect(wantsWorktree('fix it', true, { mode: 'off' })).toBe(true);
    expect(wantsWorktree('review the diff', false, { mode: 'always' })).toBe(false);
    expect(wantsWorktree('fix it', 'auto', { mode: 'always' })).toBe(true);
    expect(wantsWorktree('review the diff', 'auto', { mode: 'off', isBusy: true })).toBe(false);
    expect(wantsWorktree('fix it', 'auto', { isBusy: true })).toBe(true);
  });
});

describe('a worktree without a branch', () => {
  test('starts at the commit that is named, and goes when nothing was done in it', async () => {
    const first = head(repository);
    gitIn(repository, 'commit', '-q', '--allow-empty', '-m', 'next');
    const { worktree } = await service.create(repository, 'look', { checkout: 'detached', base: 'HEAD~1' });
    expect(worktree).toMatchObject({ base: first });
    expect(worktree.branch).toBeUndefined();
    expect(gitIn(worktree.folder, 'branch', '--show-current').trim()).toBe('');
    expect(await service.release(worktree)).toMatchObject({ isRemoved: true });
    expect(existsSync(worktree.folder)).toBe(false);
  });

  test('keeps commits that nothing else leads to', async () => {
    const { worktree } = await service.create(repository, 'work', { checkout: 'detached' });
    writeFileSync(join(worktree.folder, 'a.txt'), 'changed\n');
    gitIn(worktree.folder, 'commit', '-qam', 'work');
    expect(await service.release(worktree)).toMatchObject({ isRemoved: false, status: { commits: 1, onlyHere: 1 } });
    await expect(service.remove(worktree)).rejects.toThrow('work would be lost');
    const commit = head(worktree.folder);
    expect(await service.remove(worktree, { force: true })).toMatchObject({ lost: commit });
  });

  test('is refused for what is no commit', async () => {
    for (const name of ['nowhere', '--all'])
      await expect(service.create(repository, 'x', { base: name })).rejects.toThrow('is not a commit of');
  });
});

describe('a worktree that a run holds', () => {
  test('is given to no other, and neither removed nor cleaned up before it is released', async () => {
    const { worktree } = await service.create(repository, 'held', { holder: 'run-1' });
    expect((await service.create(repository, 'held', { holder: 'run-1' })).isReused).toBe(true);
    await expect(service.create(repository, 'held', { holder: 'run-2' })).rejects.toThrow('works in the worktree');
    // As if the process had ended: only the holder is left.
    const file = join(base, 'data/worktrees.json');
    const text = readFileSync(file, 'utf8').replace(/"pid":\s*\d+/, '"pid": 999999999');
    writeFileSync(file, text);
    await expect(service.create(repository, 'held')).rejects.toThrow('The run run-1 keeps');
    await expect(service.remove(worktree)).rejects.toThrow('The run run-1 keeps');
    expect(await service.collect({ dryRun: false })).toMatchObject([
      { isRemoved: false, reason: 'the run run-1 keeps it' },
    ]);
    await service.create(repository, 'held', { holder: 'run-1' });
    expect(await service.release(worktree)).toMatchObject({ isRemoved: true });
  });
});

test('a sparse checkout gives a sparse worktree', async () => {
  gitIn(repository, 'sparse-checkout', 'set', 'src');
  const { worktree } = await service.create(repository, 'sparse');
  expect([existsSync(join(worktree.folder, 'src/b.txt')), existsSync(join(worktree.folder, 'doc/c.txt'))]).toEqual([
    true,
    false,
  ]);
});

test('large files stay pointers, nothing is fetched, and the user is told', async () => {
  const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 5\n';
  putFiles(repository, { 'big.bin': pointer });
  gitIn(repository, 'add', '-A');
  gitIn(repository, 'commit', '-qm', 'pointer');
  putFiles(repository, { '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n' });
  gitIn(repository, 'add', '.gitattributes');
  gitIn(repository, 'commit', '-qm', 'attributes');
  gitIn(repository, 'config', 'filter.lfs.smudge', 'exit 7 #');
  gitIn(repository, 'config', 'filter.lfs.required', 'true');
  const { worktree, notices } = await service.create(repository, 'large');
  expect(readFileSync(join(worktree.folder, 'big.bin'), 'utf8')).toBe(pointer);
  expect(notices.join()).toContain('Git LFS');
});

test('a submodule whose name leads out of the repository is left alone', async () => {
  putFiles(repository, {
    '.gitmodules':
      '[submodule "../../evil"]\n\tpath = sub\n\turl = ./x\n[submodule "b"]\n\tpath = ../out\n\turl = ./x\n',
  });
  gitIn(repository, 'add', '-A');
  gitIn(repository, 'commit', '-qm', 'modules');
  const { worktree } = await service.create(repository, 'modules');
  expect(existsSync(join(worktree.folder, '../out'))).toBe(false);
});

test('several processes make worktrees of one repository at the same time', async () => {
  const program = await buildProgram(join(import.meta.dirname, 'fixtures/make-worktree.ts'));
  const run = promisify(execFile);
  const made = await Promise.all(
    Array.from({ length: 6 }, (_, at) => run(process.execPath, [program, join(base, 'data'), repository, `w${at}`])),
  );
  const folders = made.map(({ stdout }) => stdout);
  expect(new Set(folders).size).toBe(6);
  for (const folder of folders) expect(readFileSync(join(folder, 'src/b.txt'), 'utf8')).toBe('two\n');
  expect(await service.list(repository)).toHaveLength(6);
});

test('a worktree that another git has only begun to write does not stop a new one, nor a list', async () => {
  await service.create(repository, 'before');
  const begun = join(repository, '.git/worktrees/begun');
  putFiles(begun, { commondir: '', gitdir: join(base, 'begun/.git'), HEAD: 'ref: refs/heads/begun\n' });
  const made = service.create(repository, 'after');
  const listed = service.list(repository);
  // git makes the branch before it fails.
  await until(() => gitIn(repository, 'for-each-ref', 'refs/heads/tenon/after') !== '');
  rmSync(begun, { recursive: true });
  expect(readFileSync(join((await made).worktree.folder, 'a.txt'), 'utf8')).toBe('one\n');
  expect((await listed).length).toBeGreaterThan(0);
  expect(gitIn((await made).worktree.folder, 'branch', '--show-current').trim()).toBe('tenon/after');
});

describe('dependencies', () => {
  const project = (files: Readonly<Record<string, string>>) => {
    const folder = temporaryFolder('install');
    putFiles(folder, files);
    return folder;
  };

  test.each<[Record<string, string>, string | undefined]>([
    [
      { 'package.json': '{}', 'package-lock.json': '' },
      'npm ci --ignore-scripts --no-audit --no-fund --prefer-offline',
    ],
    [
      { 'package.json': '{}', 'pnpm-lock.yaml': '' },
      'pnpm install --frozen-lockfile --ignore-scripts --prefer-offline',
    ],
    [{ 'package.json': '{}', 'yarn.lock': '', '.yarnrc.yml': '' }, 'yarn install --immutable --mode=skip-build'],
    [{ 'package.json': '{}' }, undefined],
    [{ 'uv.lock': '' }, 'uv sync --frozen'],
    [{ 'Cargo.lock': '' }, undefined],
  ])('of %o are installed by what the lock file names, without scripts', (files, command) => {
    expect(installStep(project(files), 'auto')?.argv.join(' ')).toBe(command);
  });

  test('are installed by the command of the setting, and not at all when it is off', async () => {
    const settled = {
      install: 'echo dependency > installed',
      sandboxes: async () => ({ wrap: async () => UNCONFINED, profileFor: async () => 'full' as const }),
    };
    const own = createWorktrees({ data: join(base, 'data') }, settled);
    const { worktree } = await own.create(repository, 'deps');
    const call = { signal: new AbortController().signal };
    expect(await own.install(worktree, call)).toContain('Dependencies were installed');
    expect(readFileSync(join(worktree.folder, 'installed'), 'utf8')).toBe('dependency\n');
    expect(await service.install(worktree, call)).toBeUndefined();
    const failing = createWorktrees(
      { data: join(base, 'data') },
      { ...settled, install: 'echo no network >&2; exit 1' },
    );
    expect(await failing.install(worktree, call)).toMatch(/were not installed.*: no network$/s);
  });
});

describe('cleaning up', () => {
  const OPERATIONS = {
    edit: (folder: string) => writeFileSync(join(folder, 'a.txt'), 'edited\n'),
    add: (folder: string) => writeFileSync(join(folder, 'new.txt'), 'new\n'),
    stage: (folder: string) => gitIn(folder, 'add', '-A'),
    commit: (folder: string) => gitIn(folder, 'commit', '-q', '--allow-empty', '-m', 'work'),
    remove: (folder: string) => rmSync(join(folder, 'src/b.txt'), { force: true }),
    ignored: (folder: string) => writeFileSync(join(folder, 'ignored'), 'build output'),
    back: (folder: string) => gitIn(folder, 'checkout', '-q', '-f', 'HEAD'),
    detach: (folder: string) => gitIn(folder, 'checkout', '-q', '--detach'),
  } as const;

  test('never loses a commit or a file that is work, and never touches the parent', async () => {
    const operation = fc.constantFrom(...(Object.keys(OPERATIONS) as (keyof typeof OPERATIONS)[]));
    let number = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 5 }), fc.boolean(), async (operations, isDetached) => {
        const { worktree } = await service.create(repository, `w${number++}`, {
          checkout: isDetached ? 'detached' : 'branch',
        });
        const parent = [head(repository), gitIn(repository, 'status', '--porcelain')];
        for (const name of operations) OPERATIONS[name](worktree.folder);
        const commit = head(worktree.folder);
        const status = gitIn(worktree.folder, 'status', '--porcelain');
        const isWork = status !== '' || commit !== worktree.base;
        const { isRemoved } = await service.release(worktree);
        expect(isRemoved).toBe(!isWork);
        await service.collect({ dryRun: false });
        expect(existsSync(worktree.folder)).toBe(isWork);
        if (isWork) {
          expect(head(worktree.folder)).toBe(commit);
          expect(gitIn(worktree.folder, 'status', '--porcelain')).toBe(status);
          await service.remove(worktree, { force: true });
        }
        expect([head(repository), gitIn(repository, 'status', '--porcelain')]).toEqual(parent);
      }),
      { numRuns: caseCount(25) },
    );
  });

  test('says what it would do and does nothing with dryRun', async () => {
    const { worktree } = await service.create(repository, 'idle');
    expect(await service.collect({ dryRun: true })).toMatchObject([
      { isRemoved: false, reason: `process ${process.pid} works in it` },
    ]);
    expect(existsSync(worktree.folder)).toBe(true);
  });
});
