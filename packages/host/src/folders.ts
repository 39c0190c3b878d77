import { existsSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { messageOf, service } from '@tenon/kernel';
import { errors } from './errors.ts';

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

/**
 * Finds Tenon's folders: XDG folders, or all inside `inside` or TENON_HOME. Nothing is made here. A variable that is empty or holds a
 * relative path never counts from the working folder: a project there would bring settings that count as the user's.
 */
export function findFolders(environment: Environment, cwd: string, inside?: string): Folders {
  const home = homeFolder(environment);
  const own = inside ?? ownFolder(environment);
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

/** The user's home folder: HOME where that is an absolute path, else the one that the system knows. */
export function homeFolder(environment: Environment): string {
  const named = environment['HOME'];
  if (named && isAbsolute(named)) return named;
  let known: string;
  try {
    // Not `homedir()`, which believes HOME.
    known = userInfo().homedir;
  } catch (fault) {
    throw errors.create('HOST_NO_HOME', { reason: messageOf(fault) }, fault);
  }
  if (!isAbsolute(known)) throw errors.create('HOST_NO_HOME', { reason: `the system says "${known}"` });
  return known;
}

function ownFolder(environment: Environment): string | undefined {
  const named = environment['TENON_HOME'];
  if (!named) return undefined;
  if (!isAbsolute(named)) throw errors.create('HOST_FOLDER_RELATIVE', { folder: named });
  return named;
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
