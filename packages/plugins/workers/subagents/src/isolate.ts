/** Copies of the folder for isolated tasks, and their way back. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Folders } from '@tenon/host';
import type { Logger } from '@tenon/kernel';
import type { WorkspaceTrust } from '@tenon/trust/api';
import type { Changes, MergeOutcome, Workspace } from './isolation/api.ts';

export type { Changes, Workspace } from './isolation/api.ts';

/** What a task has changed. */
export interface TaskChanges {
  readonly id: string;
  readonly label: string;
  readonly changes: Changes;
  /** False when the task did not end well: its changes are kept and not merged. */
  readonly isWanted: boolean;
}

/** What became of the changes of a task. */
export interface Merge {
  readonly id: string;
  readonly status: MergeOutcome['status'] | 'kept';
  readonly files: readonly string[];
  readonly reason?: string;
  readonly kept?: string;
}

/** How tasks are isolated. */
export interface IsolationOptions {
  readonly cwd: string;
  readonly mode: 'worktree' | 'overlay';
  readonly merge: 'patch' | 'branch';
  readonly log: Logger;
  readonly folders: Folders;
  trust(): Promise<Pick<WorkspaceTrust, 'neverAsk'> | undefined>;
  /** Words the message of a commit. */
  message(label: string, diff: string): Promise<string>;
}

/** The copies of one call. */
export class Isolation {
  readonly #options: IsolationOptions;
  /** The copies, and what to do when they are gone. */
  readonly #open = new Map<Workspace, () => void>();

  constructor(options: IsolationOptions) {
    this.#options = options;
  }

  async open(id: string, signal: AbortSignal): Promise<Workspace> {
    const { openWorkspace } = await import('./isolation/api.ts');
    const { cwd, mode, log, folders } = this.#options;
    const workspace = await openWorkspace({ cwd, id, mode, signal, log, folders });
    this.#open.set(workspace, (await this.#options.trust())?.neverAsk(topOf(workspace.cwd)) ?? (() => undefined));
    return workspace;
  }

  /** Brings back what tasks changed, in their order. */
  async merge(all: readonly TaskChanges[], signal: AbortSignal): Promise<readonly Merge[]> {
    const { mergeChanges } = await import('./isolation/api.ts');
    const { cwd, merge, message, folders } = this.#options;
    const wanted = all.filter(({ isWanted }) => isWanted);
    const outcomes =
      wanted.length === 0 ? [] : await mergeChanges({ cwd, merge, changes: wanted, message, signal, folders });
    return [...outcomes, ...all.filter(({ isWanted }) => !isWanted).map(keptBack)];
  }

  /** Removes the copies. */
  async close(): Promise<void> {
    const open = [...this.#open];
    this.#open.clear();
    await Promise.all(
      open.map(async ([workspace, gone]) => {
        await workspace.dispose();
        gone();
      }),
    );
  }
}

/** The top of a copy: what a project brings may lie above the folder that is worked in. */
function topOf(cwd: string): string {
  for (let at = cwd; at !== dirname(at); at = dirname(at)) if (existsSync(join(at, '.git'))) return at;
  return cwd;
}

function keptBack({ id, changes }: TaskChanges): Merge {
  if (changes.isEmpty) return { id, status: 'empty', files: [] };
  return {
    id,
    status: 'kept',
    files: changes.files.map(({ path }) => path),
    reason: 'the task did not end well',
    ...(changes.patch !== undefined && { kept: changes.patch }),
  };
}
