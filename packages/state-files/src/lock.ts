/** One process at a time. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errors } from './errors.ts';
import { holderOf, type TakenLock, takeLock, takeOver } from './lock-folder.ts';
import { unwritable, type WriteOptions } from './replace.ts';
import { makeFolders } from './make-folders.ts';

/** A lock while it is held. */
export interface HeldLock {
  /** Whether it is still ours: another process may have taken it while this machine slept. */
  isHeld(): Promise<boolean>;
}

/** How a lock is taken. */
export interface LockOptions extends Pick<WriteOptions, 'folderMode'> {
  /** Ends the waiting. */
  readonly signal?: AbortSignal | undefined;
  /** How long one other holder may keep it; half a minute by default. A lock that goes from hand to hand is waited for. */
  readonly waitMs?: number;
  /** How long a holder that cannot be looked at may be silent; it says every five seconds that it lives. */
  readonly staleMs?: number;
}

const WAIT_MS = 30_000;
const STALE_MS = 20_000;

interface Holding {
  readonly path: string;
  isOver: boolean;
}

/** What the present piece of work has locked. */
const holdings = new AsyncLocalStorage<readonly Holding[]>();
let open = 0;

/** Runs `work` while no other process, and nothing else in this one, does so for the same file. The file need not exist. */
export async function withLock<T>(
  file: string,
  work: (lock: HeldLock) => Promise<T>,
  options: LockOptions = {},
): Promise<T> {
  const path = `${resolve(file)}.lock`;
  const outer = holdings.getStore() ?? [];
  if (outer.some((holding) => holding.path === path && !holding.isOver))
    throw errors.create('STATE_FILE_LOCKED_TWICE', { file });
  const lock = await acquire(file, path, options);
  const holding: Holding = { path, isOver: false };
  open++;
  try {
    return await holdings.run([...outer, holding], work, lock);
  } finally {
    holding.isOver = true;
    // Following the work of the whole process costs time, so it ends with the last lock.
    if (--open === 0) holdings.disable();
    await lock.release().catch((fault: unknown) => {
      throw unwritable(path, fault);
    });
  }
}

async function acquire(
  file: string,
  path: string,
  { signal, waitMs = WAIT_MS, staleMs = STALE_MS, folderMode = 0o700 }: LockOptions,
): Promise<TakenLock> {
  signal?.throwIfAborted();
  let [seen, deadline] = ['', Date.now() + waitMs];
  for (;;) {
    try {
      await makeFolders(dirname(path), folderMode);
      const lock = await takeLock(file, path);
      if (lock) return lock;
      if (await takeOver(file, path, staleMs)) continue;
    } catch (fault) {
      throw unwritable(file, fault);
    }
    const other = await holderOf(path);
    if (other && other.token !== seen) [seen, deadline] = [other.token, Date.now() + waitMs];
    if (Date.now() > deadline) {
      const holder = other ? `process ${other.pid} on ${other.host}` : 'another process';
      throw errors.create('STATE_FILE_LOCKED', { file, lock: path, holder, seconds: waitMs / 1000 });
    }
    // Random, so that many waiting processes do not try in step.
    await sleep(5 + Math.random() * 30, undefined, { signal });
  }
}
