/**
 * Folders of this user for filters, policies and sockets of confinements, and for the marks of names that are held. All of them lie
 * in one folder, which no sandbox shows, wherever TMPDIR is: who could write there would choose the next filter.
 */
import { lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errors } from './errors.ts';

/** Makes folders below one that is removed with the plugin. */
export class PrivateFolders {
  #root: Promise<string> | undefined;
  #count = 0;

  /** A new folder, for the user alone. */
  async make(): Promise<string> {
    this.#root ??= makeRoot();
    const folder = join(await this.#root, String(this.#count++));
    await mkdir(folder, { mode: 0o700 });
    return folder;
  }

  /** Removes all of them. */
  async close(): Promise<void> {
    const root = await this.#root;
    this.#root = undefined;
    if (root !== undefined) await rm(root, { recursive: true, force: true });
  }
}

/** The one folder around all of them, as a real path; made when it is not there. */
export function privateRoot(): string {
  // Not `userInfo()`, which fails for a user without an entry in the password file, as containers have them.
  const uid = process.geteuid?.();
  const folder = join(realpathSync(tmpdir()), `tenon-sandbox-${uid ?? 'user'}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stats = lstatSync(folder);
  // Somebody else made it first: what they write there must not make us remove anything.
  if (!stats.isDirectory() || (uid !== undefined && (stats.uid !== uid || (stats.mode & 0o022) !== 0))) {
    throw errors.create('SANDBOX_FOLDER_FOREIGN', { folder });
  }
  return folder;
}

/** How the name of a folder of this process begins. */
export const privatePrefix = (): string => join(privateRoot(), `${process.pid}-`);

async function makeRoot(): Promise<string> {
  await removeAbandoned();
  (await import('./held-places.ts')).releaseAbandoned();
  return mkdtemp(privatePrefix());
}

/** A Tenon that was killed could not clean up after itself. */
async function removeAbandoned(): Promise<void> {
  const root = privateRoot();
  for (const name of await readdir(root)) {
    const [, pid] = /^(\d+)-/.exec(name) ?? [];
    if (pid === undefined || isRunning(Number(pid))) continue;
    // It is being removed by another Tenon right now: it stays.
    await rm(join(root, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Whether a process exists. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (fault) {
    return (fault as NodeJS.ErrnoException).code === 'EPERM';
  }
}
