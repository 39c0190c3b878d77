/** Takes the work of subagents over into the parent's folder, one after the other. */
import { createHash } from 'node:crypto';
import { mkdtempSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFolders, runGit } from '@tenon/host';
import { messageOf } from '@tenon/kernel';
import { withLock } from '@tenon/state-files';
import type { Changes, MergeOptions, MergeOutcome } from './api.ts';
import { mergeBranch } from './merge-branch.ts';
import { mergePatch } from './merge-patch.ts';
import { hiddenRoot, makeFolder } from './places.ts';
import { ParentFiles } from './parent-files.ts';

/** Why changes could not be taken over, or that they were. */
export type Merged =
  | { readonly status: 'merged' }
  | {
      readonly status: 'conflict' | 'failed';
      readonly reason: string;
      readonly files?: readonly string[];
      readonly branch?: string;
    };

/** A merge that is under way. */
export interface MergeItem {
  readonly id: string;
  readonly label: string;
  readonly changes: Changes;
}

/** Merges them. */
export async function mergeChanges(options: MergeOptions): Promise<readonly MergeOutcome[]> {
  const { cwd, signal } = options;
  const folders = options.folders ?? findFolders(process.env, cwd);
  const found = await runGit(cwd, ['rev-parse', '--show-toplevel'], { signal });
  const top = found.code === 0 && found.out !== '' ? found.out.replace(/\n$/, '') : realpathSync(cwd);
  makeFolder(hiddenRoot(folders));
  const lock = join(hiddenRoot(folders), `merge-${createHash('sha256').update(top).digest('hex').slice(0, 16)}`);
  return withLock(lock, () => mergeAll(options, top), { signal, waitMs: 10 * 60_000 });
}

async function mergeAll(
  { merge, changes, message, signal }: MergeOptions,
  top: string,
): Promise<readonly MergeOutcome[]> {
  const scratch = mkdtempSync(join(tmpdir(), 'tenon-merge-'));
  const outcomes: MergeOutcome[] = [];
  try {
    const parent = new ParentFiles(top, scratch);
    for (const item of changes) {
      const { id } = item;
      const files = [
        ...new Set(item.changes.files.flatMap(({ path, from }) => (from === undefined ? [path] : [from, path]))),
      ];
      if (item.changes.isEmpty) {
        await item.changes.release();
        outcomes.push({ id, status: 'empty', files: [] });
        continue;
      }
      const merged = await mergeOne(parent, item, merge, message, signal);
      if (merged.status === 'merged') {
        await item.changes.release();
        outcomes.push({ id, status: 'merged', files });
      } else {
        const kept = merged.branch ?? item.changes.patch;
        // The branch has all of it.
        if (merged.branch !== undefined && item.changes.patch !== undefined)
          await rm(item.changes.patch, { force: true });
        const { status, reason } = merged;
        outcomes.push({ id, status, files: merged.files ?? files, reason, ...(kept !== undefined && { kept }) });
      }
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  return outcomes;
}

async function mergeOne(
  parent: ParentFiles,
  item: MergeItem,
  merge: MergeOptions['merge'],
  message: MergeOptions['message'],
  signal: AbortSignal | undefined,
): Promise<Merged> {
  // Between two tasks, never within one.
  if (signal?.aborted) return { status: 'failed', reason: 'It was stopped before this was merged.' };
  try {
    return merge === 'branch'
      ? await mergeBranch(parent, item, message)
      : await mergePatch(parent, item.changes.repositories);
  } catch (fault) {
    return { status: 'failed', reason: messageOf(fault) };
  }
}
