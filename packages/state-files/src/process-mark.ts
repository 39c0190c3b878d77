/** Which process holds something. Process ids are reused, and mean nothing on another machine. */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Names a process beyond its lifetime. */
export interface ProcessMark {
  readonly pid: number;
  readonly host: string;
  /** When the process started, by the system's clock. Empty where the system does not tell. */
  readonly started: string;
}

/** The mark of this process. */
export function thisProcess(): ProcessMark {
  return processMark(process.pid);
}

/** The mark of a process of this machine that is running now. */
export function processMark(pid: number): ProcessMark {
  return { pid, host: hostname(), started: startOf(pid) };
}

/** Whether the process may still be running. One that cannot be looked at from here counts as running. */
export function isAlive({ pid, host, started }: ProcessMark): boolean {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
  } catch (fault) {
    return (fault as NodeJS.ErrnoException).code === 'EPERM';
  }
  return started === '' || startOf(pid) === started;
}

function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return ''; // No /proc on this system, or the process ended just now.
  }
}

/** The namespace in which process ids count, as containers have their own; empty where the system has none. */
export function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return ''; // Not on Linux.
  }
}
