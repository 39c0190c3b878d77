import { existsSync, readFileSync } from 'node:fs';

/** Whether a process runs. One that has ended and still waits for its parent does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    // There is no such process.
    return false;
  }
  const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'latin1') : '';
  return !/\) [ZX] /.test(stat);
}
