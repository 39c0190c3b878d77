/** The worktrees that Tenon has made, and which process works in them. */
import { join } from 'node:path';
import * as stateFiles from '@tenon/state-files';
import type { Worktree } from './api.ts';
import { errors } from './errors.ts';

/** A worktree as it is written down. */
export interface WorktreeRecord extends Worktree {
  /** The process that works in it. */
  readonly user?: stateFiles.ProcessMark;
}

const FORM = stateFiles.recordForm<WorktreeRecord>({
  version: 1,
  section: 'worktrees',
  problem: (folder, record) =>
    [record?.name, record?.branch ?? '', record?.repository, record?.base].every((text) => typeof text === 'string')
      ? undefined
      : `what it says about ${folder} is not a worktree`,
  damaged: (file, reason, cause) => errors.create('WORKTREES_RECORDS_INVALID', { file, reason }, cause),
});

const fileIn = (data: string) => join(data, 'worktrees.json');

/** All of them, by folder. */
export function readRecords(data: string): Readonly<Record<string, WorktreeRecord>> {
  return stateFiles.readStateSync(fileIn(data), FORM);
}

/** Changes one; `change` gives nothing to forget it. */
export async function changeRecord(
  data: string,
  folder: string,
  change: (record: WorktreeRecord | undefined) => WorktreeRecord | undefined,
): Promise<void> {
  await stateFiles.changeRecord(fileIn(data), FORM, folder, change);
}
