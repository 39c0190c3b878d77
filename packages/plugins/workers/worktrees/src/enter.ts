/** How a run of the command line works in a worktree: it is made before anything else begins, and looked at when all is over. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Folders } from '@tenon/host';
import { plainLine } from '@tenon/wording';
import type { Worktree } from './api.ts';
import { findRepository } from './repository.ts';
import { describeStatus } from './status.ts';
import { createWorktrees, NAME } from './worktrees.ts';

/** What `--worktree` says; nothing when it is not there. */
export interface WorktreeFlag {
  readonly name?: string;
}

/** A worktree that a run works in. */
export interface EnteredWorktree {
  readonly worktree: Worktree;
  /** The folder in it that stands for the one where the run was started. */
  readonly folder: string;
  /** What to tell the user when the run begins. */
  readonly notices: readonly string[];
  /** Ends it: an untouched worktree is removed. Gives what to tell the user. */
  leave(): Promise<string>;
}

const FLAG = '--worktree';

/**
 * Reads the flag from a line for the agent. The flag may stand alone: a word behind it is its name only if it can be one, so
 * that a prompt in quotes stays a prompt.
 */
export function worktreeFlag(words: readonly string[]): WorktreeFlag | undefined {
  const [first = ''] = words;
  // Other commands do not have the flag, and say so.
  if (first !== 'agent' && !/^[-@]|\s/.test(first)) return undefined;
  const end = words.indexOf('--');
  const line = end === -1 ? words : words.slice(0, end);
  const inline = line.findLast((word) => word.startsWith(`${FLAG}=`));
  if (inline !== undefined) return nameOf(inline.slice(FLAG.length + 1));
  const at = line.lastIndexOf(FLAG);
  if (at === -1) return undefined;
  const next = line[at + 1];
  return next !== undefined && NAME.test(next) ? { name: next } : {};
}

function nameOf(given: string): WorktreeFlag {
  return given === '' ? {} : { name: given };
}

/** Makes the worktree, or finds it again. */
export async function enterWorktree(
  folders: Pick<Folders, 'data' | 'cwd'>,
  { name }: WorktreeFlag,
): Promise<EnteredWorktree> {
  const service = createWorktrees(folders);
  const repository = await findRepository(folders.cwd);
  const { worktree, isReused, notices } = await service.create(folders.cwd, name);
  const below = join(worktree.folder, repository?.below ?? '');
  // A folder that is in no commit is not there either.
  const folder = existsSync(below) ? below : worktree.folder;
  const about = `${plainLine(worktree.folder)} (${worktree.branch === undefined ? 'no branch' : `branch ${worktree.branch}`})`;
  return {
    worktree,
    folder,
    notices: [`${isReused ? 'Working again' : 'Working'} in the worktree ${worktree.name}: ${about}`, ...notices],
    async leave() {
      const { status, isRemoved } = await service.release(worktree);
      if (isRemoved) return `Nothing was changed in the worktree ${worktree.name}, so it was removed.`;
      return `The worktree ${worktree.name} holds ${describeStatus(status) || 'another commit than before'}: ${about}`;
    },
  };
}
