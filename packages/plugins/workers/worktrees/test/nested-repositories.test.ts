/** Repositories in a worktree, whose settings a sandboxed program may have written. */
import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gitIn, gitRepository } from '@tenon/test-kit/git-repository';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { describe, expect, test } from 'vitest';
import { createWorktrees } from '../src/worktrees.ts';

async function planted(settings: (mark: string) => readonly (readonly [string, string])[]) {
  const base = temporaryFolder('worktrees');
  const mark = join(base, 'ran');
  gitRepository(join(base, 'shop'), { 'a.txt': 'one\n' });
  const service = createWorktrees({ data: join(base, 'data') });
  const { worktree } = await service.create(join(base, 'shop'), 'fix');
  const inner = join(worktree.folder, 'inner');
  gitRepository(inner, { x: 'x\n', '.gitattributes': 'x filter=evil\ny filter=a=b\n', y: 'y\n' });
  for (const [name, value] of settings(mark)) gitIn(inner, 'config', name, value);
  gitIn(worktree.folder, 'add', 'inner');
  // Git compares contents only where times differ.
  for (const name of ['x', 'y']) utimesSync(join(inner, name), 1, 1);
  return { service, worktree, inner, mark };
}

describe('a repository in a worktree', () => {
  test.each([
    ['a monitor', (mark: string) => [['core.fsmonitor', `touch ${mark}; false`]] as const],
    ['a filter', (mark: string) => [['filter.evil.clean', `touch ${mark}; cat`]] as const],
    ['a filter with a sly name', (mark: string) => [['filter.a=b.clean', `touch ${mark}; cat`]] as const],
    [
      'a filter that must not fail',
      (mark: string) =>
        [
          ['filter.evil.process', `touch ${mark}`],
          ['filter.evil.required', 'true'],
        ] as const,
    ],
    [
      'a way to a server',
      (mark: string) =>
        [
          ['core.repositoryformatversion', '1'],
          ['extensions.partialClone', 'evil'],
          ['remote.evil.promisor', 'true'],
          ['remote.evil.url', `ext::sh -c touch% ${mark}`],
          ['protocol.ext.allow', 'always'],
        ] as const,
    ],
  ])('runs nothing when the worktree is looked at: %s', async (_, settings) => {
    const { service, worktree, inner, mark } = await planted(settings);
    if (settings(mark).length > 2) {
      const tree = gitIn(inner, 'rev-parse', 'HEAD^{tree}').trim();
      rmSync(join(inner, '.git/objects', tree.slice(0, 2), tree.slice(2)));
    }
    expect((await service.status(worktree)).changes).toBeGreaterThan(0);
    await service.release(worktree);
    await service.collect({ dryRun: false });
    expect(existsSync(mark)).toBe(false);
    expect(existsSync(worktree.folder)).toBe(true);
  });

  test('runs no hook of its own either', async () => {
    const { service, worktree, inner, mark } = await planted(() => []);
    mkdirSync(join(inner, '.git/hooks'), { recursive: true });
    writeFileSync(join(inner, '.git/hooks/post-index-change'), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
    await service.status(worktree);
    expect(existsSync(mark)).toBe(false);
  });

  test('counts as a change when only a file in it was changed', async () => {
    const { service, worktree, inner } = await planted(() => []);
    gitIn(worktree.folder, 'commit', '-q', '-m', 'inner');
    expect((await service.status(worktree)).changes).toBe(0);
    writeFileSync(join(inner, 'new'), 'work');
    expect((await service.status(worktree)).changes).toBe(1);
  });
});
