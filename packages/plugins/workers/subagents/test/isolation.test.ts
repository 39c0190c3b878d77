/** Workspaces of subagents: what they begin with, and what is collected. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gitRepository } from '@tenon/test-kit/git-repository';
import { putFiles, temporaryFolder } from '@tenon/test-kit/temporary';
import { describe, expect, test } from 'vitest';
import { filesOf, gitIn, parentRepository, workspacesOf } from './isolation-world.ts';

const read = (folder: string, path: string) => readFileSync(join(folder, path), 'utf8');

describe('a worktree for a subagent', () => {
  test('has what the parent has: commits, staged and unstaged changes, new files, links, modes and bytes', async () => {
    const { cwd, git, open } = parentRepository({
      'a.txt': 'a\n',
      'b.txt': 'b\n',
      'gone.txt': 'x\n',
      '.gitignore': 'build\n',
    });
    putFiles(cwd, { 'a.txt': 'staged\n' });
    git('add', 'a.txt');
    putFiles(cwd, {
      'a.txt': 'changed again\r\n',
      'new/file.bin': new Uint8Array([0, 1, 255, 13, 10]),
      build: 'ignored',
      empty: '',
    });
    rmSync(join(cwd, 'gone.txt'));
    symlinkSync('a.txt', join(cwd, 'link'));
    chmodSync(join(cwd, 'b.txt'), 0o755);
    writeFileSync(Buffer.concat([Buffer.from(`${cwd}/`), Buffer.from([0x6e, 0xff, 0xe9])]), 'no text\n');
    const workspace = await open('one');
    const { build: _ignored, ...seen } = filesOf(cwd);
    expect(filesOf(workspace.cwd)).toEqual(seen);
    expect(gitIn(workspace.cwd, 'diff', '--cached', '--name-only').trim()).toBe('a.txt');
    expect(gitIn(workspace.cwd, 'log', '--format=%s')).toBe('start\n');
    expect((await workspace.collect()).isEmpty).toBe(true);
    expect(statSync(join(workspace.cwd, '..')).mode & 0o777).toBe(0o700);
    await workspace.dispose();
    expect(existsSync(workspace.cwd)).toBe(false);
  });

  test('stands for the folder that the parent works in', async () => {
    const { cwd, open, base } = parentRepository({ 'src/deep/a.txt': 'a\n' });
    const { open: openDeep } = workspacesOf(base, join(cwd, 'src/deep'));
    expect(read((await openDeep('deep')).cwd, 'a.txt')).toBe('a\n');
    expect(read((await open('top')).cwd, 'src/deep/a.txt')).toBe('a\n');
  });

  test('keeps bytes where git converts line ends or runs filters, and runs no filter', async () => {
    const { cwd, git, open, base } = parentRepository({ 'a.txt': 'a\n' });
    putFiles(cwd, { '.gitattributes': '*.txt text eol=crlf\n*.big filter=mark\n*.id ident\n' });
    git('add', '-A');
    git('commit', '-qm', 'attributes');
    putFiles(cwd, { 'a.txt': 'a\r\nb\n', 'x.big': 'big\n', 'v.id': '$Id$\n' });
    git('add', '-A');
    git('config', 'filter.mark.clean', `touch ${join(base, 'ran')}; cat`);
    git('config', 'filter.mark.smudge', `touch ${join(base, 'ran')}; cat`);
    const workspace = await open('one');
    expect(filesOf(workspace.cwd)).toEqual(filesOf(cwd));
    expect((await workspace.collect()).isEmpty).toBe(true);
    expect(existsSync(join(base, 'ran'))).toBe(false);
  });

  test('is out of reach of the parent: commits, branches and stashes of the subagent stay in it', async () => {
    const { cwd, git, open } = parentRepository();
    const workspace = await open('one');
    putFiles(workspace.cwd, { 'a.txt': 'stashed\n' });
    gitIn(workspace.cwd, 'stash');
    putFiles(workspace.cwd, { 'a.txt': 'b\n' });
    gitIn(workspace.cwd, 'commit', '-qam', 'work');
    gitIn(workspace.cwd, 'branch', 'mine');
    expect([git('stash', 'list'), git('branch', '--list', 'mine'), git('log', '--format=%s')]).toEqual([
      '',
      '',
      'start\n',
    ]);
    expect(read(cwd, 'a.txt')).toBe('a\n');
    expect((await workspace.collect()).files).toEqual([{ path: 'a.txt', change: 'modified' }]);
  });

  test('needs a repository, and says what works without one', async () => {
    const base = temporaryFolder('isolation');
    const { open } = workspacesOf(base, base);
    await expect(open('one')).rejects.toMatchObject({
      code: 'SUBAGENTS_NO_REPOSITORY',
      next: expect.stringContaining('`overlay` or `none`'),
    });
  });

  test('is opened in a repository without a commit, and in a linked worktree', async () => {
    const { base, git } = parentRepository();
    const empty = join(base, 'empty');
    mkdirSync(empty);
    gitIn(empty, 'init', '-q');
    putFiles(empty, { 'new.txt': 'new\n' });
    expect(read((await workspacesOf(base, empty).open('empty')).cwd, 'new.txt')).toBe('new\n');
    git('worktree', 'add', '-q', join(base, 'linked'));
    putFiles(join(base, 'linked'), { 'a.txt': 'linked\n' });
    expect(read((await workspacesOf(base, join(base, 'linked')).open('linked')).cwd, 'a.txt')).toBe('linked\n');
  });

  test('is stopped by its signal and leaves nothing', async () => {
    const { open, folders } = parentRepository();
    const stop = new AbortController();
    const opening = open('one', { signal: stop.signal });
    stop.abort();
    await expect(opening).rejects.toThrow();
    expect(existsSync(join(folders.cache, '../tenon-workspaces'))).toBe(false);
  });
});

describe('what a subagent has changed', () => {
  test('is collected whole: changes, moves, modes, links, deletions, empty and binary files, any name', async () => {
    const { cwd, open, merge } = parentRepository({
      'a.txt': 'a\n'.repeat(30),
      'b.txt': 'b\n',
      'c.txt': 'c\n',
      'crlf.txt': 'one\r\ntwo\r\n',
      'dir/file': 'f\n',
    });
    const workspace = await open('one');
    const here = workspace.cwd;
    renameSync(join(here, 'a.txt'), join(here, 'moved.txt'));
    chmodSync(join(here, 'b.txt'), 0o755);
    rmSync(join(here, 'c.txt'));
    symlinkSync('b.txt', join(here, 'c.txt'));
    rmSync(join(here, 'dir'), { recursive: true });
    putFiles(here, {
      dir: 'now a file\n',
      empty: '',
      'bin.dat': new Uint8Array([0, 255, 10, 0]),
      'crlf.txt': 'one\r\nthree\r\n',
    });
    writeFileSync(Buffer.concat([Buffer.from(`${here}/`), Buffer.from([0xff, 0x0a, 0x22])]), 'odd name\n');
    const wanted = filesOf(here);
    const changes = await workspace.collect();
    expect(changes.files).toContainEqual({ path: 'moved.txt', change: 'renamed', from: 'a.txt' });
    await workspace.dispose();
    const [outcome] = await merge({ one: changes });
    expect(outcome).toMatchObject({ id: 'one', status: 'merged' });
    expect(filesOf(cwd)).toEqual(wanted);
    expect(existsSync(changes.patch ?? '')).toBe(false);
  });

  test('in repositories inside is collected for each of them, also in submodules and ignored folders', async () => {
    const { cwd, git, base, open, merge } = parentRepository({ 'a.txt': 'a\n', '.gitignore': 'services\n' });
    gitRepository(join(cwd, 'lib'), { 'l.txt': 'l\n' });
    gitRepository(join(cwd, 'services/api'), { 's.txt': 's\n' });
    gitRepository(join(base, 'module'), { 'm.txt': 'm\n' });
    git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', join(base, 'module'), 'module');
    git('commit', '-qm', 'module');
    putFiles(cwd, { 'lib/l.txt': 'dirty\n' });
    const workspace = await open('one');
    expect(filesOf(workspace.cwd)).toEqual(filesOf(cwd));
    expect(gitIn(join(workspace.cwd, 'lib'), 'log', '--format=%s')).toBe('start\n');
    putFiles(workspace.cwd, {
      'lib/l.txt': 'dirty\nmore\n',
      'services/api/s.txt': 'S\n',
      'module/m.txt': 'M\n',
      'module/new.txt': 'n\n',
      'a.txt': 'A\n',
    });
    const changes = await workspace.collect();
    expect(changes.repositories.map(({ path }) => path).sort()).toEqual(['', 'lib', 'module', 'services/api']);
    const wanted = filesOf(workspace.cwd);
    await merge({ one: changes });
    expect(filesOf(cwd)).toEqual(wanted);
    expect(gitIn(join(cwd, 'lib'), 'status', '--porcelain')).toBe(' M l.txt\n');
  });

  test('in a repository that the subagent made arrives as files', async () => {
    const { cwd, open, merge } = parentRepository();
    const workspace = await open('one');
    gitRepository(join(workspace.cwd, 'made'), { 'x.txt': 'x\n' });
    mkdirSync(join(workspace.cwd, 'unborn'));
    gitIn(join(workspace.cwd, 'unborn'), 'init', '-q');
    putFiles(workspace.cwd, { 'unborn/y.txt': 'y\n' });
    const changes = await workspace.collect();
    expect(changes.notices).toHaveLength(2);
    await merge({ one: changes });
    expect([read(cwd, 'made/x.txt'), read(cwd, 'unborn/y.txt')]).toEqual(['x\n', 'y\n']);
    expect(existsSync(join(cwd, 'made/.git'))).toBe(false);
  });

  test.each(['patch', 'branch'] as const)(
    'runs nothing that a repository of the subagent names, merged as %s',
    async (how) => {
      const { cwd, base, open, merge } = parentRepository();
      gitRepository(join(cwd, 'lib'), { 'l.txt': 'l\n', '.gitattributes': '* filter=evil merge=evil diff=evil\n' });
      const workspace = await open('one');
      const mark = join(base, 'ran');
      const evil = (folder: string) => {
        for (const [name, value] of [
          ['core.fsmonitor', `touch ${mark}; false`],
          ['core.hooksPath', join(base, 'hooks')],
          ['filter.evil.clean', `touch ${mark}; cat`],
          ['filter.evil.smudge', `touch ${mark}; cat`],
          ['diff.evil.textconv', `touch ${mark}; cat`],
          ['diff.external', `touch ${mark}; true`],
          ['merge.evil.driver', `touch ${mark}; false`],
          ['core.worktree', base],
        ] as const)
          gitIn(folder, 'config', name, value);
      };
      mkdirSync(join(base, 'hooks'));
      for (const hook of ['post-index-change', 'post-checkout', 'post-commit', 'reference-transaction'])
        writeFileSync(join(base, 'hooks', hook), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
      gitRepository(join(workspace.cwd, 'made'), { '.gitattributes': '* filter=evil\n', 'x.txt': 'x\n' });
      putFiles(workspace.cwd, {
        'lib/l.txt': 'L\n',
        '.gitattributes': '* filter=evil merge=evil diff=evil\n',
        'a.txt': 'A\n',
      });
      for (const folder of ['', 'lib', 'made']) evil(join(workspace.cwd, folder));
      putFiles(cwd, { 'lib/other.txt': 'o\n' });
      rmSync(mark, { force: true });
      const changes = await workspace.collect();
      const [outcome] = await merge({ one: changes }, how);
      expect(outcome).toMatchObject({ status: 'merged' });
      expect(existsSync(mark)).toBe(false);
      expect([read(cwd, 'lib/l.txt'), read(cwd, 'made/x.txt'), read(cwd, 'a.txt')]).toEqual(['L\n', 'x\n', 'A\n']);
    },
  );

  test('never leads out of the workspace: a repository that became a link has no files', async () => {
    const { cwd, base, open } = parentRepository();
    gitRepository(join(cwd, 'lib'), { 'l.txt': 'l\n' });
    putFiles(base, { 'secret/key.txt': 'key\n' });
    const workspace = await open('one');
    rmSync(join(workspace.cwd, 'lib'), { recursive: true });
    symlinkSync(join(base, 'secret'), join(workspace.cwd, 'lib'));
    const changes = await workspace.collect();
    expect(changes.files.map(({ path }) => path).sort()).toEqual(['lib', 'lib/l.txt']);
    expect(read('/', changes.patch ?? '')).not.toContain('key');
  });
});
