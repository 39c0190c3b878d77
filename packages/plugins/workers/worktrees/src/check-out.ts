/** Puts the files of a commit into a new worktree: also what git leaves out by itself. */
import { existsSync, readFileSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errors } from './errors.ts';
import { git, type GitRun, HALF_MADE, tryGit, WITHOUT_LFS } from './git.ts';

/** Another git holds a lock of the repository for a moment. */
const LOCKED = /could not lock|unable to create '.*\.lock'|cannot lock ref|another git process/i;
/** A branch `a` leaves no room for one below `a/`, however long one waits. */
const NO_ROOM = /' exists; cannot create '/;
const PATIENCE_MS = 10_000;

/** `git worktree add`, also while others do the same in this repository. */
export async function addWorktree(place: string, how: readonly string[]): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  let words = how;
  for (let attempt = 1; ; attempt++) {
    // Nothing is fetched from a server: what is on this machine is put there afterwards.
    const run = await tryGit(place, ...WITHOUT_LFS, 'worktree', 'add', '--quiet', ...words);
    if (run.code === 0) return;
    const mayPass = (LOCKED.test(run.err) && !NO_ROOM.test(run.err)) || HALF_MADE.test(run.err);
    if (Date.now() > deadline || !mayPass) throw failure(place, words, run);
    await sleep(30 * attempt);
    words = await withBranchMade(place, how);
  }
}

/** An attempt that failed may have made its branch: then the next one checks out that branch. */
async function withBranchMade(place: string, how: readonly string[]): Promise<readonly string[]> {
  const at = how.indexOf('-b');
  const [branch, folder, base] = how.slice(at + 1);
  if (at === -1 || branch === undefined || folder === undefined || base === undefined) return how;
  const { code, out } = await tryGit(place, 'rev-parse', '--verify', '--quiet', `refs/heads/${branch}`);
  return code === 0 && out.trim() === base ? [folder, branch] : how;
}

function failure(folder: string, how: readonly string[], { code, err }: GitRun): Error {
  const reason = err.trim().replace(/^(?:fatal|error): /, '') || `exit code ${code}`;
  return errors.create('WORKTREES_GIT', { command: `worktree add ${how.join(' ')}`, reason, folder });
}

/** Large files: those whose contents are on this machine are put there. Gives a sentence when some stay pointers. */
export async function checkOutLargeFiles(folder: string): Promise<string | undefined> {
  const attributes = join(folder, '.gitattributes');
  if (!existsSync(attributes) || !/filter=lfs/.test(readFileSync(attributes, 'utf8'))) return undefined;
  const done = await tryGit(folder, 'lfs', 'checkout');
  if (done.code !== 0) return 'Large files (Git LFS) are pointers in it, because git-lfs is not installed.';
  const { out } = await tryGit(folder, 'lfs', 'ls-files');
  const isMissing = out.split('\n').some((line) => / - /.test(line));
  return isMissing
    ? 'Some large files (Git LFS) are pointers in it: run `git lfs pull` there if you need them.'
    : undefined;
}

/**
 * Submodules that are checked out in the folder which the worktree was made from are checked out in it, too, from the
 * repositories that are on this machine. Gives a sentence when some are not.
 */
export async function checkOutSubmodules(from: string, common: string, folder: string): Promise<string | undefined> {
  if (!existsSync(join(folder, '.gitmodules'))) return undefined;
  const listed = await tryGit(
    folder,
    'config',
    '--file',
    '.gitmodules',
    '-z',
    '--get-regexp',
    String.raw`^submodule\..*\.path$`,
  );
  const modules = listed.out
    .split('\0')
    .filter(Boolean)
    .flatMap((entry) => {
      const [key = '', path = ''] = entry.split(/\n(.*)/s, 2);
      const name = key.slice('submodule.'.length, -'.path'.length);
      // The names come from a file of the repository: none may lead out of the folder of modules.
      return isTame(name) && isTame(path) ? [{ name, path }] : [];
    });
  let left = 0;
  for (const { name, path } of modules) {
    const source = join(common, 'modules', name);
    const isThere = existsSync(join(from, path, '.git')) && existsSync(join(source, 'HEAD'));
    if (!isThere || !(await checkOutSubmodule(folder, name, path, source))) left++;
  }
  if (left === 0) return undefined;
  return 'Some of its submodules are not checked out: run `git submodule update --init` in it if you need them.';
}

async function checkOutSubmodule(folder: string, name: string, path: string, source: string): Promise<boolean> {
  const local = ['-c', `submodule.${name}.url=${source}`, '-c', 'protocol.file.allow=always'];
  const done = await tryGit(folder, ...local, 'submodule', '--quiet', 'update', '--init', '--', path);
  if (done.code !== 0) return false;
  // It was cloned from this machine; whoever pushes from it means the server.
  const { out } = await tryGit(source, 'config', '--get', 'remote.origin.url');
  if (out.trim() !== '') await git(join(folder, path), 'remote', 'set-url', 'origin', out.trim());
  return true;
}

function isTame(path: string): boolean {
  return path !== '' && !isAbsolute(path) && !path.startsWith('-') && resolve('/a', path).startsWith('/a/');
}
