/** The processes of the user that can be reached: one file each, with the address of its socket and a secret. */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { isAlive, type ProcessMark, thisProcess } from '@tenon/state-files';
import { isPrivateFile, privateFolder } from './private-folder.ts';

/** What a process says about itself. */
export interface ProcessRecord {
  readonly version: 1;
  readonly mark: ProcessMark;
  readonly socket: string;
  /** Whoever can read this file may talk to the process. */
  readonly secret: string;
}

/** Addresses of sockets are this long at most, on the system with the least room. */
const MAX_ADDRESS_BYTES = 100;
const MAX_RECORD_BYTES = 4096;
/** The word "secret" is what keeps agents from reading it without asking. */
const NAME = /^p\d+-[0-9a-f]{12}\.secret\.json$/;
const SHORT_FOLDER = 'tenon-sock-';
const SHORT_NAME = /^tenon-sock-\w{6}$/;

/** The record of this process, written when its socket listens. */
export function newRecord(folder: string): { readonly record: ProcessRecord; readonly file: string } {
  privateFolder(folder);
  const name = `p${process.pid}-${randomBytes(6).toString('hex')}`;
  const near = join(folder, `${name}.sock`);
  // A folder of its own, which only the user can enter, where the path would be too long.
  const socket =
    Buffer.byteLength(near) <= MAX_ADDRESS_BYTES ? near : join(mkdtempSync(join(tmpdir(), SHORT_FOLDER)), 's');
  const record: ProcessRecord = { version: 1, mark: thisProcess(), socket, secret: randomBytes(32).toString('hex') };
  return { record, file: join(folder, `${name}.secret.json`) };
}

/** Makes the process known. */
export function writeRecord(file: string, record: ProcessRecord): void {
  writeFileSync(file, JSON.stringify(record), { mode: 0o600, flag: 'wx' });
}

/** Takes a process out, with its socket. */
export function removeRecord(file: string, { socket }: Pick<ProcessRecord, 'socket'>): void {
  rmSync(file, { force: true });
  const folder = dirname(socket);
  const isShort = SHORT_NAME.test(basename(folder)) && dirname(folder) === tmpdir();
  // Only what this plugin makes is removed, whatever a record says.
  if (folder !== dirname(file) && !isShort) return;
  rmSync(socket, { force: true });
  if (!isShort) return;
  try {
    rmdirSync(folder);
  } catch {
    // It is gone, or something else is in it: then it is not ours to remove.
  }
}

/** The other processes that live. Records of those that have ended are removed. */
export function otherProcesses(folder: string, own: string | undefined): readonly ProcessRecord[] {
  const records: ProcessRecord[] = [];
  for (const name of namesIn(folder)) {
    const file = join(folder, name);
    const record = file === own || !NAME.test(name) ? undefined : readRecord(file);
    if (!record) continue;
    // A home that several machines share: their sockets cannot be reached from here.
    if (record.mark.host !== hostname()) continue;
    if (isAlive(record.mark)) records.push(record);
    else removeRecord(file, record);
  }
  return records;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // Nobody has joined yet.
  }
}

/** The record; nothing for a file that somebody else could have written, or that is being removed. */
function readRecord(file: string): ProcessRecord | undefined {
  let handle: number;
  try {
    handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch {
    return undefined; // It was removed just now, or is a link.
  }
  try {
    const look = fstatSync(handle);
    if (!look.isFile() || look.size > MAX_RECORD_BYTES || !isPrivateFile(look)) return undefined;
    const parsed = JSON.parse(readFileSync(handle, 'utf8')) as Partial<ProcessRecord> | null;
    const { version, mark, socket, secret } = parsed ?? {};
    const isWhole =
      version === 1 &&
      typeof mark?.pid === 'number' &&
      typeof mark.host === 'string' &&
      typeof mark.started === 'string' &&
      typeof socket === 'string' &&
      typeof secret === 'string' &&
      /^[0-9a-f]{64}$/.test(secret);
    return isWhole ? { version, mark, socket, secret } : undefined;
  } catch {
    return undefined; // Half written: its process is just beginning, or was killed then.
  } finally {
    closeSync(handle);
  }
}
