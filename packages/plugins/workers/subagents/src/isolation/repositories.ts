/** Finds the repositories in a folder, with a store for each: only names and HEAD files of theirs are looked at. */
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { adoptIndex, factsOf, makeStore, type RepositoryFacts, type Store } from './store.ts';

/** A repository in a workspace, or the workspace itself. */
export interface FoundRepository {
  /** From the top of the workspace; empty for the top. */
  readonly path: string;
  readonly store: Store;
  readonly facts?: RepositoryFacts;
  /** Repositories right below it, as paths from it. */
  readonly nested: readonly string[];
}

/** Folders full of files that others made: nobody keeps their repository in there. */
const GENERATED = new Set([
  'node_modules',
  'target',
  'dist',
  'build',
  'vendor',
  '.venv',
  'venv',
  '.cache',
  '__pycache__',
]);
const MAX_DEPTH = 3;
const MAX_FOLDERS = 2_000;
const MAX_REPOSITORIES = 200;

/** All repositories in a folder, the folder itself first. `storeFolder` names a folder for the store of each. */
export async function findRepositories(
  top: string,
  storeFolder: (at: number) => string,
  signal?: AbortSignal,
): Promise<readonly FoundRepository[]> {
  const found: FoundRepository[] = [];
  const pending = [''];
  for (let path = pending.shift(); path !== undefined; path = pending.shift()) {
    const files = join(top, path);
    const facts = existsSync(join(files, '.git')) ? await factsOf(files, signal) : undefined;
    const exclude = facts && existsSync(facts.exclude) ? readFileSync(facts.exclude, 'utf8') : undefined;
    const store = makeStore(
      storeFolder(found.length),
      files,
      {
        objects: facts ? [facts.objects] : [],
        ...(facts && { format: facts.format }),
        ...(exclude !== undefined && { exclude }),
      },
      signal,
    );
    if (facts) await adoptIndex(store, facts, signal);
    const nested = await repositoriesBelow(store);
    found.push({ path, store, nested, ...(facts && { facts }) });
    if (found.length + pending.length < MAX_REPOSITORIES) pending.push(...nested.map((below) => join(path, below)));
  }
  return found;
}

/** The repositories right below the files of a store, as paths from there. */
export async function repositoriesBelow(store: Store): Promise<readonly string[]> {
  const list = async (...options: readonly string[]) => {
    const { out } = await store.run(['ls-files', '--others', '--exclude-standard', '-z', ...options]);
    return out.split('\0').filter((path) => path.endsWith('/'));
  };
  // Git lists a repository as one folder, and enters every other one.
  const seen = (await list()).map((path) => path.slice(0, -1));
  const ignored = (await list('--ignored', '--directory')).map((path) => path.slice(0, -1));
  return [...new Set([...seen.filter((path) => hasGit(join(store.files, path))), ...inIgnored(store.files, ignored)])];
}

function hasGit(folder: string): boolean {
  return lstatSync(join(folder, '.git'), { throwIfNoEntry: false }) !== undefined;
}

/** A folder of several checkouts is often ignored by the repository around them. */
function inIgnored(top: string, folders: readonly string[]): readonly string[] {
  const found: string[] = [];
  let looked = 0;
  const look = (path: string, depth: number) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (GENERATED.has(name) || looked++ > MAX_FOLDERS) return;
    if (hasGit(join(top, path))) return void found.push(path);
    if (depth === MAX_DEPTH) return;
    let entries;
    try {
      entries = readdirSync(join(top, path), { withFileTypes: true });
    } catch {
      return; // Not ours to read: then the subagent has no work in it either.
    }
    for (const entry of entries) if (entry.isDirectory()) look(`${path}/${entry.name}`, depth + 1);
  };
  for (const folder of folders) look(folder, 0);
  return found;
}
