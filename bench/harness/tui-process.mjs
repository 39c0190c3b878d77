/** CPU time and memory of a program and everything below it, from /proc. */
import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second here, whatever its own clock is. */
const MS_OF_A_TICK = 10;

/** A process may end while we look at it. @param {string} path */
function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** @param {string} path */
function list(path) {
  try {
    return readdirSync(path).filter((name) => /^\d+$/.test(name));
  } catch {
    // The same: it has ended.
    return [];
  }
}

/** Fields after the name, which may hold blanks. @param {string} pid */
function stat(pid) {
  const text = read(`/proc/${pid}/stat`);
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** @param {number} root @returns {string[]} */
export function processTree(root) {
  const parents = new Map(list('/proc').map((pid) => [pid, stat(pid)[1]]));
  const tree = [String(root)];
  for (const parent of tree) for (const [pid, its] of parents) if (its === parent) tree.push(pid);
  return tree.filter((pid) => parents.has(pid));
}

/**
 * Milliseconds. The counter in nanoseconds forgets threads that have ended, the one in ticks is cut off: both are at most
 * the truth, so the larger is nearer.
 * @param {number} root
 */
export function cpuMs(root) {
  return processTree(root).reduce((sum, pid) => {
    const fields = stat(pid);
    const [user, system, childUser, childSystem] = [11, 12, 13, 14].map((field) => Number(fields[field] ?? 0));
    const threads = list(`/proc/${pid}/task`).map((id) =>
      Number(read(`/proc/${pid}/task/${id}/schedstat`).split(' ')[0]),
    );
    const exact = threads.reduce((total, value) => total + value, 0) / 1e6;
    return sum + Math.max(exact, (user + system) * MS_OF_A_TICK) + (childUser + childSystem) * MS_OF_A_TICK;
  }, 0);
}

/** Megabytes; what processes share is divided among them. @param {number} root @param {'Pss' | 'Rss'} [field] */
export function memoryMb(root, field = 'Pss') {
  const line = new RegExp(`^${field}:\\s+(\\d+)`, 'm');
  const kilobytes = processTree(root).map((pid) => Number(line.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0));
  return kilobytes.reduce((sum, value) => sum + value, 0) / 1024;
}

/** @param {number} root */
export function killTree(root) {
  for (const pid of processTree(root).reverse()) {
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}
