/** Locks for files that belong to the user: nothing appears beside them, and folders that cannot be written do not matter. */
import { createHash } from 'node:crypto';
import { lstat, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { type LockOptions, withLock } from './lock.ts';
import { unwritable } from './replace.ts';
import { makeFolders } from './make-folders.ts';

/**
 * Runs `work` while no other process of the same user, and nothing else in this one, does so for one of the files. They need not exist.
 * Names of one file count as one.
 */
export async function withFilesLocked<T>(
  files: readonly string[],
  work: () => Promise<T>,
  options: LockOptions = {},
): Promise<T> {
  const folder = await lockFolder();
  const keys = new Set<string>();
  for (const file of files)
    keys.add(
      createHash('sha256')
        .update(await realName(file))
        .digest('hex')
        .slice(0, 32),
    );
  // Always in one order: two processes that want the same files must not wait for each other.
  const ordered = [...keys].sort().map((key) => join(folder, key));
  const next = (index: number): Promise<T> => {
    const path = ordered[index];
    return path === undefined ? work() : withLock(path, () => next(index + 1), options);
  };
  return next(0);
}

/** The name without links, as far as it exists. */
async function realName(file: string): Promise<string> {
  const path = resolve(file);
  try {
    return await realpath(path);
  } catch {
    // What does not exist, or may not be looked at, is known by the folder that does.
    const parent = dirname(path);
    return parent === path ? path : join(await realName(parent), basename(path));
  }
}

/** Others can write to the folder for temporary files; what they have put there is not used. */
async function lockFolder(): Promise<string> {
  // Not `userInfo()`, which fails for a user without an entry in the password file, as containers have them.
  const uid = process.geteuid?.();
  const folder = join(tmpdir(), `tenon-locks-${uid ?? 'user'}`);
  try {
    await makeFolders(folder, 0o700);
    const info = await lstat(folder);
    if (!info.isDirectory() || (uid !== undefined && info.uid !== uid)) throw new Error('it belongs to somebody else');
  } catch (fault) {
    throw unwritable(folder, fault);
  }
  return folder;
}
