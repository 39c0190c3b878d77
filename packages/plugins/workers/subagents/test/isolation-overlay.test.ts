/** Overlays for subagents: mounted for real, where this machine can. */
import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gitRepository } from '@tenon/test-kit/git-repository';
import { later, putFiles, temporaryFolder } from '@tenon/test-kit/temporary';
import { buildProgram } from '@tenon/test-kit/built-program';
import { until } from '@tenon/test-kit/waiting';
import { describe, expect, test } from 'vitest';
import { type OverlayKind, sweepWorkspaces } from '../src/isolation/api.ts';
import { mountOverlay, mountsIn, overlayFolders, unmountOverlay } from '../src/isolation/overlay-mount.ts';
import { filesOf, gitIn, parentRepository, workspacesOf } from './isolation-world.ts';

const read = (folder: string, path: string) => readFileSync(join(folder, path), 'utf8');

/** Why a way to mount does not work on this machine; nothing when it does. */
async function missing(kind: OverlayKind): Promise<string | undefined> {
  const base = temporaryFolder('overlay-probe');
  mkdirSync(join(base, 'lower'));
  const folders = overlayFolders(join(base, 'open'), join(base, 'lower'));
  const mounted = await mountOverlay(folders, [kind]);
  if ('reason' in mounted) return mounted.reason;
  await unmountOverlay(folders.merged);
  return undefined;
}

const KINDS: readonly OverlayKind[] = ['kernel', 'fuse'];
const reasons = Object.fromEntries(await Promise.all(KINDS.map(async (kind) => [kind, await missing(kind)] as const)));

describe.each(KINDS)('an overlay by %s', (kind) => {
  const works = reasons[kind] === undefined;
  const name = (title: string) => (works ? title : `${title} (skipped: ${reasons[kind]})`);
  const overlay = { mode: 'overlay', overlays: [kind] } as const;

  test.skipIf(!works)(name('reads nothing behind a link that takes the place of a repository'), async () => {
    const { base, cwd, open } = parentRepository({ 'a.txt': 'a\n' });
    gitRepository(join(cwd, 'lib'), { id: 'nothing\n' });
    putFiles(join(base, 'outside'), { id: 'secret of the user\n' });
    const workspace = await open('one', overlay);
    rmSync(join(workspace.cwd, 'lib'), { recursive: true });
    symlinkSync(join(base, 'outside'), join(workspace.cwd, 'lib'));
    const { patch, files } = await workspace.collect();
    expect(files).toContainEqual({ path: 'lib/id', change: 'deleted' });
    expect(readFileSync(patch ?? '', 'utf8')).not.toContain('secret of the user');
  });

  test.skipIf(!works)(name('shows everything, ignored files too, and changes nothing of the parent'), async () => {
    const { cwd, git, open, merge } = parentRepository({
      'a.txt': 'a\n',
      'b.txt': 'b\n',
      '.gitignore': 'build\n',
      'dir/x': 'x\n',
      'dir/y': 'y\n',
    });
    putFiles(cwd, { 'build/out': 'ignored\n', 'a.txt': 'not committed\n' });
    const before = filesOf(cwd);
    const workspace = await open('one', overlay);
    expect([workspace.mode, workspace.mount]).toEqual(['overlay', kind]);
    const here = workspace.cwd;
    expect(filesOf(here)).toEqual(before);
    renameSync(join(here, 'a.txt'), join(here, 'moved.txt'));
    rmSync(join(here, 'dir'), { recursive: true });
    putFiles(here, {
      'dir/new': 'new\n',
      'build/out': 'changed\n',
      empty: '',
      'bin.dat': new Uint8Array([0, 255, 10]),
    });
    chmodSync(join(here, 'b.txt'), 0o755);
    symlinkSync('b.txt', join(here, 'link'));
    writeFileSync(Buffer.concat([Buffer.from(`${here}/`), Buffer.from([0xff, 0x22])]), 'odd name\n');
    gitIn(here, 'add', '-A');
    gitIn(here, 'commit', '-qm', 'in the overlay');
    expect(filesOf(cwd)).toEqual(before);
    expect(git('log', '--format=%s')).toBe('start\n');
    const wanted = filesOf(here);
    const changes = await workspace.collect();
    expect(changes.files).toContainEqual({ path: 'moved.txt', change: 'renamed', from: 'a.txt' });
    await workspace.dispose();
    expect([existsSync(here), mountsIn(join(here, '..'))]).toEqual([false, []]);
    expect(await merge({ one: changes })).toMatchObject([{ status: 'merged' }]);
    expect(filesOf(cwd)).toEqual({ ...wanted, 'build/out': '- ignored\n' });
  });

  test.skipIf(!works)(name('collects what the subagent did, not what others do meanwhile'), async () => {
    const { cwd, open, merge } = parentRepository({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' });
    const workspace = await open('one', overlay);
    putFiles(workspace.cwd, { 'a.txt': 'by the task\n' });
    putFiles(cwd, { 'b.txt': 'by the user\n', 'new.txt': 'by the user\n' });
    rmSync(join(cwd, 'c.txt'));
    const changes = await workspace.collect();
    expect(changes.files).toEqual([{ path: 'a.txt', change: 'modified' }]);
    await workspace.dispose();
    await merge({ one: changes });
    expect(filesOf(cwd)).toEqual({
      'a.txt': '- by the task\n',
      'b.txt': '- by the user\n',
      'new.txt': '- by the user\n',
    });
  });

  test.skipIf(!works)(name('works without a repository, and with repositories inside'), async () => {
    const base = temporaryFolder('isolation');
    const cwd = join(base, 'plain');
    putFiles(cwd, { 'a.txt': 'a\n', 'b.txt': 'b\n' });
    gitRepository(join(cwd, 'lib'), { 'l.txt': 'l\n', 'm.txt': 'm\n' });
    const { open, merge } = workspacesOf(base, cwd);
    const workspace = await open('one', overlay);
    putFiles(workspace.cwd, { 'a.txt': 'A\n', 'lib/l.txt': 'L\n' });
    gitRepository(join(workspace.cwd, 'made'), { 'x.txt': 'x\n' });
    rmSync(join(workspace.cwd, 'b.txt'));
    rmSync(join(workspace.cwd, 'lib/m.txt'));
    const wanted = filesOf(workspace.cwd);
    // Git compares sizes and seconds: a change of the same size in the same second must not be taken for none later.
    await sleep(1_100);
    const changes = await workspace.collect();
    await workspace.dispose();
    expect(await merge({ one: changes })).toMatchObject([{ status: 'merged' }]);
    expect(filesOf(cwd)).toEqual(wanted);
    expect(existsSync(join(cwd, 'made/.git'))).toBe(false);
  });

  test.skipIf(!works)(name('has a git folder of its own where that of the parent is elsewhere'), async () => {
    const { base, git } = parentRepository();
    const linked = join(base, 'linked');
    git('worktree', 'add', '-q', linked);
    const workspace = await workspacesOf(base, linked).open('one', overlay);
    putFiles(workspace.cwd, { 'a.txt': 'A\n' });
    gitIn(workspace.cwd, 'commit', '-qam', 'in the overlay');
    expect(gitIn(linked, 'status', '--porcelain')).toBe('');
    expect(gitIn(linked, 'log', '--format=%s')).toBe('start\n');
    expect((await workspace.collect()).files).toEqual([{ path: 'a.txt', change: 'modified' }]);
  });

  test.skipIf(!works)(name('of a killed process is unmounted, and its work is kept'), async () => {
    const { base, cwd, folders } = parentRepository();
    const program = await buildProgram(join(import.meta.dirname, 'fixtures/isolation-open.ts'));
    const child = spawn(process.execPath, [program, cwd, base, kind], { stdio: ['ignore', 'pipe', 'inherit'] });
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => void (out += chunk.toString()));
    later(() => void child.kill('SIGKILL'));
    await until(() => out.includes('\n'), 'the workspace');
    const opened = out.trim();
    expect(mountsIn(join(opened, '..'))).toEqual([opened]);
    expect(await sweepWorkspaces(folders)).toEqual([]);
    const ended = new Promise((resolve) => child.on('close', resolve));
    child.kill('SIGKILL');
    await ended;
    const [swept] = await sweepWorkspaces(folders);
    expect([mountsIn(join(opened, '..')), existsSync(opened)]).toEqual([[], false]);
    expect(swept?.isRemoved).toBe(true);
    gitIn(cwd, 'apply', swept?.kept ?? '');
    expect(read(cwd, 'a.txt')).toBe('of a killed task\n');
  });
});

test('where no overlay can be mounted, a worktree is used and told', async () => {
  const { open } = parentRepository();
  const told: string[] = [];
  const workspace = await open('one', { mode: 'overlay', overlays: [], log: { warn: (text) => void told.push(text) } });
  expect(workspace.mode).toBe('worktree');
  expect(workspace.notices).toEqual(told);
  expect(told[0]).toContain('a worktree is used instead');
  expect(read(workspace.cwd, 'a.txt')).toBe('a\n');
});

test('without a repository and without overlays there is an error that says what to do', async () => {
  const base = temporaryFolder('isolation');
  mkdirSync(join(base, 'plain'));
  const { open, folders } = workspacesOf(base, join(base, 'plain'));
  await expect(open('one', { mode: 'overlay', overlays: [] })).rejects.toMatchObject({ code: 'SUBAGENTS_NO_OVERLAY' });
  expect(await sweepWorkspaces(folders)).toEqual([]);
});
