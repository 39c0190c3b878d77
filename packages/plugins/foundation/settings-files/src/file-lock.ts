import { randomUUID } from 'node:crypto';
import { link, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '@tenon/kernel';
import { errors } from './errors.ts';

/** Held while a file is read, changed and written. */
export interface FileLock {
  /** Whether it is still ours: another process may have taken it from one that it thought was gone. */
  isHeld(): Promise<boolean>;
}

interface Holder {
  readonly token: string;
  readonly pid: number;
  readonly host: string;
}

const WAIT_MS = 30_000;
/** A change takes milliseconds; a lock this old belongs to a process that hangs, or whose id was given to another one. */
const STALE_MS = 20_000;

/** Runs `work` while no other process that uses the same lock file does. */
export async function withFileLock<T>(
  file: string,
  work: (lock: FileLock) => Promise<T>,
  options: { waitMs?: number; staleMs?: number } = {},
): Promise<T> {
  const lock = `${file}.lock`;
  const holder: Holder = { token: randomUUID(), pid: process.pid, host: hostname() };
  await acquire(file, lock, holder, { waitMs: options.waitMs ?? WAIT_MS, staleMs: options.staleMs ?? STALE_MS });
  const isHeld = async () => (await readHolder(lock))?.token === holder.token;
  try {
    return await work({ isHeld });
  } finally {
    if (await isHeld()) await rm(lock, { force: true });
  }
}

async function acquire(
  file: string,
  lock: string,
  holder: Holder,
  limits: { waitMs: number; staleMs: number },
): Promise<void> {
  const deadline = Date.now() + limits.waitMs;
  while (!(await tryCreate(lock, holder, file))) {
    const stale = await staleHolder(lock, limits.staleMs);
    if (stale) {
      await removeStale(lock, stale.token);
      continue;
    }
    if (Date.now() > deadline) {
      const other = await readHolder(lock);
      const named = other ? `process ${other.pid} on ${other.host}` : 'unknown';
      throw errors.create('SETTINGS_FILES_LOCKED', { file, lock, holder: named, seconds: limits.waitMs / 1000 });
    }
    // Random, so that many waiting processes do not try in step.
    await sleep(5 + Math.random() * 30);
  }
}

async function tryCreate(lock: string, holder: Holder, file: string): Promise<boolean> {
  try {
    const handle = await open(lock, 'wx', 0o600);
    try {
      await handle.writeFile(JSON.stringify(holder));
    } finally {
      await handle.close();
    }
    return true;
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw errors.create('SETTINGS_FILES_UNWRITABLE', { file, reason: messageOf(fault) }, fault);
  }
}

/** What is known about a holder that is gone; undefined while the lock is good. */
async function staleHolder(lock: string, staleMs: number): Promise<{ token: string | undefined } | undefined> {
  const holder = await readHolder(lock);
  const age = await stat(lock).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0, // Just released: the next attempt will get it.
  );
  const isGone = holder !== undefined && holder.host === hostname() && !isAlive(holder.pid);
  return isGone || age > staleMs ? { token: holder?.token } : undefined;
}

/** Moves the lock aside first: only then is it certain whose it was. A live one goes back. */
async function removeStale(lock: string, token: string | undefined): Promise<void> {
  const aside = `${lock}.${randomUUID().slice(0, 8)}`;
  try {
    await rename(lock, aside);
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return; // Another process was faster.
    throw fault;
  }
  try {
    if ((await readHolder(aside))?.token !== token) await link(aside, lock);
  } catch (fault) {
    // Taken meanwhile: the holder that lost it notices before it writes, and starts again.
    if ((fault as NodeJS.ErrnoException).code !== 'EEXIST') throw fault;
  } finally {
    await rm(aside, { force: true });
  }
}

/** Undefined when there is no lock, or when its holder has not finished writing it. */
async function readHolder(lock: string): Promise<Holder | undefined> {
  const text = await readFile(lock, 'utf8').catch(() => '');
  try {
    return JSON.parse(text) as Holder;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (fault) {
    return (fault as NodeJS.ErrnoException).code === 'EPERM';
  }
}
