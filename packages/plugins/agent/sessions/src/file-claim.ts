/** Two processes that append to one session would tear its tree apart. The one that writes claims the file. */
import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
    if (createWhole(path, JSON.stringify(mine))) return () => rmSync(path, { force: true });
    const other = readClaim(path);
    if (other && isAlive(other)) throw errors.create('SESSION_IN_USE', { file, pid: other.pid, host: other.host });
    rmSync(path, { force: true });
  }
}

/** Makes a file that nobody ever sees half written; false when it is there already. */
function createWhole(path: string, content: string): boolean {
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(temporary, content, { mode: 0o600 });
  try {
    linkSync(temporary, path);
    return true;
  } catch (fault) {
    const { code = '' } = fault as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(code)) throw fault;
    return createExclusive(path, content);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** For file systems without hard links. */
function createExclusive(path: string, content: string): boolean {
  try {
    writeFileSync(path, content, { mode: 0o600, flag: 'wx' });
    return true;
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw fault;
  }
}

function readClaim(path: string): Claim | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Claim;
  } catch {
    return undefined; // Gone meanwhile.
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
