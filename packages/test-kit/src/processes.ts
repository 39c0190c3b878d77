import { existsSync, readFileSync } from 'node:fs';

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
