/** Makes, finds, looks at and removes worktrees. */
import { randomInt } from 'node:crypto';
import { existsSync, mkdirSync, realpathSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Folders } from '@tenon/host';
import { isAlive, thisProcess } from '@tenon/state-files';
import type { Sandboxes } from '@tenon/sandbox/api';
import type { CollectedWorktree, MadeWorktree, RemovedWorktree, Worktree, WorktreeOptions, Worktrees } from './api.ts';
import { addWorktree, checkOutLargeFiles, checkOutSubmodules } from './check-out.ts';
import { errors } from './errors.ts';
import { git, listChanges, tryGit } from './git.ts';
import { changeRecord, readRecords, type WorktreeRecord } from './records.ts';
import { findRepository, gitWorktrees, type Repository, requireCommit, requireRepository } from './repository.ts';
import { wantsWorktree, type WorktreeMode } from './wants-worktree.ts';
import { changesIn, describeStatus, statusOf } from './status.ts';

/** What git takes as a part of a branch name, and every file system as the name of a folder. */
export const NAME = /^[A-Za-z0-9](?:[\w.-]{0,62}[\w-])?$/;

function isName(word: string): boolean {
  return NAME.test(word) && !word.includes('..') && !word.endsWith('.lock');
}

/** Where worktrees lie: beside Tenon's own data, not in it, because everything in there is kept from agents. */
export function worktreesFolder({ data }: Pick<Folders, 'data'>): string {
  return join(dirname(data), 'tenon-worktrees');
}

/** What the user has settled. */
export interface WorktreesOptions {
  /** The folder of all worktrees. */
  readonly root?: string;
  readonly checkout?: 'branch' | 'detached';
  readonly mode?: WorktreeMode;
  /** The setting `worktrees.install`. */
  readonly install?: string;
  sandboxes?(): Promise<Sandboxes>;
}

/** Makes the service. */
export function createWorktrees(folders: Pick<Folders, 'data'>, settled: WorktreesOptions = {}): Worktrees {
  const root = settled.root ?? worktreesFolder(folders);
  const records = () => readRecords(folders.data);

  const create = async (cwd: string, wanted?: string, options: WorktreeOptions = {}): Promise<MadeWorktree> => {
    const repository = await requireRepository(cwd);
    const base = await requireCommit(cwd, repository, options.base);
    const name = wanted ?? freshName();
    if (!isName(name)) throw errors.create('WORKTREES_NAME', { name });
    mkdirSync(join(root, repository.key), { recursive: true, mode: 0o700 });
    const folder = join(realpathSync(join(root, repository.key)), name);
    const known = records()[folder];
    const isDetached = (options.checkout ?? settled.checkout) === 'detached';
    const made: Worktree = {
      name,
      folder,
      ...(!isDetached && { branch: `tenon/${name}` }),
      ...(options.holder !== undefined && { holder: options.holder }),
      repository: repository.common,
      base,
      since: new Date().toISOString(),
    };
    // Written down first: of two that start at the same time, one finds the other here.
    await changeRecord(folders.data, folder, (now) => {
      const isHolders = options.holder !== undefined && now?.holder === options.holder;
      // A run comes back to its worktree for every session, also in another process.
      if (now?.user && !isHolders && isAlive(now.user))
        throw errors.create('WORKTREES_IN_USE', { name, pid: now.user.pid });
      if (now?.holder !== undefined && now.holder !== options.holder)
        throw errors.create('WORKTREES_HELD', { name, holder: now.holder });
      return { ...(now ?? made), user: thisProcess() };
    });
    try {
      const isThere = existsSync(join(folder, '.git'));
      let worktree: Worktree = made;
      if (isThere) {
        await requireOwn(repository, made, known);
        worktree = withoutUser(known ?? made);
      } else if ((await add(cwd, repository, made, known)) === 'again') worktree = withoutUser(known ?? made);
      await changeRecord(folders.data, folder, () => ({ ...worktree, user: thisProcess() }));
      return { worktree, isReused: isThere, notices: await noticesFor(cwd, repository, worktree, isThere) };
    } catch (fault) {
      await changeRecord(folders.data, folder, () => known && { ...known });
      throw fault;
    }
  };

  const remove: Worktrees['remove'] = async (worktree, { force = false } = {}) => {
    const { name, folder, branch } = worktree;
    const { user, holder } = records()[folder] ?? {};
    if (holder !== undefined && !force) throw errors.create('WORKTREES_HELD', { name, holder });
    if (user && isAlive(user) && user.pid !== process.pid)
      throw errors.create('WORKTREES_IN_USE', { name, pid: user.pid });
    // The whole repository may be gone: then there is nothing left but the note.
    if (!existsSync(worktree.repository)) {
      await changeRecord(folders.data, folder, () => undefined);
      return { worktree };
    }
    const status = await statusOf(worktree);
    const isWork = status.changes > 0 || status.onlyHere > 0 || status.operation !== undefined;
    if (isWork && !force)
      throw errors.create('WORKTREES_HOLDS_WORK', {
        name,
        folder,
        merge: branch === undefined ? '`git branch NAME` keeps it' : `\`git merge ${branch}\``,
        work: describeStatus(status),
      });
    const last =
      branch === undefined
        ? ['-C', folder, 'rev-parse', 'HEAD']
        : ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`];
    const { out } = await tryGit(worktree.repository, ...last);
    await take(worktree, status.state === 'present');
    await changeRecord(folders.data, folder, () => undefined);
    return { worktree, ...(status.onlyHere > 0 && { lost: out.trim() }) } satisfies RemovedWorktree;
  };

  const free = (folder: string) =>
    changeRecord(folders.data, folder, (now) => {
      if (!now) return undefined;
      const { holder: _holder, ...rest } = withoutUser(now);
      return rest;
    });

  return {
    create,
    wants: (task, wish, options) =>
      wantsWorktree(task, wish, { ...options, ...(settled.mode && { mode: settled.mode }) }),
    async install(worktree, call) {
      const { sandboxes } = settled;
      if (!sandboxes) return undefined;
      return (await import('./install.ts')).install(worktree, settled.install ?? 'off', sandboxes, call);
    },
    async list(cwd) {
      const repository = cwd === undefined ? undefined : await findRepository(cwd);
      return Object.values(records())
        .filter((record) => repository === undefined || record.repository === repository.common)
        .map(withoutUser)
        .sort((a, b) => a.since.localeCompare(b.since));
    },
    status: statusOf,
    remove,
    async release(worktree) {
      const status = await statusOf(worktree);
      await free(worktree.folder);
      if (status.isUntouched) await remove(worktree);
      return { status, isRemoved: status.isUntouched };
    },
    async collect({ dryRun }) {
      const found: CollectedWorktree[] = [];
      for (const { user, ...worktree } of Object.values(records())) {
        const reason = await reasonToStay(worktree, user);
        if (reason === undefined && !dryRun) await remove(worktree);
        found.push({ worktree, isRemoved: reason === undefined, reason: reason ?? 'nothing was done in it' });
      }
      return found;
    },
  };
}

/** Why a worktree must not be cleaned up; undefined when nothing speaks against it. */
async function reasonToStay(worktree: Worktree, user: WorktreeRecord['user']): Promise<string | undefined> {
  if (user && isAlive(user)) return `process ${user.pid} works in it`;
  if (worktree.holder !== undefined) return `the run ${worktree.holder} keeps it`;
  if (!existsSync(worktree.repository)) return undefined;
  const status = await statusOf(worktree);
  return status.isUntouched ? undefined : `it holds ${describeStatus(status) || 'another commit than before'}`;
}

function withoutUser({ user: _user, ...worktree }: WorktreeRecord): Worktree {
  return worktree;
}

/** A name for a run that nobody named: the time, and a few letters. */
function freshName(): string {
  const time = new Date().toISOString().replaceAll(/[-:]/g, '').replace('T', '-').slice(0, 15);
  return `${time}-${randomInt(36 ** 3)
    .toString(36)
    .padStart(3, '0')}`;
}

/** A folder that is there must be the worktree that Tenon has made. */
async function requireOwn(repository: Repository, made: Worktree, known: WorktreeRecord | undefined): Promise<void> {
  const { name, folder } = made;
  const listed = (await gitWorktrees(repository.common)).find((one) => one.folder === folder);
  if (known && listed) return;
  const reason = listed ? 'a worktree that Tenon did not make is there' : `${folder} is something else`;
  throw errors.create('WORKTREES_TAKEN', { name, reason });
}

/** Checks it out: the branch that it had when its folder was deleted, or a new one. */
async function add(
  cwd: string,
  repository: Repository,
  { name, folder, branch, base }: Worktree,
  known: WorktreeRecord | undefined,
): Promise<'new' | 'again'> {
  if (existsSync(folder)) throw errors.create('WORKTREES_TAKEN', { name, reason: `${folder} is something else` });
  const place = repository.hasFiles ? cwd : repository.common;
  if (branch === undefined) {
    if (known) await git(place, 'worktree', 'prune');
    await addWorktree(place, ['--detach', folder, base]);
    return 'new';
  }
  const isBranch = (await tryGit(place, 'show-ref', '--verify', '--quiet', `refs/heads/${branch}`)).code === 0;
  if (isBranch && !known) throw errors.create('WORKTREES_TAKEN', { name, reason: `there is a branch ${branch}` });
  // git keeps a note of a worktree whose folder was deleted.
  if (known) await git(place, 'worktree', 'prune');
  const how = isBranch ? [folder, branch] : ['--no-track', '-b', branch, folder, base];
  await addWorktree(place, how);
  return isBranch ? 'again' : 'new';
}

async function take(worktree: Worktree, isThere: boolean): Promise<void> {
  const { folder, branch, repository } = worktree;
  // What would be lost was looked at before; git refuses any worktree with submodules without this.
  if (isThere) await git(repository, 'worktree', 'remove', '--force', folder);
  else await git(repository, 'worktree', 'prune');
  if (branch !== undefined) {
    const { code } = await tryGit(repository, 'show-ref', '--verify', '--quiet', `refs/heads/${branch}`);
    const isElsewhere = (await gitWorktrees(repository)).some((one) => one.branch === branch);
    if (code === 0 && !isElsewhere) await git(repository, 'branch', '--quiet', '-D', branch);
  }
  try {
    rmdirSync(dirname(folder));
  } catch {
    // There are others of the repository in it, or it is gone: both are fine.
  }
}

async function noticesFor(
  cwd: string,
  repository: Repository,
  { folder }: Worktree,
  isReused: boolean,
): Promise<string[]> {
  const notices: string[] = [];
  if (!isReused && repository.hasFiles) {
    const left = changesIn(await listChanges(cwd));
    if (left > 0) notices.push(`Your uncommitted changes (${left}) are not in it; it starts from the last commit.`);
  }
  if (isReused) return notices;
  const from = repository.hasFiles ? await git(cwd, 'rev-parse', '--show-toplevel') : cwd;
  const left = [await checkOutSubmodules(from, repository.common, folder), await checkOutLargeFiles(folder)];
  return [...notices, ...left.filter((notice) => notice !== undefined)];
}
