/** Finds out what others (shells, git, editors) have done to the files of a project, so that a server can be told. */
import { type Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { languageOf } from './fit.ts';
import type { LanguageServer } from './language-server.ts';

const MAX_FILES = 20_000;
/** A walk through a home folder must not hold up a question. */
const MAX_WALK_MS = 500;
const SKIPPED = new Set(['node_modules', '.git', 'target', '.venv', 'venv', '__pycache__', '.tox', '.cache', 'vendor']);
/** Another look so soon would find nothing. */
const FRESH_MS = 1_000;

type Snapshot = Map<string, string>;

const snapshots = new WeakMap<LanguageServer, { at: number; files: Snapshot; isWhole: boolean }>();

/** Tells a server which of its files others have made, changed or deleted since the last look. The first look only remembers. */
export async function tellChanges(server: LanguageServer): Promise<void> {
  const last = snapshots.get(server);
  if (last && Date.now() - last.at < FRESH_MS) return;
  const { root, data } = server.identity;
  const markers = new Set(data.rootMarkers);
  const isWatched = (name: string) => markers.has(name) || languageOf(data, name) !== undefined;
  const files: Snapshot = new Map();
  const isWhole = await look(root, isWatched, files, Date.now() + MAX_WALK_MS);
  snapshots.set(server, { at: Date.now(), files, isWhole });
  if (!last) return;
  const changes: { path: string; type: 1 | 2 | 3 }[] = [];
  for (const [path, stamp] of files) {
    const before = last.files.get(path);
    if (before !== stamp) changes.push({ path, type: before === undefined ? 1 : 2 });
  }
  // Where the limit cut the list, what is missing is not gone.
  if (isWhole && last.isWhole)
    for (const path of last.files.keys()) if (!files.has(path)) changes.push({ path, type: 3 });
  server.filesChanged(changes);
}

/** Gives whether everything was looked at. */
async function look(
  folder: string,
  isWatched: (name: string) => boolean,
  files: Snapshot,
  deadline: number,
): Promise<boolean> {
  if (Date.now() > deadline) return false;
  let entries: Dirent[];
  try {
    entries = await readdir(folder, { withFileTypes: true });
  } catch {
    return true; // Gone meanwhile, or not for us: the server cannot read it either.
  }
  const here = entries.filter((entry) => entry.isFile() && isWatched(entry.name)).map(({ name }) => join(folder, name));
  if (files.size + here.length > MAX_FILES) return false;
  const stats = await Promise.all(here.map((path) => stat(path).catch(() => undefined))); // Gone meanwhile.
  for (const [index, path] of here.entries()) {
    const found = stats[index];
    if (found) files.set(path, `${found.size} ${found.mtimeMs}`);
  }
  const folders = entries.filter((entry) => entry.isDirectory() && !SKIPPED.has(entry.name));
  let isWhole = true;
  for (const { name } of folders) isWhole = (await look(join(folder, name), isWatched, files, deadline)) && isWhole;
  return isWhole;
}
