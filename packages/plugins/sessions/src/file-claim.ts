/** Two processes that append to one session would tear its tree apart. The one that writes claims the file. */
import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { errors } from './errors.ts';

interface Claim {
  readonly pid: number;
  readonly host: string;
  /** When the process started, by the kernel's clock: process ids are used again. */
  readonly started: string;
}

/** Claims a file for this process; gives the function that lets go of it. */
export function claimFile(file: string): () => void {
  const path = `${file}.lock`;
  const mine: Claim = { pid: process.pid, host: hostname(), started: startOf(process.pid) };
  for (;;) {
    try {
      const handle = openSync(path, 'wx', 0o600);
      try {
        writeSync(handle, JSON.stringify(mine));
      } finally {
        closeSync(handle);
      }
      return () => rmSync(path, { force: true });
    } catch (fault) {
      if ((fault as NodeJS.ErrnoException).code !== 'EEXIST') throw fault;
    }
    const other = readClaim(path);
    if (other && isAlive(other)) throw errors.create('SESSION_IN_USE', { file, pid: other.pid, host: other.host });
    rmSync(path, { force: true });
  }
}

function readClaim(path: string): Claim | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Claim;
  } catch {
    return undefined; // Gone, or left half written by a process that was killed.
  }
}

function isAlive({ pid, host, started }: Claim): boolean {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
  } catch (fault) {
    return (fault as NodeJS.ErrnoException).code === 'EPERM';
  }
  return started === '' || startOf(pid) === started;
}

/** The start time of a process where the system tells it, else nothing. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
