/** The two scopes: what counts for the user everywhere, and what counts in one project. */
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Folders } from '@tenon/host';
import { errors } from './errors.ts';
import { type LockFile, lockFileIn, readLock, type Scope, writeLock } from './store/lock-files.ts';
import {
  marketplaceFileIn,
  type MarketplaceRecords,
  readMarketplaces,
  writeMarketplaces,
} from './store/marketplace-files.ts';

/** One scope and its files. */
export interface ScopeFiles {
  readonly scope: Scope;
  /** The data folder, or the project's .tenon folder. */
  readonly folder: string;
  readonly lockFile: string;
  readLock(): Promise<LockFile>;
  writeLock(lock: LockFile): Promise<void>;
  readMarketplaces(): Promise<MarketplaceRecords>;
  writeMarketplaces(records: MarketplaceRecords): Promise<void>;
}

function filesOf(scope: Scope, folder: string): ScopeFiles {
  const project = scope === 'project' ? dirname(folder) : undefined;
  const lockFile = lockFileIn(folder, scope);
  const marketplaces = marketplaceFileIn(folder, scope);
  return {
    scope,
    folder,
    lockFile,
    readLock: () => readLock(lockFile),
    writeLock: (lock) => writeLock(lockFile, scope, lock),
    readMarketplaces: () => readMarketplaces(marketplaces, scope, project),
    writeMarketplaces: (records) => writeMarketplaces(marketplaces, scope, records, project),
  };
}

/** The user's scope. */
export function userScope({ data }: Pick<Folders, 'data'>): ScopeFiles {
  return filesOf('user', data);
}

/** The scope of the project that a folder belongs to, if it has a .tenon folder. */
export function projectScope(cwd: string): ScopeFiles | undefined {
  const folder = findProject(cwd);
  return folder === undefined ? undefined : filesOf('project', folder);
}

/** The scope that a command was told to use. A project without a .tenon folder gets one when something is written. */
export function chosenScope(scope: Scope, folders: Pick<Folders, 'data'>, cwd: string): ScopeFiles {
  if (scope === 'user') return userScope(folders);
  const projectFolder = findProject(cwd) ?? newProject(cwd);
  if (projectFolder === undefined) throw errors.create('MARKETPLACE_NO_PROJECT');
  return filesOf('project', projectFolder);
}

/** The user's scope and the project's, if there is one. */
export function scopesFor(folders: Pick<Folders, 'data'>, cwd: string): readonly ScopeFiles[] {
  const project = projectScope(cwd);
  return project ? [userScope(folders), project] : [userScope(folders)];
}

/** The nearest `.tenon` folder up to the repository's root; outside of a repository only the working folder counts. */
function findProject(cwd: string): string | undefined {
  const root = repositoryRoot(cwd);
  for (let folder = cwd; ; folder = dirname(folder)) {
    const candidate = join(folder, '.tenon');
    if (statSync(candidate, { throwIfNoEntry: false })?.isDirectory()) return candidate;
    if (folder === (root ?? cwd) || dirname(folder) === folder) return undefined;
  }
}

function newProject(cwd: string): string | undefined {
  const root = repositoryRoot(cwd);
  return root === undefined ? undefined : join(root, '.tenon');
}

function repositoryRoot(cwd: string): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}
