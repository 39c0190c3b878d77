/** Finds every process of a session, also those that have left its tree, and ends them. */
import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { RUN_VARIABLE } from './launcher.ts';

/** A process as the system shows it. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  /** When it was started; empty where the system does not tell. */
  readonly started: string;
  readonly name: string;
  /** The value of the mark in its environment. */
  readonly run?: string;
}

/** Whose processes are meant. */
export interface SessionProcesses {
  /** The mark of the session: `<run>:<session>`. */
  readonly run: string;
  /** The launcher, when it is known. */
  readonly root?: { readonly pid: number; readonly started: string } | undefined;
}

/** Sandboxes end at once when their outer process does, and everything in them; it is left for last. */
const OUTER = new Set(['bwrap']);
const LOOK_MS = 25;
/** How often those that are left are killed again: processes that start others as fast as they are killed. */
const ROUNDS = 200;

let upcoming: Promise<readonly ProcessRow[]> | undefined;
let restUntil = 0;

/** All processes, looked at after this call. Calls at the same time share one look, and looking takes a fifth of the time at most. */
export function processTable(): Promise<readonly ProcessRow[]> {
  return (upcoming ??= sleep(Math.max(5, restUntil - performance.now())).then(async () => {
    upcoming = undefined;
    const began = performance.now();
    const rows = await (process.platform === 'linux' ? readProc() : readPs());
    restUntil = performance.now() + 4 * (performance.now() - began);
    return rows;
  }));
}

/** The processes of a session. This process is never one of them. */
export function processesOf(session: SessionProcesses, table: readonly ProcessRow[]): readonly ProcessRow[] {
  const byParent = new Map<number, ProcessRow[]>();
  for (const row of table) byParent.set(row.parent, [...(byParent.get(row.parent) ?? []), row]);
  const { root } = session;
  const isOurs = (row: ProcessRow) =>
    row.run === session.run || (root !== undefined && row.pid === root.pid && row.started === root.started);
  const found = new Map<number, ProcessRow>();
  const pending = table.filter(isOurs);
  for (let row = pending.pop(); row !== undefined; row = pending.pop()) {
    if (found.has(row.pid) || row.pid === process.pid) continue;
    found.set(row.pid, row);
    pending.push(...(byParent.get(row.pid) ?? []));
  }
  return [...found.values()];
}

/** Ends all processes of a session: asks first, and kills after the grace. Gives those that could not be ended. */
export async function endProcesses(session: SessionProcesses, graceMs: number): Promise<readonly ProcessRow[]> {
  const left = async () => processesOf(session, await processTable());
  let rows = await left();
  if (rows.length === 0) return [];
  // The launcher stays to write down how the worker ended.
  // Older ones first: a shell whose child is ended before it would go on with its next line.
  const asked = rows.filter(({ pid, name }) => pid !== session.root?.pid && !OUTER.has(name));
  signal(
    asked.toSorted((a, b) => a.pid - b.pid),
    'SIGTERM',
  );
  const deadline = Date.now() + graceMs;
  while (Date.now() < deadline) {
    await sleep(LOOK_MS);
    rows = await left();
    if (rows.length === 0) return [];
  }
  for (let round = 0; rows.length > 0 && round < ROUNDS; round++) {
    signal(rows, 'SIGKILL');
    await sleep(LOOK_MS);
    rows = await left();
  }
  return rows;
}

function signal(rows: readonly ProcessRow[], name: NodeJS.Signals): void {
  for (const { pid } of rows) {
    try {
      process.kill(pid, name);
    } catch {
      // It has ended by itself, or belongs to somebody else; the next look tells.
    }
  }
}

/** What is known of a process from an earlier look. */
interface Known {
  readonly started: string;
  readonly run: string | undefined;
  readonly seenAt: number;
}

let known = new Map<number, Known>();
/** A process this old has become what it is: its environment is not read again. */
const SETTLED_MS = 10_000;
const MAX_DEPTH = 64;
/** So many are looked at before others get their turn. */
const TURN = 100;

async function readProc(): Promise<readonly ProcessRow[]> {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const now = performance.now();
  const seen = new Map<number, Known>();
  const rows: ProcessRow[] = [];
  for (const [index, pid] of pids.entries()) {
    const row = readProcess(Number(pid), now, seen);
    if (row) rows.push(row);
    if (index % TURN === TURN - 1) await immediate();
  }
  known = inherit(rows, seen);
  return rows.map((row) => ({ ...row, ...runOf(known.get(row.pid)) }));
}

const runOf = (entry: Known | undefined) => (entry?.run === undefined ? {} : { run: entry.run });

/** A child without a mark has that of its parent: once it was seen below it, it stays known. */
function inherit(rows: readonly ProcessRow[], seen: Map<number, Known>): Map<number, Known> {
  const byPid = new Map(rows.map((row) => [row.pid, row]));
  const markOfTree = (row: ProcessRow, depth: number): string | undefined => {
    const own = seen.get(row.pid);
    if (own === undefined || own.run !== undefined || depth > MAX_DEPTH || row.pid === process.pid) return own?.run;
    const parent = byPid.get(row.parent);
    const run = parent && markOfTree(parent, depth + 1);
    if (run !== undefined) seen.set(row.pid, { ...own, run });
    return run;
  };
  for (const row of rows) markOfTree(row, 0);
  return seen;
}

function readProcess(pid: number, now: number, seen: Map<number, Known>): ProcessRow | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const end = stat.lastIndexOf(')');
    const fields = stat.slice(end + 2).split(' ', 20);
    // One that has ended and waits for its parent, or is being removed.
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    const started = fields[19] ?? '';
    const before = known.get(pid);
    const isKnown = before?.started === started;
    // A mark stays, also when the process begins another program without it.
    const run = isKnown && (before.run !== undefined || now - before.seenAt > SETTLED_MS) ? before.run : markOf(pid);
    seen.set(pid, { started, run, seenAt: isKnown ? before.seenAt : now });
    const name = stat.slice(stat.indexOf('(') + 1, end);
    return { pid, parent: Number(fields[1]), started, name, ...(run !== undefined && { run }) };
  } catch {
    return undefined; // It has ended meanwhile.
  }
}

function markOf(pid: number): string | undefined {
  try {
    const text = `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`;
    const at = text.indexOf(`\0${RUN_VARIABLE}=`);
    if (at === -1) return undefined;
    const from = at + RUN_VARIABLE.length + 2;
    const to = text.indexOf('\0', from);
    return text.slice(from, to === -1 ? undefined : to);
  } catch {
    return undefined; // Somebody else's: it can still be found as a child.
  }
}

/** For systems without /proc: the environment is shown behind the command line of one's own processes. */
async function readPs(): Promise<readonly ProcessRow[]> {
  const { stdout } = await promisify(execFile)('/bin/ps', ['-axEww', '-o', 'pid=,ppid=,stat=,command='], {
    maxBuffer: 256 * 1024 * 1024,
  });
  return stdout.split('\n').flatMap((line): ProcessRow[] => {
    const [, pid, parent, state = '', command = ''] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    if (pid === undefined || state.startsWith('Z')) return [];
    const run = new RegExp(` ${RUN_VARIABLE}=(\\S+)`).exec(command)?.[1];
    const name = command.split(' ')[0] ?? '';
    return [{ pid: Number(pid), parent: Number(parent), started: '', name, ...(run !== undefined && { run }) }];
  });
}
