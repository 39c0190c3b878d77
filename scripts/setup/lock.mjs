/**
 * Lets one set-up run at a time in a checkout. Two first runs started together must not both delete node_modules.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 150;
/** Removing a dead holder's lock takes milliseconds; a remover that is still there after this died meanwhile. */
const REMOVER_STALE_MS = 10_000;

/**
 * Waits for the lock and takes it.
 * @param {string} path @param {{ onWait?: (pid: number) => void }} [options]
 * @returns {Promise<() => void>} releases it
 */
export async function takeLock(path, { onWait = () => {} } = {}) {
  // Not `recursive`, which reports a read-only file system as a missing folder.
  if (!existsSync(dirname(path))) mkdirOrThere(dirname(path));
  const mine = JSON.stringify({ pid: process.pid, host: hostname(), started: startOf(process.pid) });
  for (let hasSaid = false; !createExclusively(path, mine); await sleep(POLL_MS)) {
    const holder = readHolder(path);
    if (holder && isGone(holder)) {
      removeStale(path);
    } else if (holder && !hasSaid) {
      hasSaid = true;
      onWait(holder.pid);
    }
  }
  return () => {
    if (readFileOrEmpty(path) === mine) rmSync(path, { force: true });
  };
}

/** Whether a process that still runs holds the lock. @param {string} path */
export function isHeld(path) {
  const holder = readHolder(path);
  return holder !== undefined && !isGone(holder);
}

function mkdirOrThere(folder) {
  try {
    mkdirSync(folder);
  } catch (error) {
    if (error.code !== 'EEXIST') throw error; // Another process was faster.
  }
}

function createExclusively(path, text) {
  try {
    writeFileSync(path, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Removes under a second lock: otherwise two waiters could see the same dead holder, and one delete the other's lock. */
function removeStale(path) {
  const remover = `${path}.remover`;
  if (!createExclusively(remover, String(process.pid))) {
    const age = Date.now() - (statSync(remover, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > REMOVER_STALE_MS) rmSync(remover, { force: true });
    return;
  }
  try {
    const holder = readHolder(path);
    if (holder && isGone(holder)) rmSync(path, { force: true });
  } finally {
    rmSync(remover, { force: true });
  }
}

/** @returns {{ pid: number, host: string, started?: string } | undefined} nothing: released, or not written out yet */
function readHolder(path) {
  const text = readFileOrEmpty(path);
  try {
    return text ? JSON.parse(text) : undefined;
  } catch {
    return undefined; // Half written; the next look sees it whole.
  }
}

function readFileOrEmpty(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return '';
    throw error;
  }
}

function isGone({ pid, host, started }) {
  if (host !== hostname()) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error.code === 'ESRCH';
  }
  // After a crash of the machine another process may have the number of the one that held the lock.
  return started !== undefined && startOf(pid) !== started;
}

/** When a process began, in the system's own count; only Linux tells. @param {number} pid @returns {string | undefined} */
function startOf(pid) {
  const stat = process.platform === 'linux' ? readFileOrEmpty(`/proc/${pid}/stat`) : '';
  // The name of the program, in brackets, may hold blanks.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}
