/** What a run has changed so far, for people to read. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunDiff } from '../api.ts';
import { errors } from '../errors.ts';
import type { RunsParts } from '../parts.ts';
import type { Run } from '../run.ts';
import { changedFiles, workOf } from './apply.ts';
import { GitFault } from './git.ts';

/** More than anybody reads, and what a page can still show. */
const MAX_BYTES = 1024 * 1024;

/** The difference between the worktree's first commit and what lies in it, committed or not. Undefined for a run without a worktree. */
export async function diffRun(parts: Pick<RunsParts, 'queue'>, run: Run): Promise<RunDiff | undefined> {
  const { worktree, alias } = run;
  if (worktree === undefined) return undefined;
  const scratch = await mkdtemp(join(tmpdir(), 'tenon-diff-'));
  try {
    const { git, tree } = await workOf(parts, run, worktree, join(scratch, 'index'));
    const files = (await changedFiles(git, worktree.base, tree)).map(({ path }) => path);
    const bytes = await git.bytes(
      'diff',
      '--no-ext-diff',
      '--no-textconv',
      '--no-color',
      '--no-renames',
      worktree.base,
      tree,
    );
    if (bytes.length <= MAX_BYTES) return { files, text: bytes.toString(), isCut: false };
    // Whole lines only.
    return { files, text: bytes.subarray(0, bytes.lastIndexOf(10, MAX_BYTES) + 1).toString(), isCut: true };
  } catch (fault) {
    if (!(fault instanceof GitFault)) throw fault;
    throw errors.create('RUNS_APPLY_GIT', { alias, reason: fault.message, worktree: worktree.folder }, fault);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
