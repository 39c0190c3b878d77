/** Finds programs as a shell would. */
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import type { WorkerAdapter } from './api.ts';

/** The file of an adapter's program; undefined when it is not installed. */
export async function locateWorker(
  adapter: Pick<WorkerAdapter, 'spec' | 'start'>,
  path: string | undefined,
): Promise<string | undefined> {
  const words = adapter.start?.();
  // The runtime is there whenever this runs; what counts is the program that it is to run.
  return locateProgram(words?.at(-1) ?? adapter.spec.program, path, words !== undefined && words.length > 1);
}

/** The first file of this name in PATH that can be run; a name with a slash is a path itself. */
export async function locateProgram(
  name: string,
  path: string | undefined,
  isScript = false,
): Promise<string | undefined> {
  const mode = isScript ? constants.R_OK : constants.X_OK;
  if (name.includes('/')) return (await isFile(name, mode)) ? name : undefined;
  // A relative folder in PATH would be one of whatever project the worker is started in.
  const folders = (path ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  for (const folder of folders) {
    const file = join(folder, name);
    if (await isFile(file, mode)) return file;
  }
  return undefined;
}

async function isFile(file: string, mode: number): Promise<boolean> {
  try {
    await access(file, mode);
    return (await stat(file)).isFile();
  } catch {
    // Not there, or not for us: the next folder.
    return false;
  }
}
