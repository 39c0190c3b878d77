/**
 * How Tenon knows that an agent has started it: by what programs of agents inherit and cannot easily shed. The signs and
 * their limits stand in docs/design/own-program.md.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';

/** Set for everything that an agent's host starts. */
export const AGENT_VARIABLE = 'TENON_AGENT';

/** Variables that only programs of an agent have: those of hosts, of guarded shells, and of sandboxes. */
const VARIABLES = [AGENT_VARIABLE, 'TENON_SHELL', 'TENON_SANDBOX'] as const;

/**
 * A limit without effect (Linux has not counted file locks since 2.4), so it serves as a mark: children inherit it,
 * through `env -i`, `setsid` and daemons, and nobody but root can raise it again.
 */
const LOCK_LIMIT = 1_413_829_198;

/** Shell words that mark everything the shell starts from here on; they end in a blank. dash says `-w`, bash `-x`. */
export const MARK_SCRIPT = `{ ulimit -w ${LOCK_LIMIT} || ulimit -x ${LOCK_LIMIT}; } 2>/dev/null; `;

/** No chain of processes is longer; a loop would be a fault of the system. */
const MAX_DEPTH = 256;

/** One process above this one. */
interface Ancestor {
  readonly pid: number;
  readonly parent: number;
  readonly words: readonly string[];
  /** Its variables when it was started; empty where the system does not tell. */
  readonly environment: readonly string[];
}

/** Where to look; for tests. */
export interface AgentSigns {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly pid: number;
  readonly parent: number;
  /** The program file of this process. */
  readonly program: string;
}

/** The sign that says that an agent has started this process; undefined when there is none. */
export function agentSign(
  signs: AgentSigns = { env: process.env, pid: process.pid, parent: process.ppid, program: process.argv[1] ?? '' },
): string | undefined {
  const { env, parent, program } = signs;
  const own = VARIABLES.find((name) => env[name] !== undefined);
  if (own !== undefined) return `the variable ${own} is set`;
  if (hasMark(signs.pid)) return 'it carries the mark of programs that an agent starts';
  const look = lookAt();
  const ours = realOrSame(program);
  for (let pid = parent, depth = 0; pid > 0 && depth < MAX_DEPTH; depth++) {
    const ancestor = look(pid);
    if (ancestor === undefined) return undefined;
    const variable = VARIABLES.find((name) => ancestor.environment.some((entry) => entry.startsWith(`${name}=`)));
    if (variable !== undefined) return `process ${pid} above it has the variable ${variable}`;
    if (isTenon(ancestor.words, ours)) return `process ${pid} above it is Tenon`;
    pid = ancestor.parent;
  }
  return undefined;
}

/** A runtime with this program as its file. Words behind the file are arguments, which may name any file. */
function isTenon(words: readonly string[], ours: string): boolean {
  if (!/(?:^|\/)(?:node|nodejs|bun|deno)[\d.]*$/.test(words[0] ?? '')) return false;
  const file = words.slice(1).find((word) => !word.startsWith('-'));
  return file !== undefined && file !== '' && realOrSame(file) === ours;
}

function hasMark(pid: number): boolean {
  const limits = readOrNothing(`/proc/${pid}/limits`);
  return new RegExp(`^Max file locks\\s+\\d+\\s+${LOCK_LIMIT}\\s`, 'm').test(limits);
}

/** How processes are looked up here. */
function lookAt(): (pid: number) => Ancestor | undefined {
  if (readOrNothing('/proc/self/stat') !== '') return inProc;
  const table = processTable();
  return (pid) => table.get(pid);
}

function inProc(pid: number): Ancestor | undefined {
  const stat = readOrNothing(`/proc/${pid}/stat`);
  if (stat === '') return undefined;
  const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  const parts = (name: string) => readOrNothing(`/proc/${pid}/${name}`).split('\0');
  return { pid, parent, words: parts('cmdline'), environment: parts('environ') };
}

/** For systems without /proc. */
function processTable(): ReadonlyMap<number, Ancestor> {
  const listing = execFileSync('/bin/ps', ['-axww', '-o', 'pid=,ppid=,command='], { encoding: 'utf8' });
  const rows = listing.split('\n').flatMap((line): [number, Ancestor][] => {
    const [, pid, parent, command = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    if (pid === undefined) return [];
    return [[Number(pid), { pid: Number(pid), parent: Number(parent), words: command.split(' '), environment: [] }]];
  });
  return new Map(rows);
}

/** A process that has ended, or belongs to somebody else, tells nothing. */
function readOrNothing(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function realOrSame(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path); // A file that is not there is no program either.
  }
}
