import { existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { service } from '@tenon/kernel';

/** Where Tenon keeps its files. Folders are made on first write, for the user alone. */
export interface Folders {
  /** Settings and what else a person edits. */
  readonly config: string;
  /** Packs, trust records, sessions: what must not be lost. */
  readonly data: string;
  /** Logs and histories. */
  readonly state: string;
  /** What can be made again. */
  readonly cache: string;
  /** The nearest `.tenon` folder, from the working folder up to the repository's root. */
  readonly project?: string;
  readonly home: string;
  readonly cwd: string;
}

/** Where Tenon keeps its files. */
export const folders = service<Folders>('folders');

type Environment = Readonly<Record<string, string | undefined>>;

/** Finds Tenon's folders: XDG folders, or all inside `inside` or TENON_HOME. Nothing is made here. */
export function findFolders(environment: Environment, cwd: string, inside?: string): Folders {
  const home = environment['HOME'] || homedir();
  const own = inside ?? environment['TENON_HOME'];
  const folder = (name: string, variable: string, fallback: string): string => {
    if (own) return resolve(cwd, own, name);
    const base = environment[variable];
    // The XDG specification says that a relative path must be ignored.
    return join(base && isAbsolute(base) ? base : join(home, fallback), 'tenon');
  };
  const project = findProject(cwd);
  return {
    config: folder('config', 'XDG_CONFIG_HOME', '.config'),
    data: folder('data', 'XDG_DATA_HOME', '.local/share'),
    state: folder('state', 'XDG_STATE_HOME', '.local/state'),
    cache: folder('cache', 'XDG_CACHE_HOME', '.cache'),
    ...(project !== undefined && { project }),
    home,
    cwd,
  };
}

/**
 * The nearest `.tenon` folder up to the repository's root. Outside of a repository only the working folder counts:
 * further up (/tmp, say) the folder may be somebody else's.
 */
function findProject(cwd: string): string | undefined {
  const candidates: string[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (isFolder(join(folder, '.tenon'))) candidates.push(join(folder, '.tenon'));
    if (existsSync(join(folder, '.git'))) return candidates[0];
    if (dirname(folder) === folder) return candidates.find((candidate) => dirname(candidate) === cwd);
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
