import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Whether a process runs. One that has ended and still waits for its parent does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !existsSync('/proc/self/stat') || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    // There is no such process, or it ended just now.
    return false;
  }
}

/** The ids of processes that were started with a text in their environment, such as the home of a test, and with `words` in their command line. */
export function processesWith(environment: string, words = ''): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const isMarked = readFileSync(`/proc/${pid}/environ`, 'utf8').includes(environment);
        return isMarked && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(words);
      } catch {
        return false; // It has just ended, or belongs to somebody else.
      }
    });
}
