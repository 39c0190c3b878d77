/** The branch of a folder, read from git's files; the real git makes them. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { gitBranch } from '../src/index.ts';

const made: string[] = [];
afterEach(() => made.splice(0).forEach((folder) => rmSync(folder, { recursive: true })));
function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-branch-')));
  made.push(folder);
  return folder;
}
const git = (cwd: string, ...words: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...words], {
    cwd,
    encoding: 'utf8',
  }).trim();

it('names the branch of the repository around a folder, also in a worktree, and the commit where there is no branch', () => {
  const base = temporaryFolder();
  const inside = join(base, 'repository/src/deep');
  mkdirSync(inside, { recursive: true });
  const repository = join(base, 'repository');
  git(repository, 'init', '-q', '-b', 'feature/parser');
  expect(gitBranch(inside)).toBe('feature/parser');
  git(repository, 'commit', '-q', '--allow-empty', '-m', 'first');
  git(repository, 'worktree', 'add', '-q', '-b', 'beside', join(base, 'beside'));
  expect(gitBranch(join(base, 'beside'))).toBe('beside');
  git(repository, 'checkout', '-q', '--detach');
  expect(gitBranch(inside)).toBe(git(repository, 'rev-parse', 'HEAD').slice(0, 8));
});

it('gives nothing outside of a repository, and for something that only looks like one', () => {
  const base = temporaryFolder();
  writeFileSync(join(base, '.git'), 'gitdir: nowhere\n');
  expect(gitBranch(base)).toBeUndefined();
  const damaged = join(base, 'damaged');
  mkdirSync(join(damaged, '.git'), { recursive: true });
  expect(gitBranch(damaged)).toBeUndefined();
});
