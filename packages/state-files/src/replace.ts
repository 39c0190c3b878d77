/** Replaces files in one step: a reader sees the old content or the new, also after a crash. */
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { messageOf } from '@tenon/kernel';
import { errors } from './errors.ts';
import { followLinks } from './read.ts';
import { makeFolders, makeFoldersSync } from './make-folders.ts';

/** How a file is written. Without options only its owner can read it. */
export interface WriteOptions {
  /** The mode of the file; 0600 by default. The umask cuts wider modes. */
  readonly mode?: number;
  /** The mode of folders that are made on the way; 0700 by default. */
  readonly folderMode?: number;
  /** An existing file keeps its own mode: for files that people edit. */
  readonly keepMode?: boolean;
  /** Whether a symbolic link stays and the file behind it is replaced (default), or the link itself is. */
  readonly followLinks?: boolean;
  /** False for caches: still in one step, but a power failure may lose the content. */
  readonly flush?: boolean;
}

/** A new content that lies ready beside its file. */
export interface Staged {
  /** Puts the content in place. */
  commit(): Promise<void>;
  /** Throws the content away. */
  discard(): Promise<void>;
}

type Content = string | Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** Replaces a file in one step and makes its folder. A failure leaves the old content and no rest. */
export async function replaceFile(
  file: string,
  content: string | Uint8Array,
  options: WriteOptions = {},
): Promise<void> {
  const { mode = 0o600, folderMode = 0o700, flush = true } = options;
  const target = options.followLinks === false ? file : await followLinks(file);
  try {
    await makeFolders(dirname(target), folderMode);
    const present = options.keepMode === true ? await modeOf(target) : undefined;
    const staged = await stageFile(target, content, { mode: present ?? mode, exact: present !== undefined, flush });
    await staged.commit();
  } catch (fault) {
    throw unwritable(target, fault);
  }
}

/** The same for code that cannot wait; links are not followed. */
export function replaceFileSync(
  file: string,
  content: string | Uint8Array,
  { mode = 0o600, folderMode = 0o700, flush = true }: Pick<WriteOptions, 'mode' | 'folderMode' | 'flush'> = {},
): void {
  const temporary = temporaryFor(file);
  try {
    makeFoldersSync(dirname(file), folderMode);
    writeFileSync(temporary, content, { mode, flag: 'wx', flush });
    renameSync(temporary, file);
    if (flush) syncFolderNow(dirname(file));
  } catch (fault) {
    removeNow(temporary);
    throw unwritable(file, fault);
  }
}

/** Makes a file that is never seen half written; false when it exists already. */
export function createFile(file: string, content: string, { flush = true }: Pick<WriteOptions, 'flush'> = {}): boolean {
  const temporary = temporaryFor(file);
  const write = (path: string) => writeFileSync(path, content, { mode: 0o600, flag: 'wx', flush });
  try {
    makeFoldersSync(dirname(file), 0o700);
    write(temporary);
    const isNew = linkOr(temporary, file, write);
    if (flush && isNew) syncFolderNow(dirname(file));
    return isNew;
  } catch (fault) {
    throw unwritable(file, fault);
  } finally {
    removeNow(temporary);
  }
}

/** Gives a file a second name; false when that is taken. On file systems without hard links the file is written instead. */
function linkOr(from: string, to: string, write: (path: string) => void): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (fault) {
    const { code = '' } = fault as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(code)) throw fault;
  }
  try {
    write(to);
    return true;
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw fault;
  }
}

/**
 * Writes a content beside its file, to be put in place later. `exact` sets the mode whatever the umask says. Links are not
 * followed, and faults are the system's own.
 */
export async function stageFile(
  path: string,
  content: Content,
  { mode, exact = false, flush = true }: { readonly mode: number; readonly exact?: boolean; readonly flush?: boolean },
): Promise<Staged> {
  const temporary = temporaryFor(path);
  // The caller gets the fault of the write; that the file could not be removed either is not news.
  const discard = () => rm(temporary, { force: true }).catch(() => undefined);
  try {
    const handle = await open(temporary, 'wx', mode);
    try {
      if (exact) await handle.chmod(mode);
      if (typeof content === 'string' || content instanceof Uint8Array) await handle.writeFile(content);
      else for await (const piece of content) await handle.writeFile(piece);
      if (flush) await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (fault) {
    await discard();
    throw fault;
  }
  const commit = async () => {
    try {
      await rename(temporary, path);
    } catch (fault) {
      await discard();
      throw fault;
    }
    if (flush) await syncFolder(dirname(path));
  };
  return { commit, discard };
}

/** Names of unfinished contents of a file begin and end so. They are cut, because a name has 255 bytes at most. */
export function temporaryName(path: string): readonly [head: string, tail: string] {
  return [`.${basename(path).slice(0, 50)}.`, '.tmp'];
}

function temporaryFor(path: string): string {
  const [head, tail] = temporaryName(path);
  return join(dirname(path), `${head}${process.pid}-${randomBytes(6).toString('hex')}${tail}`);
}

function removeNow(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // The fault that kept it from being written is the one to tell.
  }
}

async function modeOf(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).mode & 0o777;
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw fault;
  }
}

/** A rename is durable once its folder is. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (fault) {
    ignoreUnsyncable(fault);
  }
}

function syncFolderNow(folder: string): void {
  try {
    const handle = openSync(folder, 'r');
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch (fault) {
    ignoreUnsyncable(fault);
  }
}

/** Some file systems cannot flush folders, and some folders cannot be opened; the rename itself has succeeded. */
function ignoreUnsyncable(fault: unknown): void {
  const { code = '' } = fault as NodeJS.ErrnoException;
  if (!['EINVAL', 'EISDIR', 'EPERM', 'EACCES', 'ENOTSUP', 'EBADF'].includes(code)) throw fault;
}

/** The coded error for a file that the system does not let us write. */
export function unwritable(file: string, fault: unknown): Error {
  return errors.create('STATE_FILE_UNWRITABLE', { file, reason: messageOf(fault) }, fault);
}
