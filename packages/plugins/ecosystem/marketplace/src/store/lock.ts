/** One process at a time. */
import { mkdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { messageOf } from '@tenon/kernel';
import { errors } from '../errors.ts';

const TRIES = 120;
const STALE_MS = 20_000;

/** Does `work` while no other process works under the same name. Waits for half a minute at most. */
export async function withLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const release = await acquire(file);
  const holder = `${file}.holder`;
  try {
    await writeFile(holder, JSON.stringify({ pid: process.pid, host: hostname() }));
    return await work();
  } finally {
    await rm(holder, { force: true });
    await release();
  }
}

async function acquire(file: string): Promise<() => Promise<void>> {
  for (let tries = 0; ; tries++) {
    try {
      return await take(file);
    } catch (fault) {
      const isHeld = (fault as NodeJS.ErrnoException).code === 'ELOCKED';
      if (!isHeld) throw errors.create('MARKETPLACE_UNREADABLE', { file, reason: messageOf(fault) }, fault);
      if (tries >= TRIES) throw errors.create('MARKETPLACE_LOCKED', { file }, fault);
      if (await isHeldByTheDead(file)) await clear(file);
      else
        await new Promise((resolve) => setTimeout(resolve, Math.min(10 * 1.2 ** tries, 300) * (0.5 + Math.random())));
    }
  }
}

async function take(file: string): Promise<() => Promise<void>> {
  // Bundled, a CommonJS package has its exports under `default` only.
  const imported = await import('proper-lockfile');
  const { lock } = imported.default ?? imported;
  let isLost = false;
  const release = await lock(file, {
    realpath: false,
    stale: STALE_MS,
    update: STALE_MS / 4,
    // A machine that slept lets others in. Every change is one replaced file, so nothing is torn by that.
    onCompromised: () => void (isLost = true),
  });
  return async () => {
    if (!isLost) await release();
  };
}

/** A process that died cannot let go; there is no need to wait until its lock is old. */
async function isHeldByTheDead(file: string): Promise<boolean> {
  const text = await readFile(`${file}.holder`, 'utf8').catch(() => undefined);
  const { pid, host } = parseHolder(text);
  if (host !== hostname() || typeof pid !== 'number') return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (fault) {
    return (fault as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

function parseHolder(text = '{}'): { readonly pid?: unknown; readonly host?: unknown } {
  try {
    return (JSON.parse(text) ?? {}) as { pid?: unknown };
  } catch {
    // It is being written right now: somebody lives.
    return {};
  }
}

/** Takes away a dead process's lock. Only one does that at a time, and only after looking again: the lock may be another's by now. */
async function clear(file: string): Promise<void> {
  let release: () => Promise<void>;
  try {
    release = await take(`${file}.clearing`);
  } catch {
    // Another process is at it.
    return;
  }
  try {
    if (!(await isHeldByTheDead(file))) return;
    await rm(`${file}.holder`, { force: true });
    await rmdir(`${file}.lock`).catch(() => undefined);
  } finally {
    await release();
  }
}
