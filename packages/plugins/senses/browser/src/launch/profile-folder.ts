/**
 * The folder of one browser: its profile and downloads, which the browser may write to, and beside them what starts and guards it,
 * which it may not. Folders of a Tenon that was killed are removed with the next start.
 */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, realpath, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Folders } from '@tenon/host';

/** Where a browser keeps its files. */
export interface ProfileFolder {
  /** For Tenon alone. */
  readonly own: string;
  /** What the browser may write to; the next four lie in it. */
  readonly data: string;
  readonly profile: string;
  readonly downloads: string;
  readonly uploads: string;
  readonly home: string;
  /** Removes what is not kept. */
  remove(): Promise<void>;
}

/** Makes the folder. With `keep`, the profile is that of the session's last browser. */
export async function makeProfileFolder(
  { cache, state }: Pick<Folders, 'cache' | 'state'>,
  session: string,
  keep: boolean,
): Promise<ProfileFolder> {
  const all = join(cache, 'browser');
  await mkdir(all, { recursive: true, mode: 0o700 });
  await removeAbandoned(all);
  const own = join(await realpath(all), `${process.pid}-${randomBytes(6).toString('hex')}`);
  inUse.add(basename(own));
  await mkdir(own, { mode: 0o700 });
  const kept = join(state, 'browser', createHash('sha256').update(session).digest('hex').slice(0, 16));
  const wanted = keep ? kept : join(own, 'data');
  await mkdir(wanted, { recursive: true, mode: 0o700 });
  const data = await realpath(wanted);
  const at = (name: string) => join(data, name);
  for (const name of ['profile', 'downloads', 'uploads', 'home'])
    await mkdir(at(name), { recursive: true, mode: 0o700 });
  return {
    own,
    data,
    profile: at('profile'),
    downloads: at('downloads'),
    uploads: at('uploads'),
    home: at('home'),
    async remove() {
      inUse.delete(basename(own));
      for (const path of [...(keep ? [at('downloads'), at('uploads')] : []), own]) await removeSurely(path);
    },
  };
}

const TRIES = 5;

/** The folders of browsers that this process runs. */
const inUse = new Set<string>();

/** The last processes of a browser may still write when they have been killed, and make the folder anew. */
async function removeSurely(path: string): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    await rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    if (!existsSync(path)) return;
    await sleep(100);
  }
}

/** A Tenon that was killed could not clean up after itself. */
async function removeAbandoned(all: string): Promise<void> {
  for (const name of await readdir(all)) {
    const [, pid] = /^(\d+)-/.exec(name) ?? [];
    if (pid === undefined || inUse.has(name)) continue;
    // Of this process, what is not in use came back after it was removed.
    if (Number(pid) !== process.pid && isRunning(Number(pid))) continue;
    // Another Tenon may be removing it right now: it stays for the next time.
    await rm(join(all, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (fault) {
    return (fault as NodeJS.ErrnoException).code === 'EPERM';
  }
}
