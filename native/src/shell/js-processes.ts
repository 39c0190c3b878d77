/** The process tree below a guard, read from /proc, or from `ps` where there is none. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** A process that cannot be mistaken for a later one with the same id. */
export interface Identity {
  readonly pid: number;
  /** The kernel's start tick; 0 where unknown. */
  readonly started: number;
}

interface Stat extends Identity {
  readonly parent: number;
  readonly name: string;
  readonly zombie: boolean;
  readonly stopped: boolean;
}

const HAS_PROC = existsSync('/proc/self/stat');

/** A file of /proc; undefined when the process is gone or is not ours to look at. */
function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // The only reasons are that it ended meanwhile or belongs to another user; both mean "not one of ours".
    return undefined;
  }
}

function numbers(text: string): number[] {
  return text.split(/\s+/).filter(Boolean).map(Number);
}

function stat(pid: number): Stat | undefined {
  const text = readProc(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The name may hold spaces and parentheses; the fields behind it do not.
  const end = text.lastIndexOf(')');
  const fields = text.slice(end + 2).split(' ');
  return {
    pid,
    parent: Number(fields[1]),
    started: Number(fields[19]),
    name: text.slice(text.indexOf('(') + 1, end),
    zombie: fields[0] === 'Z' || fields[0] === 'X',
    stopped: fields[0] === 'T',
  };
}

function allPids(): number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
}

function parents(): Map<number, number> {
  const parentOf = new Map<number, number>();
  if (HAS_PROC) {
    for (const pid of allPids()) {
      const status = stat(pid);
      if (status) parentOf.set(pid, status.parent);
    }
  } else {
    for (const line of execFileSync('ps', ['-axo', 'pid=,ppid='], { encoding: 'utf8' }).split('\n')) {
      const [pid, parent] = numbers(line);
      if (pid !== undefined && parent !== undefined) parentOf.set(pid, parent);
    }
  }
  return parentOf;
}

/** All processes below `root`, and, given a marker and a readable environment, all that carry it. */
export function processesOf(root: number, marker?: string): number[] {
  const below = new Map<number, number[]>();
  const inside = new Set<number>();
  for (const [pid, parent] of parents()) {
    below.set(parent, [...(below.get(parent) ?? []), pid]);
    // The environment of a daemon still names the session after its parents are gone.
    if (marker !== undefined && HAS_PROC && readProc(`/proc/${pid}/environ`)?.includes(`TENON_SHELL=${marker}`))
      inside.add(pid);
  }
  const open = [root, ...inside];
  for (let pid = open.pop(); pid !== undefined; pid = open.pop()) {
    for (const child of below.get(pid) ?? []) {
      if (!inside.has(child)) open.push(child);
      inside.add(child);
    }
  }
  inside.delete(root);
  return [...inside];
}

/** The children of a single-threaded process, or undefined where the kernel does not list them. */
export function childrenOf(pid: number): number[] | undefined {
  const text = readProc(`/proc/${pid}/task/${pid}/children`);
  return text === undefined ? undefined : numbers(text);
}

/** The identity of a live process; undefined when it is gone or only waits to be reaped. */
export function identityOf(pid: number): Identity | undefined {
  if (!HAS_PROC) return { pid, started: 0 };
  const status = stat(pid);
  return status && !status.zombie ? { pid, started: status.started } : undefined;
}

/** True when a signal has stopped the process; false where that cannot be seen. */
export function isStopped(pid: number): boolean {
  return stat(pid)?.stopped ?? false;
}

/** What a person would recognise a process by. */
export function describe(pid: number): string {
  const line = Buffer.from(readProc(`/proc/${pid}/cmdline`) ?? '', 'latin1').toString();
  if (line === '') return `[${stat(pid)?.name ?? ''}]`;
  return line.replace(/\0$/, '').split('\0').join(' ');
}

/** Processes from `root` (not included) down to `leaf` (included). */
export function chain(root: number, leaf: number): number[] {
  const pids = [leaf];
  for (let parent = stat(leaf)?.parent; parent && parent !== root && parent > 1; parent = stat(parent)?.parent) {
    pids.push(parent);
  }
  return pids;
}

/** The process among `candidates` that knows itself as `inner`: a sandbox may have given it an id of its own. */
export function findInner(candidates: readonly number[], inner: number): number | undefined {
  if (candidates.includes(inner)) return inner;
  return candidates.find((pid) => {
    const line = /^NSpid:(.*)$/m.exec(readProc(`/proc/${pid}/status`) ?? '')?.[1] ?? '';
    return numbers(line).at(-1) === inner;
  });
}

/** The kernel's clock in the unit of `started`; 0 where unknown. */
export function currentTick(): number {
  return Math.floor(Number(readProc('/proc/uptime')?.split(' ')[0] ?? 0) * 100);
}

/** Sends a signal; a process that is already gone is what the caller wanted. */
export function signal(pid: number, number: number): void {
  try {
    process.kill(pid, number);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}
