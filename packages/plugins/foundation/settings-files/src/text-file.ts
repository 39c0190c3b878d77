import { randomUUID } from 'node:crypto';
import { type FileHandle, lstat, mkdir, open, readFile, readlink, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { messageOf } from '@tenon/kernel';
import { errors } from './errors.ts';

/** Reads a UTF-8 text file; undefined when there is none. */
export async function readText(file: string): Promise<string | undefined> {
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw errors.create('SETTINGS_FILES_UNREADABLE', { file, reason: messageOf(fault) }, fault);
  }
  try {
    // The byte order mark stays, so that writing the text back keeps it.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (fault) {
    throw errors.create('SETTINGS_FILES_NOT_UTF8', { file, ...firstInvalid(bytes) }, fault);
  }
}

/** Line and column of the first byte that is not UTF-8. */
function firstInvalid(bytes: Buffer): { line: number; column: number } {
  const text = bytes.toString('utf8');
  let offset = 0;
  let line = 1;
  let column = 1;
  for (const character of text) {
    const expected = Buffer.from(character);
    // What cannot be decoded was replaced, so the first difference is the place.
    if (!bytes.subarray(offset, offset + expected.length).equals(expected)) break;
    offset += expected.length;
    if (character === '\n') [line, column] = [line + 1, 1];
    else column++;
  }
  return { line, column };
}

/** The file that a path leads to when its links are followed, also when the last one leads to nothing yet. */
export async function followLinks(file: string): Promise<string> {
  let current = resolve(file);
  for (let links = 0; links < 40; links++) {
    const info = await lstat(current).catch(() => undefined);
    if (!info?.isSymbolicLink()) return current;
    current = resolve(dirname(current), await readlink(current));
  }
  throw errors.create('SETTINGS_FILES_UNWRITABLE', { file, reason: 'its links lead in a circle' });
}

/** How a file and its folder are made when they do not exist. */
export interface NewFileModes {
  readonly file: number;
  readonly folder: number;
}

/** Replaces a file in one step: whoever reads it sees the old or the new content, also after a crash. */
export async function replaceFile(file: string, text: string, modes: NewFileModes): Promise<void> {
  const temporary = `${file}.${process.pid}.${randomUUID().slice(0, 8)}.tmp`;
  try {
    const mode = await stat(file).then(
      (info) => info.mode & 0o777,
      () => modes.file,
    );
    const handle = await open(temporary, 'wx', mode);
    try {
      await handle.chmod(mode);
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
    await syncFolder(dirname(file));
  } catch (fault) {
    await rm(temporary, { force: true });
    throw errors.create('SETTINGS_FILES_UNWRITABLE', { file, reason: messageOf(fault) }, fault);
  }
}

/** Makes the folder of a file, for those who may see it. */
export async function makeFolderOf(file: string, modes: NewFileModes): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: modes.folder });
  } catch (fault) {
    throw errors.create('SETTINGS_FILES_UNWRITABLE', { file, reason: messageOf(fault) }, fault);
  }
}

/** A rename is durable once its folder is. Some file systems cannot sync folders; then the rename is all there is. */
async function syncFolder(folder: string): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(folder, 'r');
    await handle.sync();
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException;
    if (code !== 'EINVAL' && code !== 'EISDIR' && code !== 'EPERM' && code !== 'EACCES') throw fault;
  } finally {
    await handle?.close();
  }
}
