/** Folders that requests name. */
import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { errors } from './errors.ts';

/** Whether a path leads to a folder. */
export async function isFolder(path: string): Promise<boolean> {
  // What cannot be looked at is no folder to work in.
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

/** The path of a folder of this machine; an error for anything else. */
export async function folderOf(path: string): Promise<string> {
  if (!isAbsolute(path) || !(await isFolder(path))) throw errors.create('WEB_FOLDER', { folder: path });
  return path;
}
