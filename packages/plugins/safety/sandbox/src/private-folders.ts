/** Folders of this process for filters, policies and sockets of its confinements; they are never visible inside one. */
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** How the names of such folders begin; the id of the process that made them follows. */
export const PRIVATE_PREFIX = 'tenon-sandbox-';

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

async function makeRoot(): Promise<string> {
  await removeAbandoned();
  (await import('./held-places.ts')).releaseAbandoned();
  return mkdtemp(join(tmpdir(), `${PRIVATE_PREFIX}${process.pid}-`));
}

/** A Tenon that was killed could not clean up after itself. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, pid] = new RegExp(`^${PRIVATE_PREFIX}(\\d+)-`).exec(name) ?? [];
    if (pid === undefined || isRunning(Number(pid))) continue;
    // Somebody else's, or being removed by another Tenon right now: it stays.
    await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Whether a process exists. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (fault) {
    return (fault as NodeJS.ErrnoException).code === 'EPERM';
  }
}
