/** What the file system says about a path, without reading it. */
import { type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf, type TenonError } from '@tenon/kernel';
import { errors } from './errors.ts';

/** A path that is there. */
export interface Stamp {
  readonly type: 'file' | 'folder' | 'other';
  readonly size: number;
  /** The same for two paths that lead to the same file or folder. */
  readonly identity: string;
  /** Changes when the content does. */
  readonly version: string;
  readonly changedAt: number;
}

/** From 22 on, Node.js does not say whether nothing is there, or a file stands where a folder should be. */
const HIDES_FILES_ABOVE = Number.parseInt(process.versions.node, 10) >= 22;

/** A path is there, is not there (nothing), or could not be looked at. */
export type Look = { readonly stamp?: Stamp; readonly problem?: TenonError };

/**
 * Looks at a path, following links. Done synchronously: a thousand of these take a few milliseconds this way, and fifty by
 * way of the thread pool.
 */
export function look(path: string): Look {
  if (isBelowNothing(path)) return {};
  let stats: Stats | undefined;
  try {
    stats = statSync(path, { throwIfNoEntry: false });
  } catch (fault) {
    return failedLook(path, fault);
  }
  if (!stats) return HIDES_FILES_ABOVE && isBelowFile(path) ? notAFolder(path) : {};
  const { size, dev, ino, mtimeMs, ctimeMs } = stats;
  return {
    stamp: {
      type: stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other',
      size,
      identity: `${dev}:${ino}`,
      version: `${dev}:${ino}:${size}:${mtimeMs}:${ctimeMs}`,
      changedAt: Math.max(mtimeMs, ctimeMs),
    },
  };
}

/** Folders that were there, or not, at the first look of this turn of the event loop. Families look for hundreds of files, nearly all of them in folders that nobody has. */
const folders = new Map<string, 'there' | 'absent'>();

/** True when the folder of a path is not there. What is wrong with a folder is said by who looks at the path itself. */
export function isBelowNothing(path: string): boolean {
  const folder = dirname(path);
  const known = folders.get(folder);
  if (known !== undefined) return known === 'absent';
  if (folders.size === 0) setImmediate(() => folders.clear());
  const isAbsent = isNothing(folder);
  folders.set(folder, isAbsent ? 'absent' : 'there');
  return isAbsent;
}

function isNothing(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined && !(HIDES_FILES_ABOVE && isBelowFile(path));
  } catch {
    return false; // Out of reach, or in circles: something is there.
  }
}

function failedLook(path: string, fault: unknown): Look {
  const code = (fault as NodeJS.ErrnoException).code;
  if (code === 'ELOOP') return { problem: errors.create('DISCOVERY_LOOP', { file: path }, fault) };
  if (code === 'ENOTDIR') return notAFolder(path, fault);
  // A name that no file system takes names nothing.
  if (code === 'ENAMETOOLONG' || code === 'ERR_INVALID_ARG_VALUE') return {};
  return { problem: errors.create('DISCOVERY_UNREADABLE', { file: path, reason: reasonOf(fault) }, fault) };
}

/** The part of a path that is a file although the path goes on. */
function notAFolder(path: string, fault?: unknown): Look {
  return { problem: errors.create('DISCOVERY_NOT_A_FOLDER', { file: fileAbove(path) }, fault) };
}

function isBelowFile(path: string): boolean {
  const parent = dirname(path);
  if (parent === path) return false;
  const stats = statSync(parent, { throwIfNoEntry: false });
  return stats ? !stats.isDirectory() : isBelowFile(parent);
}

function fileAbove(path: string): string {
  const parent = dirname(path);
  if (parent === path) return path;
  const { stamp } = look(parent);
  return stamp ? parent : fileAbove(parent);
}

/** Why the file system refused, without the path, which the error says anyway. */
export function reasonOf(fault: unknown): string {
  const { code } = fault as NodeJS.ErrnoException;
  const reasons: Readonly<Record<string, string>> = {
    EACCES: 'permission denied',
    EPERM: 'permission denied',
    EIO: 'the disk does not give it out',
    EMFILE: 'too many files are open',
  };
  return reasons[code ?? ''] ?? messageOf(fault);
}
