/** Opens a folder of its own for a subagent. */
import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { findFolders, runGit } from '@tenon/host';
import type { OpenOptions, Workspace } from './api.ts';
import { collectChanges } from './changes.ts';
import { makeChildGit } from './child-git.ts';
import { errors } from './isolation-errors.ts';
import { mountOverlay, overlayFolders } from './overlay-mount.ts';
import { hiddenRoot, makeFolder, openRoot, placesOf, type WorkspacePlaces } from './places.ts';
import { removeWorkspace } from './remove-workspace.ts';
import { findRepositories, type FoundRepository } from './repositories.ts';
import { Store } from './store.ts';
import { sweepWorkspaces } from './sweep.ts';
import { type WorkspaceRecord, writeRecord } from './workspace-record.ts';

/** Without a repository every file is read when a workspace is opened. */
const MAX_FILES = 50_000;

/** Opens it. The subagent sees what lies in `cwd` now, committed or not. */
export async function openWorkspace(options: OpenOptions): Promise<Workspace> {
  const { cwd, id, signal } = options;
  const folders = options.folders ?? findFolders(process.env, cwd);
  const repositoryTop = await topOf(cwd, signal);
  if (repositoryTop === undefined && options.mode === 'worktree')
    throw errors.create('SUBAGENTS_NO_REPOSITORY', { folder: cwd });
  const top = repositoryTop ?? realpathSync(cwd);
  if (repositoryTop === undefined && countFiles(top) > MAX_FILES)
    throw errors.create('SUBAGENTS_WORKSPACE_TOO_LARGE', { folder: top, files: MAX_FILES });
  await sweepWorkspaces(folders);
  makeFolder(openRoot(folders));
  makeFolder(hiddenRoot(folders));
  const name = `${id.replaceAll(/[^\w.-]/g, '_').slice(0, 40) || 'task'}-${randomBytes(4).toString('hex')}`;
  const places = placesOf(folders, name);
  makeFolder(places.hidden);
  // Until the record is whole, the mark alone says whose it is.
  writeRecord(places.hidden, { mode: 'worktree', top, repositories: [] });
  makeFolder(places.open);
  try {
    const found = await findRepositories(top, (at) => join(places.hidden, `store-${at}`), signal);
    const repositories = [];
    for (const { path, store, nested, facts } of found) {
      const baseline = await store.snapshot(nested, { isLenient: true });
      repositories.push({ path, store: store.folder, baseline, format: facts?.format ?? 'sha1' });
    }
    const made = { top, repositories };
    const notices: string[] = [];
    let record: WorkspaceRecord | undefined;
    if (options.mode === 'overlay') {
      // Written down before it is mounted: a killed process leaves no mount that nobody knows.
      writeRecord(places.hidden, { ...made, mode: 'overlay' });
      const mounted = await mountOverlay(overlayFolders(places.open, top), options.overlays);
      if ('kind' in mounted) {
        record = writeRecord(places.hidden, { ...made, mode: 'overlay', mount: mounted.kind });
        await ownGit(places, found, signal);
      } else if (repositoryTop === undefined)
        throw errors.create('SUBAGENTS_NO_OVERLAY', { reason: mounted.reason, folder: top });
      else {
        const notice = `No overlay could be mounted (${mounted.reason}); a worktree is used instead.`;
        notices.push(notice);
        options.log?.warn(notice);
      }
    }
    if (record === undefined) {
      await checkOut(places, found, signal);
      record = writeRecord(places.hidden, { ...made, mode: 'worktree' });
    }
    return workspaceOf(places, record, join(places.open, 'tree', relative(top, realpathSync(cwd))), notices, signal);
  } catch (fault) {
    await removeWorkspace(places);
    await rm(places.hidden, { recursive: true, force: true });
    throw fault;
  }
}

function workspaceOf(
  places: WorkspacePlaces,
  record: WorkspaceRecord,
  cwd: string,
  notices: readonly string[],
  signal: AbortSignal | undefined,
): Workspace {
  let hasChanges = false;
  mkdirSync(cwd, { recursive: true });
  return {
    cwd,
    mode: record.mode,
    notices,
    ...(record.mount !== undefined && { mount: record.mount }),
    async collect() {
      const changes = await collectChanges(places, record, signal);
      hasChanges = !changes.isEmpty;
      return changes;
    },
    async dispose() {
      await removeWorkspace(places);
      // Changes need their trees until they are merged.
      if (!hasChanges) await rm(places.hidden, { recursive: true, force: true });
    },
  };
}

/** The top of the repository around a folder; nothing where there is none. */
async function topOf(cwd: string, signal: AbortSignal | undefined): Promise<string | undefined> {
  const run = await runGit(cwd, ['rev-parse', '--show-toplevel'], { signal });
  if (run.fault === 'missing') throw errors.create('SUBAGENTS_NO_GIT', {});
  signal?.throwIfAborted();
  return run.code === 0 && run.out !== '' ? run.out.replace(/\n$/, '') : undefined;
}

/** Writes the files as they lie in the folder, byte for byte. */
async function checkOut(places: WorkspacePlaces, found: readonly FoundRepository[], signal?: AbortSignal) {
  for (const { path, store, facts } of found) {
    const files = join(places.open, 'tree', path);
    makeFolder(files);
    const own = new Store(store.folder, files, signal);
    await own.run(['checkout-index', '--all', '--force', '--quiet', '-u']);
    if (facts) await makeChildGit(files, facts, signal);
  }
}

/** A `.git` that is a file leads out of the overlay, to the repository's own index and HEAD. */
async function ownGit(places: WorkspacePlaces, found: readonly FoundRepository[], signal?: AbortSignal) {
  for (const { path, facts } of found) {
    const files = join(places.open, 'tree', path);
    const stats = lstatSync(join(files, '.git'), { throwIfNoEntry: false });
    if (!stats || stats.isDirectory() || !facts) continue;
    await rm(join(files, '.git'));
    await makeChildGit(files, facts, signal);
  }
}

function countFiles(folder: string): number {
  let files = 0;
  const pending = [folder];
  for (let at = pending.pop(); at !== undefined && files <= MAX_FILES; at = pending.pop()) {
    let entries;
    try {
      entries = readdirSync(at, { withFileTypes: true });
    } catch {
      continue; // Not ours to read: the snapshot leaves it out as well.
    }
    for (const entry of entries)
      if (entry.isDirectory()) pending.push(join(at, entry.name));
      else files++;
  }
  return files;
}
