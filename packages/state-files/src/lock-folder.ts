/**
 * The folder that stands for a lock. proper-lockfile keeps it fresh and removes it on exit; here it gets what the package
 * lacks: the holder's name inside from the first moment, and a way to take over that cannot remove somebody else's lock.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, stat, utimes } from 'node:fs';
import { lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isAlive, type ProcessMark, processNamespace, thisProcess } from './process-mark.ts';
import { temporaryName } from './replace.ts';

/** Who holds a lock. */
export interface Holder extends ProcessMark {
  /** Differs for every time that a lock is taken. */
  readonly token: string;
  readonly namespace: string;
}

/** A lock that was taken. */
export interface TakenLock {
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

type Callback = (fault: Error | null) => void;

const HOLDER = 'holder.json';
const HEARTBEAT_MS = 5_000;

/** Takes the lock; undefined when another holder has it. */
export async function takeLock(file: string, path: string): Promise<TakenLock | undefined> {
  surviveFileLimit();
  // In the built program, a CommonJS package has its exports under `default` only.
  const imported = await import('proper-lockfile');
  const { lock } = imported.default ?? imported;
  const mine: Holder = { token: randomBytes(8).toString('hex'), ...thisProcess(), namespace: processNamespace() };
  let isLost = false;
  try {
    const release = await lock(file, {
      lockfilePath: path,
      realpath: false,
      // Whether a holder is gone is decided by `takeOver`.
      stale: Number.POSITIVE_INFINITY,
      update: HEARTBEAT_MS,
      onCompromised: () => void (isLost = true),
      fs: fileSystemFor(mine),
    });
    return {
      isHeld: async () => !isLost && (await holderOf(path))?.token === mine.token,
      release: async () => {
        if (!isLost) await release();
      },
    };
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'ELOCKED') return undefined;
    throw fault;
  }
}

let isSurviving = false;

/**
 * Node ignores the signal of a file that outgrows its limit (`ulimit -f`), and the write fails with EFBIG. proper-lockfile
 * brings signal-exit, which would end the process by it, unless somebody else listens.
 */
function surviveFileLimit(): void {
  if (isSurviving || process.platform === 'win32') return;
  isSurviving = true;
  process.on('SIGXFSZ', () => undefined);
}

/** The parts of Node's fs that proper-lockfile uses, for one holder. */
function fileSystemFor(mine: Holder) {
  const answer = (work: Promise<void>, done: Callback) => void work.then(() => done(null), done);
  return {
    stat,
    utimes,
    mkdir: (path: string, done: Callback) => answer(make(path, mine), done),
    rmdir: (path: string, done: Callback) => answer(removeLock(path, mine.token), done),
    rmdirSync(path: string) {
      const { token } = JSON.parse(readFileSync(join(path, HOLDER), 'utf8')) as Partial<Holder>;
      if (token === mine.token) rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Made aside and renamed: a folder with something in it cannot be replaced, so the first process wins. */
async function make(path: string, mine: Holder): Promise<void> {
  const refusal = Object.assign(new Error('the lock is taken'), { code: 'EEXIST' });
  if (await exists(path)) throw refusal;
  const draft = `${path}.${mine.token}`;
  try {
    await mkdir(draft, { mode: 0o700 });
    await writeFile(join(draft, HOLDER), JSON.stringify(mine), { mode: 0o600 });
    await rename(draft, path);
  } catch (fault) {
    await rm(draft, { recursive: true, force: true });
    const { code = '' } = fault as NodeJS.ErrnoException;
    // Windows gives other codes for a folder that is in the way.
    const isTaken = ['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(code) || (await exists(path));
    throw isTaken ? refusal : fault;
  }
}

/** Removes the lock if its holder is gone or has not been heard of for too long. Gives whether it is worth trying again at once. */
export async function takeOver(file: string, path: string, staleMs: number): Promise<boolean> {
  const holder = await holderOf(path);
  const info = await lstat(path).catch(absent);
  if (!info) return true;
  const hasEnded = holder !== undefined && isGone(holder);
  if (!hasEnded && Date.now() - info.mtimeMs <= staleMs) return false;
  await removeLock(path, holder?.token);
  if (hasEnded) await sweep(file, path, holder);
  return true;
}

/** Whether a holder has surely ended. Of a process in another container only the age of its lock can tell. */
function isGone(holder: Holder): boolean {
  return holder.namespace === processNamespace() && !isAlive(holder);
}

/** Moves the lock aside first: only then is it certain whose it was. Another holder's goes back. */
async function removeLock(path: string, token: string | undefined): Promise<void> {
  if ((await holderOf(path))?.token !== token) return;
  const aside = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    await rename(path, aside);
  } catch (fault) {
    return absent(fault); // Another process was faster.
  }
  // If somebody took the lock meanwhile, it cannot go back; the holder that lost it notices before it writes.
  if (
    (await holderOf(aside))?.token !== token &&
    (await rename(aside, path).then(
      () => true,
      () => false,
    ))
  )
    return;
  await rm(aside, { recursive: true, force: true });
}

/** Removes what killed processes left behind: unfinished contents of the one that held the lock, and unfinished locks. */
async function sweep(file: string, path: string, { pid }: Holder): Promise<void> {
  const folder = dirname(file);
  const [head, tail] = temporaryName(file);
  const isLeft = async (name: string) => {
    if (name.startsWith(`${head}${pid}-`) && name.endsWith(tail)) return true;
    const holder = name.startsWith(`${basename(path)}.`) ? await holderOf(join(folder, name)) : undefined;
    return holder !== undefined && isGone(holder);
  };
  for (const name of await readdir(folder))
    if (await isLeft(name)) await rm(join(folder, name), { recursive: true, force: true });
}

/** Whose the lock is; undefined when there is none, or it does not say. */
export async function holderOf(path: string): Promise<Holder | undefined> {
  try {
    const holder = JSON.parse(await readFile(join(path, HOLDER), 'utf8')) as Partial<Holder> | null;
    const isWhole =
      typeof holder?.pid === 'number' && typeof holder.host === 'string' && typeof holder.token === 'string';
    return isWhole ? (holder as Holder) : undefined;
  } catch {
    return undefined; // Its age decides.
  }
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(absent)) !== undefined;
}

function absent(fault: unknown): undefined {
  if ((fault as NodeJS.ErrnoException).code !== 'ENOENT') throw fault;
}
