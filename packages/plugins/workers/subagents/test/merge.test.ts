/** The work of subagents comes back: in order, wholly or not at all, and nothing is lost. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gitRepository } from '@tenon/test-kit/git-repository';
import { putFiles } from '@tenon/test-kit/temporary';
import { describe, expect, test } from 'vitest';
import type { Changes } from '../src/isolation/api.ts';
import { filesOf, gitIn, parentRepository } from './isolation-world.ts';

const LINES = Array.from({ length: 40 }, (_, at) => `line ${at}\n`);
const changed = (edits: Readonly<Record<number, string>>) =>
  LINES.map((line, at) => (edits[at] === undefined ? line : `${edits[at]}\n`)).join('');
const read = (folder: string, path: string) => readFileSync(join(folder, path), 'utf8');

/** What subagents do, each in its own workspace at the same time. */
async function work(
  parent: ReturnType<typeof parentRepository>,
  tasks: Readonly<Record<string, (folder: string) => void>>,
): Promise<Record<string, Changes>> {
  const entries = await Promise.all(
    Object.entries(tasks).map(async ([id, task]) => {
      const workspace = await parent.open(id);
      task(workspace.cwd);
      const changes = await workspace.collect();
      await workspace.dispose();
      return [id, changes] as const;
    }),
  );
  return Object.fromEntries(entries);
}

describe.each(['patch', 'branch'] as const)('merging as %s', (how) => {
  test('eight at the same time: six clean changes are merged, two conflicts are told, nothing is lost', async () => {
    const parent = parentRepository({ 'a.txt': changed({}), 'b.txt': 'b\n', 'c.txt': 'c\n', 'old.txt': 'old\n' });
    const { cwd, git, merge } = parent;
    putFiles(cwd, { 'own.txt': 'not committed\n', 'staged.txt': 'staged\n' });
    git('add', 'staged.txt');
    const tasks: Record<string, (folder: string) => void> = {
      t1: (folder) => putFiles(folder, { 'a.txt': changed({ 0: 'by t1' }) }),
      t2: (folder) => putFiles(folder, { 'a.txt': changed({ 20: 'by t2' }) }),
      t3: (folder) => putFiles(folder, { 'a.txt': changed({ 0: 'by t3' }), 'only-t3.txt': 'kept?\n' }),
      t4: (folder) => putFiles(folder, { 'new/t4.bin': new Uint8Array([0, 255, 0, 10]) }),
      t5: (folder) => rmSync(join(folder, 'old.txt')),
      t6: (folder) => chmodSync(join(folder, 'b.txt'), 0o755),
      t7: (folder) => putFiles(folder, { 'old.txt': 'changed\n', 'c.txt': 'by t7\n' }),
      t8: (folder) => putFiles(folder, { 'a.txt': changed({ 39: 'by t8' }) }),
    };
    const outcomes = await merge(await work(parent, tasks), how);
    expect(outcomes.map(({ id, status }) => `${id} ${status}`)).toEqual([
      't1 merged',
      't2 merged',
      't3 conflict',
      't4 merged',
      't5 merged',
      't6 merged',
      't7 conflict',
      't8 merged',
    ]);
    expect(read(cwd, 'a.txt')).toBe(changed({ 0: 'by t1', 20: 'by t2', 39: 'by t8' }));
    expect(filesOf(cwd)).toMatchObject({
      'new/t4.bin': '- \0\u00FF\0\n',
      'b.txt': 'x b\n',
      'c.txt': '- c\n',
      'own.txt': '- not committed\n',
      'staged.txt': '- staged\n',
    });
    expect([existsSync(join(cwd, 'old.txt')), existsSync(join(cwd, 'only-t3.txt'))]).toEqual([false, false]);
    expect(git('diff', '--cached', '--name-only').trim()).toBe('staged.txt');
    const [third, seventh] = [outcomes[2], outcomes[6]];
    expect(third).toMatchObject({ files: ['a.txt'], reason: expect.stringContaining('a.txt') });
    expect(seventh?.files).toEqual(['old.txt']);
    for (const outcome of [third, seventh]) {
      const kept = outcome?.kept ?? '';
      const text = how === 'patch' ? read('/', kept) : git('show', kept);
      expect(text).toContain(outcome === third ? 'by t3' : 'by t7');
    }
    expect(git('branch', '--list', 'tenon/task/*').trim().split('\n').filter(Boolean)).toHaveLength(
      how === 'patch' ? 0 : 2,
    );
    if (how === 'branch')
      expect(git('log', '--format=%s', '--reverse')).toBe(
        `start\n${['t1', 't2', 't4', 't5', 't6', 't8'].map((id) => `task ${id}\n`).join('')}`,
      );
  });

  test('leaves the uncommitted work of the user alone', async () => {
    const parent = parentRepository({ 'a.txt': changed({}), 'b.txt': 'b\n' });
    const { cwd, git, merge } = parent;
    const changes = await work(parent, { one: (folder) => putFiles(folder, { 'a.txt': changed({ 0: 'by one' }) }) });
    putFiles(cwd, { 'a.txt': changed({ 0: 'by the user' }), 'b.txt': 'user\n' });
    git('add', 'b.txt');
    const before = [git('status', '--porcelain'), filesOf(cwd)];
    const [outcome] = await merge(changes, how);
    expect(outcome).toMatchObject({ status: 'conflict' });
    expect([git('status', '--porcelain'), filesOf(cwd)]).toEqual(before);
  });

  test('does nothing when a file of the same name is in the way, ignored or not', async () => {
    const parent = parentRepository({ '.gitignore': 'out\n', 'a.txt': 'a\n' });
    const { cwd, merge } = parent;
    const changes = await work(parent, {
      one: (folder) => putFiles(folder, { '.gitignore': '', out: 'of the task\n', 'a.txt': 'A\n' }),
      two: (folder) => putFiles(folder, { 'new.txt': 'of the task\n' }),
    });
    putFiles(cwd, { out: 'of the user\n', 'new.txt': 'of the user\n' });
    const before = filesOf(cwd);
    const outcomes = await merge(changes, how);
    expect(outcomes.map(({ status }) => status)).toEqual(['conflict', 'conflict']);
    expect(filesOf(cwd)).toEqual(before);
  });

  test('is all or nothing over the repositories of a task', async () => {
    const parent = parentRepository({ 'a.txt': 'a\n' });
    const { cwd, merge } = parent;
    gitRepository(join(cwd, 'lib'), { 'l.txt': 'l\n' });
    gitRepository(join(cwd, 'other'), { 'o.txt': 'o\n' });
    const changes = await work(parent, {
      one: (folder) => putFiles(folder, { 'a.txt': 'A\n', 'lib/l.txt': 'L\n', 'other/o.txt': 'O\n' }),
    });
    putFiles(cwd, { 'other/o.txt': 'of the user\n' });
    const before = filesOf(cwd);
    const [outcome] = await merge(changes, how);
    expect(outcome).toMatchObject({ status: 'conflict', files: ['other/o.txt'] });
    expect(filesOf(cwd)).toEqual(before);
    expect(read('/', outcome?.kept ?? '')).toContain('+++ b/other/o.txt');
  });

  test('does not follow a link out of the folder, neither one of the user nor one of the repository', async () => {
    const parent = parentRepository({ '.gitignore': 'data\n', 'a.txt': 'a\n' });
    const { base, cwd, git, merge } = parent;
    const outside = join(base, 'outside');
    gitRepository(join(outside, 'repo'), { 'kept.txt': 'of the user\n' });
    symlinkSync(outside, join(cwd, 'data'));
    symlinkSync(outside, join(cwd, 'docs'));
    git('add', 'docs');
    git('commit', '--quiet', '--message=A link');
    const before = filesOf(outside);
    const inside = (name: string) => (folder: string) => {
      rmSync(join(folder, name), { force: true });
      gitRepository(join(folder, name, 'repo'), { 'evil.txt': 'of the task\n' });
    };
    const outcomes = await merge(await work(parent, { one: inside('data'), two: inside('docs') }), how);
    expect(filesOf(outside)).toEqual(before);
    expect(outcomes[0]).toMatchObject({ status: 'conflict', reason: expect.stringContaining('data') });
    // Nothing is lost.
    expect(read('/', outcomes[0]?.kept ?? '')).toContain('+++ b/data/repo/evil.txt');
    if (outcomes[1]?.status === 'merged') expect(read(cwd, 'docs/repo/evil.txt')).toBe('of the task\n');
    else expect(read('/', outcomes[1]?.kept ?? '')).toContain('+++ b/docs/repo/evil.txt');
  });

  test('says that nothing was changed', async () => {
    const parent = parentRepository();
    expect(await parent.merge(await work(parent, { one: () => undefined }), how)).toEqual([
      { id: 'one', status: 'empty', files: [] },
    ]);
  });
});

describe('merging as patch', () => {
  test('merges lines of the user and of the task in one file', async () => {
    const parent = parentRepository({ 'a.txt': changed({}) });
    const { cwd, merge } = parent;
    putFiles(cwd, { 'a.txt': changed({ 5: 'before' }) });
    const changes = await work(parent, {
      one: (folder) => putFiles(folder, { 'a.txt': changed({ 5: 'before', 20: 'by one' }) }),
    });
    putFiles(cwd, { 'a.txt': changed({ 5: 'before', 35: 'after' }) });
    await merge(changes);
    expect(read(cwd, 'a.txt')).toBe(changed({ 5: 'before', 20: 'by one', 35: 'after' }));
  });

  test('puts a change of the user into the file that the task has moved', async () => {
    const parent = parentRepository({ 'a.txt': changed({}) });
    const changes = await work(parent, {
      one: (folder) => {
        rmSync(join(folder, 'a.txt'));
        putFiles(folder, { 'b.txt': changed({}) });
      },
    });
    putFiles(parent.cwd, { 'a.txt': changed({ 3: 'by the user' }) });
    await parent.merge(changes);
    expect(filesOf(parent.cwd)).toEqual({ 'b.txt': `- ${changed({ 3: 'by the user' })}` });
  });

  test('keeps a patch that git applies', async () => {
    const parent = parentRepository({ 'a.txt': 'a\n', 'b.bin': new Uint8Array([0, 1]) });
    gitRepository(join(parent.cwd, 'lib'), { 'l.txt': 'l\n' });
    const changes = await work(parent, {
      one: (folder) => putFiles(folder, { 'a.txt': 'A\n', 'b.bin': new Uint8Array([0, 2]), 'lib/l.txt': 'L\n' }),
    });
    putFiles(parent.cwd, { 'a.txt': 'of the user\n' });
    const [outcome] = await parent.merge(changes);
    putFiles(parent.cwd, { 'a.txt': 'a\n' });
    gitIn(parent.cwd, 'apply', outcome?.kept ?? '');
    expect(filesOf(parent.cwd)).toEqual({ 'a.txt': '- A\n', 'b.bin': '- \0\u0002', 'lib/l.txt': '- L\n' });
  });

  test('works in a folder without a commit', async () => {
    const parent = parentRepository();
    const { cwd } = parent;
    rmSync(join(cwd, '.git'), { recursive: true });
    gitIn(cwd, 'init', '-q');
    const changes = await work(parent, { one: (folder) => putFiles(folder, { 'a.txt': 'A\n' }) });
    expect(await parent.merge(changes)).toMatchObject([{ status: 'merged' }]);
    expect(read(cwd, 'a.txt')).toBe('A\n');
  });
});

describe('merging as branch', () => {
  test('commits contents as the repository wants them: line ends and filters of the user', async () => {
    const parent = parentRepository({ '.gitattributes': '*.txt text eol=crlf\n*.up filter=up\n', 'a.txt': 'a\r\n' });
    const { cwd, git, merge } = parent;
    git('config', 'filter.up.clean', 'tr a-z A-Z');
    const changes = await work(parent, {
      one: (folder) => putFiles(folder, { 'a.txt': 'a\r\nb\r\n', 'x.up': 'big\n' }),
    });
    expect(await merge(changes, 'branch')).toMatchObject([{ status: 'merged' }]);
    expect([git('show', 'HEAD:a.txt'), git('show', 'HEAD:x.up')]).toEqual(['a\nb\n', 'BIG\n']);
    expect(read(cwd, 'a.txt')).toBe('a\r\nb\r\n');
  });

  test('keeps a branch with the work where it builds on changes that are not committed', async () => {
    const parent = parentRepository({ 'a.txt': changed({}) });
    const { cwd, git, merge } = parent;
    putFiles(cwd, { 'a.txt': changed({ 5: 'not committed' }) });
    const changes = await work(parent, {
      one: (folder) => putFiles(folder, { 'a.txt': changed({ 5: 'not committed', 6: 'by one' }) }),
    });
    const [outcome] = await merge(changes, 'branch');
    expect(outcome).toMatchObject({ status: 'conflict', kept: 'tenon/task/one', files: ['a.txt'] });
    expect(git('show', 'tenon/task/one:a.txt')).toBe(changed({ 5: 'not committed', 6: 'by one' }));
    expect(git('log', '--format=%s', 'tenon/task/one')).toBe(
      'task one\nUncommitted changes that the next commit was built on\nstart\n',
    );
    expect([read(cwd, 'a.txt'), git('log', '--format=%s')]).toEqual([changed({ 5: 'not committed' }), 'start\n']);
  });

  test('fails where it cannot be done, and keeps the work', async () => {
    const parent = parentRepository();
    const { cwd, git, merge } = parent;
    const changes = await work(parent, { one: (folder) => putFiles(folder, { 'a.txt': 'A\n' }) });
    mkdirSync(join(cwd, '.git/rebase-merge'));
    expect(await merge(changes, 'branch')).toMatchObject([{ status: 'failed', kept: 'tenon/task/one' }]);
    expect(git('show', 'tenon/task/one:a.txt')).toBe('A\n');
    rmSync(join(cwd, '.git/rebase-merge'), { recursive: true });
    expect(await merge(changes, 'branch')).toMatchObject([{ status: 'merged' }]);
    expect(read(cwd, 'a.txt')).toBe('A\n');
    expect(git('branch', '--list', 'tenon/task/*').trim()).toBe('tenon/task/one');
  });

  test('runs no hook of the repository', async () => {
    const parent = parentRepository();
    const { cwd, base, merge } = parent;
    for (const hook of ['pre-commit', 'post-checkout', 'post-commit', 'reference-transaction', 'post-index-change'])
      writeFileSync(join(cwd, '.git/hooks', hook), `#!/bin/sh\ntouch ${join(base, 'ran')}\n`, { mode: 0o755 });
    const changes = await work(parent, { one: (folder) => putFiles(folder, { 'a.txt': 'A\n' }) });
    expect(await merge(changes, 'branch')).toMatchObject([{ status: 'merged' }]);
    expect(existsSync(join(base, 'ran'))).toBe(false);
  });
});
