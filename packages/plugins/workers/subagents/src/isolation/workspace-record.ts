/** What is written down about a workspace, so that another process can look after it when this one is killed. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ProcessMark, thisProcess } from '@tenon/state-files';
import type { OverlayKind } from './overlay-mount.ts';

/** A repository of the workspace. */
export interface RecordedRepository {
  /** From the top of the workspace; empty for the top. */
  readonly path: string;
  /** The folder of its store. */
  readonly store: string;
  /** The tree that the subagent began with. */
  readonly baseline: string;
  readonly format: string;
}

/** A workspace. */
export interface WorkspaceRecord {
  readonly mode: 'worktree' | 'overlay';
  /** How the overlay is mounted. */
  readonly mount?: OverlayKind;
  /** The folder that it stands for. */
  readonly top: string;
  readonly repositories: readonly RecordedRepository[];
  readonly owner: ProcessMark;
}

const fileIn = (hidden: string) => join(hidden, 'workspace.json');

/** Writes it down as one of this process. */
export function writeRecord(hidden: string, record: Omit<WorkspaceRecord, 'owner'>): WorkspaceRecord {
  const whole = { ...record, owner: thisProcess() };
  writeFileSync(fileIn(hidden), JSON.stringify(whole), { mode: 0o600 });
  return whole;
}

/** Reads it; nothing where there is none or it is damaged. */
export function readRecord(hidden: string): WorkspaceRecord | undefined {
  if (!existsSync(fileIn(hidden))) return undefined;
  try {
    return JSON.parse(readFileSync(fileIn(hidden), 'utf8')) as WorkspaceRecord;
  } catch {
    return undefined; // Written halfway when the process was killed: the workspace was not open yet.
  }
}
