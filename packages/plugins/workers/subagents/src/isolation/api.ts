/** Folders of their own for subagents, and how their work comes back. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type IsolationFolders, patchRoot } from './places.ts';
import type { OverlayKind } from './overlay-mount.ts';

export { errors as isolationErrors } from './isolation-errors.ts';
export type { IsolationFolders, OverlayKind };

/** How a workspace is opened. */
export interface OpenOptions {
  /** The folder that the parent works in. */
  readonly cwd: string;
  readonly id: string;
  readonly mode: 'worktree' | 'overlay';
  readonly signal?: AbortSignal | undefined;
  /** Told when something else is done than was asked for. */
  readonly log?: { warn(message: string): void } | undefined;
  /** Tenon's folders; those of the environment when absent. */
  readonly folders?: IsolationFolders | undefined;
  /** Ways to mount an overlay, the best first; all when absent. */
  readonly overlays?: readonly OverlayKind[] | undefined;
}

/** A folder in which a subagent sees what its parent sees, and changes nothing of the parent's. */
export interface Workspace {
  /** The folder in it that stands for the parent's. */
  readonly cwd: string;
  /** `worktree` also where an overlay was asked for and could not be mounted. */
  readonly mode: 'worktree' | 'overlay';
  readonly mount?: OverlayKind;
  /** Sentences for the user. */
  readonly notices: readonly string[];
  /** What differs from what the subagent began with. Files that git ignores do not count. */
  collect(): Promise<Changes>;
  /** Removes the folder. Changes that were collected stay until they are merged or released. */
  dispose(): Promise<void>;
}

/** A file that was changed; paths count from the top of the repository. */
export interface ChangedFile {
  readonly path: string;
  readonly change: 'added' | 'modified' | 'deleted' | 'renamed';
  readonly from?: string;
}

/** What was changed in one repository of a workspace. */
export interface RepositoryChange {
  /** From the top of the workspace; empty for the top. */
  readonly path: string;
  /** The git folder that holds both trees. */
  readonly store: string;
  readonly base: string;
  readonly theirs: string;
  /** True when the subagent has made it. */
  readonly isNew: boolean;
}

/** What a subagent has changed. */
export interface Changes {
  readonly isEmpty: boolean;
  readonly files: readonly ChangedFile[];
  /** All of it as one patch file, binary contents too; absent when nothing was changed. */
  readonly patch?: string;
  readonly notices: readonly string[];
  readonly repositories: readonly RepositoryChange[];
  /** Forgets them, and removes the patch. */
  release(): Promise<void>;
}

/** What became of the changes of one subagent. */
export interface MergeOutcome {
  readonly id: string;
  readonly status: 'merged' | 'empty' | 'conflict' | 'failed';
  readonly files: readonly string[];
  readonly reason?: string;
  /** The patch file or branch that still has the work. */
  readonly kept?: string;
}

/** Changes that are to be merged, in this order. */
export interface MergeOptions {
  readonly cwd: string;
  readonly merge: 'patch' | 'branch';
  readonly changes: readonly { readonly id: string; readonly label: string; readonly changes: Changes }[];
  /** The message of a commit. */
  message(label: string, diff: string): Promise<string>;
  readonly signal?: AbortSignal | undefined;
  readonly folders?: IsolationFolders | undefined;
}

/** What was done with a workspace that a killed process left. */
export interface SweptWorkspace {
  readonly name: string;
  readonly isRemoved: boolean;
  /** Why it stays. */
  readonly reason?: string;
  /** The patch that has its work. */
  readonly kept?: string;
}

/** Work that could not be taken over. */
export interface KeptPatch {
  readonly file: string;
  /** When it was written, in ISO 8601. */
  readonly time: string;
}

/** Opens a folder of its own for a subagent. */
export async function openWorkspace(options: OpenOptions): Promise<Workspace> {
  return (await import('./open.ts')).openWorkspace(options);
}

/** Takes the work of subagents over, in order; each wholly or not at all. What does not fit is kept. */
export async function mergeChanges(options: MergeOptions): Promise<readonly MergeOutcome[]> {
  return (await import('./merge.ts')).mergeChanges(options);
}

/** Looks after what killed processes left: work becomes a patch, mounts and folders go. */
export async function sweepWorkspaces(folders: IsolationFolders): Promise<readonly SweptWorkspace[]> {
  return (await import('./sweep.ts')).sweepWorkspaces(folders);
}

/** The patches of work that was not merged, the newest first. */
export function keptPatches(folders: IsolationFolders): readonly KeptPatch[] {
  const root = patchRoot(folders);
  if (!existsSync(root)) return [];
  return readdirSync(root)
    .filter((name) => name.endsWith('.patch'))
    .flatMap((name) => {
      const file = join(root, name);
      const stats = statSync(file, { throwIfNoEntry: false });
      return stats?.isFile() ? [{ file, time: stats.mtime.toISOString() }] : [];
    })
    .sort((a, b) => (a.time < b.time ? 1 : -1));
}
