/** Where the folders of subagents lie. */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Folders } from '@tenon/host';

/** Tenon's folders, as far as they are needed here. */
export type IsolationFolders = Pick<Folders, 'cache' | 'state'>;

/** What belongs to one workspace. */
export interface WorkspacePlaces {
  readonly name: string;
  /** The subagent's own: beside Tenon's folders, because everything in those is kept from agents. */
  readonly open: string;
  /** Trees, indexes and marks that no agent sees. */
  readonly hidden: string;
  /** Where its work is kept when it cannot be taken over. */
  readonly patch: string;
}

/** The folder of everything that subagents see. */
export function openRoot({ cache }: IsolationFolders): string {
  return join(dirname(cache), 'tenon-workspaces');
}

/** The folder of everything about workspaces that they do not see. */
export function hiddenRoot({ cache }: IsolationFolders): string {
  return join(cache, 'subagents');
}

/** The folder of patches with work that could not be taken over. */
export function patchRoot({ state }: IsolationFolders): string {
  return join(state, 'subagents');
}

/** The places of a workspace. Nothing is made. */
export function placesOf(folders: IsolationFolders, name: string): WorkspacePlaces {
  return {
    name,
    open: join(openRoot(folders), name),
    hidden: join(hiddenRoot(folders), name),
    patch: join(patchRoot(folders), `${name}.patch`),
  };
}

/** Makes a folder for the user alone. */
export function makeFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
}
