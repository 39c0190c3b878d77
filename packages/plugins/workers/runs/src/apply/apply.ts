/** Takes the changes of a run over into the checkout that it came from: whole, or not at all. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { counted } from '@tenon/wording';
import { changedRepositories } from '@tenon/worktrees/api';
import type { AppliedRun } from '../api.ts';
import { errors } from '../errors.ts';
import type { RunsParts } from '../parts.ts';
import type { Run, RunWorktree } from '../run.ts';
import { GitFault, gitIn, type Git } from './git.ts';

/** Applies what differs from the worktree's first commit, committed or not. The index and the branches of the checkout stay as they are. */
export async function applyRun(parts: Pick<RunsParts, 'queue'>, run: Run): Promise<AppliedRun> {
  const { worktree, request, alias, state } = run;
  if (worktree === undefined) {
    const next = 'It has no worktree: its changes are in the folder already.';
    throw errors.create('RUNS_STATE', { alias, state, wish: 'apply', next });
  }
  const scratch = await mkdtemp(join(tmpdir(), 'tenon-apply-'));
  try {
    const theirs = await workOf(parts, run, worktree, join(scratch, 'theirs'));
    const changed = await changedFiles(theirs.git, worktree.base, theirs.tree);
    const nested = [
      ...changed.filter(({ isRepository }) => isRepository).map(({ path }) => path),
      // On another host they were left out of what came back.
      ...(parts.queue ? [] : await movedRepositories(worktree.folder)),
    ];
    if (nested.length > 0)
      throw errors.create('RUNS_APPLY_NESTED', {
        alias,
        files: [...new Set(nested)].join(', '),
        worktree: worktree.folder,
      });
    if (changed.length === 0) return { files: [], text: `${alias} has changed nothing.` };
    const top = (await gitIn(request.cwd).text('rev-parse', '--show-toplevel')).trim();
    const ours = await snapshot(top, join(scratch, 'ours'));
    const merged = await merge(run, { base: worktree.base, ours: ours.tree, theirs: theirs.tree, git: ours.git, top });
    const patch = await ours.git.bytes(
      'diff',
      '--no-ext-diff',
      '--no-textconv',
      '--binary',
      '--full-index',
      '--no-renames',
      ours.tree,
      merged,
    );
    if (patch.length > 0) {
      const file = join(scratch, 'patch');
      await writeFile(file, patch, { mode: 0o600 });
      // The patch was made for exactly what lies there; a file that changes in this moment makes all of it fail.
      await gitIn(top).text('apply', '--whitespace=nowarn', file);
    }
    const files = changed.map(({ path }) => path);
    const where = patch.length > 0 ? `were taken over into ${top}` : `are in ${top} already`;
    return {
      files,
      text: `${counted(files.length, 'file')} of ${alias} ${files.length === 1 ? where.replace('were', 'was').replace('are', 'is') : where}.`,
    };
  } catch (fault) {
    if (!(fault instanceof GitFault)) throw fault;
    throw errors.create('RUNS_APPLY_GIT', { alias, reason: fault.message, worktree: worktree.folder }, fault);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** What a run has made of its worktree: as it lies there, or as a queue brings it from another host. */
export async function workOf(
  { queue }: Pick<RunsParts, 'queue'>,
  run: Run,
  { folder, base }: RunWorktree,
  index: string,
): Promise<{ readonly git: Git; readonly tree: string }> {
  if (!queue) return snapshot(folder, index);
  const git = gitIn(run.request.cwd);
  const commit = (await queue.fetchWork(run)) ?? base;
  return { git, tree: (await git.text('rev-parse', '--verify', '--quiet', `${commit}^{tree}`)).trim() };
}

async function movedRepositories(folder: string): Promise<readonly string[]> {
  const moved = await gitIn(folder).text('diff-files', '--ignore-submodules=dirty', '--raw', '-z');
  const inIndex = rawEntries(moved).flatMap(({ path, isRepository }) => (isRepository ? [path] : []));
  return [...inIndex, ...(await changedRepositories(folder))];
}

/** What lies in a checkout now, committed or not, as a tree; files that git ignores are not in it. */
export async function snapshot(folder: string, index: string): Promise<{ readonly git: Git; readonly tree: string }> {
  const git = gitIn(folder, { GIT_INDEX_FILE: index });
  await git.text('read-tree', 'HEAD');
  // Git would look into repositories of the checkout and run the filters that they name; a sandboxed worker may have written those.
  const nested = (await repositoriesIn(git)).map((path) => `:(top,exclude,literal)${path}`);
  await git.text('add', '--all', '--', ':/', ...nested);
  return { git, tree: (await git.text('write-tree')).trim() };
}

/** Repositories inside of the repository that its index names. */
async function repositoriesIn(git: Git): Promise<readonly string[]> {
  const entries = (await git.text('ls-files', '--stage', '--full-name', '-z', '--', ':/')).split('\0');
  return [...new Set(entries.flatMap((entry) => /^160000 [^\t]*\t([^]+)$/.exec(entry)?.[1] ?? []))];
}

/** The files that differ between two trees. */
export async function changedFiles(git: Git, base: string, tree: string): Promise<readonly RawEntry[]> {
  return rawEntries(await git.text('diff-tree', '-r', '-z', '--no-renames', base, tree));
}

interface RawEntry {
  readonly path: string;
  readonly isRepository: boolean;
}

/** What git lists with `--raw -z`: a line of modes and ids, then the path. */
function rawEntries(raw: string): readonly RawEntry[] {
  const words = raw.split('\0');
  const entries: RawEntry[] = [];
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [, before = '', after = ''] = /^:(\d+) (\d+) /.exec(words[at] ?? '') ?? [];
    entries.push({ path: words[at + 1] ?? '', isRepository: before === '160000' || after === '160000' });
  }
  return entries;
}

/** Merges both changes; nothing in the checkout is touched by it. */
async function merge(
  { alias, worktree }: Run,
  { base, ours, theirs, git, top }: { base: string; ours: string; theirs: string; git: Git; top: string },
): Promise<string> {
  const commit = async (tree: string) => (await git.text('commit-tree', tree, '-p', base, '-m', 'tenon')).trim();
  const { code, out, err } = await git.try(
    'merge-tree',
    '--write-tree',
    '--name-only',
    '-z',
    await commit(ours),
    await commit(theirs),
  );
  const [tree = '', ...rest] = out.split('\0');
  if (code === 0) return tree.trim();
  if (code !== 1) throw new GitFault(err.trim() || `git merge-tree ended with ${code}`);
  const files = rest.slice(0, rest.indexOf('') === -1 ? rest.length : rest.indexOf(''));
  throw errors.create('RUNS_APPLY_CONFLICT', {
    alias,
    folder: top,
    files: [...new Set(files)].join(', '),
    worktree: worktree?.folder ?? '',
  });
}
