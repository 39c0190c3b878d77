/** Folders for new files. */
import { mkdirSync, statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it, one by one: Node's own way says ENOENT for a read-only disk, and tries without end
 * where nothing can be made, as below `/proc`.
 */
export async function makeFolders(folder: string, mode?: number): Promise<void> {
  try {
    await make(folder, mode);
  } catch (fault) {
    if (!lacksFolder(fault, folder)) throw fault;
    await makeFolders(dirname(folder), mode);
    await make(folder, mode);
  }
}

/** The same, at once. */
export function makeFoldersSync(folder: string, mode?: number): void {
  try {
    makeSync(folder, mode);
  } catch (fault) {
    if (!lacksFolder(fault, folder)) throw fault;
    makeFoldersSync(dirname(folder), mode);
    makeSync(folder, mode);
  }
}

async function make(folder: string, mode: number | undefined): Promise<void> {
  try {
    await mkdir(folder, { mode });
  } catch (fault) {
    // Another process was faster, or a link leads to it.
    if (!isThere(fault) || !(await stat(folder)).isDirectory()) throw fault;
  }
}

function makeSync(folder: string, mode: number | undefined): void {
  try {
    mkdirSync(folder, { mode });
  } catch (fault) {
    if (!isThere(fault) || !statSync(folder).isDirectory()) throw fault;
  }
}

function isThere(fault: unknown): boolean {
  return (fault as NodeJS.ErrnoException).code === 'EEXIST';
}

function lacksFolder(fault: unknown, folder: string): boolean {
  return (fault as NodeJS.ErrnoException).code === 'ENOENT' && dirname(folder) !== folder;
}
