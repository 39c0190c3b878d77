/** What a subagent has changed in its workspace, kept so that it can be merged after the workspace is gone. */
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { appendFile, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ChangedFile, Changes, RepositoryChange } from './api.ts';
import type { WorkspacePlaces } from './places.ts';
import { isSeen, removedPaths, touchedPaths } from './overlay-changes.ts';
import { overlayFolders } from './overlay-mount.ts';
import { isOwnFolder } from './own-folder.ts';
import { repositoriesBelow } from './repositories.ts';
import { copyIndex, makeStore, Store } from './store.ts';
import type { RecordedRepository, WorkspaceRecord } from './workspace-record.ts';

/** Compares a workspace with what the subagent began with. */
export async function collectChanges(
  places: WorkspacePlaces,
  record: WorkspaceRecord,
  signal?: AbortSignal,
): Promise<Changes> {
  const tree = join(places.open, 'tree');
  const now =
    record.mode === 'overlay'
      ? await treesOfOverlay(places, record, signal)
      : await treesOfWorktree(tree, places, record, signal);
  const repositories = now.filter(({ base, theirs }) => base !== theirs);
  const files: ChangedFile[] = [];
  mkdirSync(dirname(places.patch), { recursive: true, mode: 0o700 });
  await rm(places.patch, { force: true });
  for (const change of repositories) {
    const store = new Store(change.store, join(tree, change.path), signal);
    files.push(...(await changedFiles(store, change)));
    await writePatch(store, change, places.patch);
  }
  const isEmpty = repositories.length === 0;
  const made = repositories.filter(({ isNew }) => isNew).map(({ path }) => path);
  return {
    isEmpty,
    files,
    repositories,
    ...(!isEmpty && { patch: places.patch }),
    notices: made.map((path) => `The repository ${path} is new: its files are taken over, its history is not.`),
    async release() {
      await rm(places.patch, { force: true });
      await rm(places.hidden, { recursive: true, force: true });
    },
  };
}

/** The patch of one repository goes behind those of the others, with paths from the top. */
async function writePatch(store: Store, { path, base, theirs, store: folder }: RepositoryChange, file: string) {
  const part = join(folder, 'patch');
  const below = path === '' ? '' : `${path}/`;
  const prefixes = [`--src-prefix=a/${below}`, `--dst-prefix=b/${below}`];
  const how = ['-r', '-p', '--binary', '--full-index', '--no-renames', '--no-color', ...prefixes];
  await store.run(['diff-tree', ...how, `--output=${part}`, base, theirs]);
  await appendFile(file, await readFile(part), { mode: 0o600 });
  rmSync(part);
}

const LETTERS: Readonly<Record<string, ChangedFile['change']>> = { A: 'added', D: 'deleted', R: 'renamed' };

async function changedFiles(store: Store, { path, base, theirs }: RepositoryChange): Promise<ChangedFile[]> {
  const { out } = await store.run(['diff-tree', '-r', '-z', '-M', '--raw', base, theirs]);
  const words = out.split('\0');
  const files: ChangedFile[] = [];
  for (let at = 0; at + 1 < words.length;) {
    const letter = /([A-Z])\d*$/.exec(words[at] ?? '')?.[1] ?? 'M';
    const isMove = letter === 'R';
    const [first = '', second = ''] = [words[at + 1], words[at + 2]];
    const change = LETTERS[letter] ?? 'modified';
    files.push({ path: join(path, isMove ? second : first), change, ...(isMove && { from: join(path, first) }) });
    at += isMove ? 3 : 2;
  }
  return files;
}

async function treesOfWorktree(
  tree: string,
  places: WorkspacePlaces,
  { repositories }: WorkspaceRecord,
  signal?: AbortSignal,
): Promise<RepositoryChange[]> {
  const known = new Map(repositories.map((repository) => [repository.path, repository]));
  const changes: RepositoryChange[] = [];
  const pending = [''];
  const seen = new Set<string>();
  let made = 0;
  for (let path = pending.shift(); path !== undefined; path = pending.shift()) {
    if (seen.has(path)) continue;
    seen.add(path);
    const recorded = known.get(path);
    const store = recorded
      ? new Store(recorded.store, join(tree, path), signal)
      : newStore(join(places.hidden, `new-${made++}`), join(tree, path), repositories, signal);
    const inside = [...known.keys()].filter((other) => other !== path && isPathBelow(other, path));
    const below = [
      ...(await repositoriesBelow(store)),
      ...inside.filter((other) => isOwnFolder(tree, other)).map((other) => relativeTo(other, path)),
    ];
    const theirs = await store.snapshot([...new Set(below)]);
    const base = recorded?.baseline ?? (await store.text(['mktree'], { input: '' }));
    changes.push({ path, store: store.folder, base, theirs, isNew: recorded === undefined });
    pending.push(...below.map((other) => join(path, other)).filter((other) => isOwnFolder(tree, other)));
  }
  // A repository that is not a folder any more has no files.
  for (const repository of repositories)
    if (!seen.has(repository.path)) changes.push(await emptied(repository, tree, signal));
  return changes;
}

async function emptied({ path, store, baseline }: RecordedRepository, tree: string, signal?: AbortSignal) {
  const theirs = await new Store(store, tree, signal).text(['mktree'], { input: '' });
  return { path, store, base: baseline, theirs, isNew: false };
}

function newStore(folder: string, files: string, [top]: readonly RecordedRepository[], signal?: AbortSignal): Store {
  rmSync(folder, { recursive: true, force: true });
  return makeStore(folder, files, { objects: [], ...(top && { format: top.format }) }, signal);
}

const isPathBelow = (path: string, around: string) => around === '' || path.startsWith(`${around}/`);
const relativeTo = (path: string, around: string) => (around === '' ? path : path.slice(around.length + 1));

/** Bytes of a path as Latin-1. */
const latin = (text: string) => Buffer.from(text).toString('latin1');

async function treesOfOverlay(
  places: WorkspacePlaces,
  { top, repositories }: WorkspaceRecord,
  signal?: AbortSignal,
): Promise<RepositoryChange[]> {
  const overlay = overlayFolders(places.open, top);
  const touched = touchedPaths(overlay);
  // The innermost repository comes first.
  const byDepth = [...repositories].sort((a, b) => b.path.length - a.path.length);
  const ownerOf = (path: string) => byDepth.find((one) => isPathBelow(path, latin(one.path)));
  const seen = touched.files.filter((path) => isSeen(overlay, path));
  const changes: RepositoryChange[] = [];
  for (const repository of repositories) {
    const { path, store: folder, baseline } = repository;
    const store = new Store(folder, join(overlay.merged, path), signal);
    if (!isOwnFolder(overlay.merged, path)) {
      changes.push(await emptied(repository, overlay.merged, signal));
      continue;
    }
    const index = join(folder, 'index-now');
    if (existsSync(store.index)) copyIndex(store.index, index);
    else rmSync(index, { force: true });
    const around = latin(path);
    const before = (await store.run(['ls-files', '-z'], { index })).bytes
      .toString('latin1')
      .split('\0')
      .filter(Boolean);
    const prefix = around === '' ? '' : `${around}/`;
    const removed = removedPaths(
      overlay,
      touched,
      before.map((one) => prefix + one),
    ).map((one) => relativeTo(one, around));
    const written = seen.filter((one) => ownerOf(one) === repository).map((one) => relativeTo(one, around));
    const kept = await withoutIgnored(store, index, written);
    const input = Buffer.from([...removed, ...kept].map((one) => `${one}\0`).join(''), 'latin1');
    await store.run(['update-index', '--add', '--remove', '--replace', '-z', '--stdin'], { index, input });
    const theirs = await store.text(['write-tree', '--missing-ok'], { index });
    changes.push({ path, store: folder, base: baseline, theirs, isNew: false });
  }
  return changes;
}

async function withoutIgnored(store: Store, index: string, paths: readonly string[]): Promise<readonly string[]> {
  if (paths.length === 0) return paths;
  const input = Buffer.from(paths.map((path) => `${path}\0`).join(''), 'latin1');
  const { bytes } = await store.try(['check-ignore', '-z', '--stdin'], { index, input });
  const ignored = new Set(bytes.toString('latin1').split('\0'));
  return paths.filter((path) => !ignored.has(path));
}
