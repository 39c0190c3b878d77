/** Copies files to and from other machines with `sftp`, which knows no remote shell. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { lstat, mkdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { plainLine } from '@tenon/wording';
import type { KnownHost } from './api.ts';
import type { Connections } from './connections.ts';
import { errors } from './errors.ts';
import { killGroup } from './guarded-process.ts';
import { targetOf } from './ssh-options.ts';

const MAX_SAID = 8 * 1024;

/** What is copied. Local paths are absolute. */
export interface Transfer {
  readonly direction: 'upload' | 'download';
  readonly local: string;
  readonly remote: string;
}

/** What was copied, as far as it is known here. */
export interface Transferred {
  readonly kind: 'file' | 'folder';
  /** For files. */
  readonly bytes?: number;
}

/** How copying is limited. */
export interface TransferOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** Copies a file or a folder. What is copied here appears under its name only when all of it has come. */
export async function copy(
  host: KnownHost,
  connections: Connections,
  { direction, local, remote }: Transfer,
  options: TransferOptions,
): Promise<Transferred> {
  const far = word(remote.replace(/^~\//, '').replace(/^~$/, '.'));
  if (direction === 'upload') {
    // A link counts as what it leads to, as `sftp` does.
    const info = await stat(local).catch(() => undefined);
    if (!info) throw errors.create('SSH_TRANSFER', { host: host.name, reason: `${local} does not exist` });
    await batch(host, connections, `put -p -R ${word(local)} ${far}`, options);
    return info.isDirectory() ? { kind: 'folder' } : { kind: 'file', bytes: info.size };
  }
  await mkdir(dirname(local), { recursive: true });
  const partial = join(dirname(local), `.${basename(local)}.${randomBytes(6).toString('hex')}.part`);
  try {
    await batch(host, connections, `get -p -R ${far} ${word(partial)}`, options);
    const info = await lstat(partial);
    await place(partial, local, info.isDirectory(), host);
    return info.isDirectory() ? { kind: 'folder' } : { kind: 'file', bytes: info.size };
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

/** A file replaces a file; a folder takes only a free name. */
async function place(from: string, to: string, isFolder: boolean, host: KnownHost): Promise<void> {
  const present = await lstat(to).catch(() => undefined);
  const clash = present !== undefined && (isFolder || present.isDirectory());
  if (clash)
    throw errors.create('SSH_TRANSFER', { host: host.name, reason: `${to} is there already; choose another name` });
  await rename(from, to);
}

/** A path for `sftp`: in quotes, where nothing but the backslash and the quote means something. */
export function word(path: string): string {
  if (/[\0-\x1f\x7f]/.test(path)) {
    throw errors.create('SSH_INPUT', {
      reason: 'The path has control characters',
      todo: 'Give the file another name first.',
    });
  }
  return `"${path.replace(/^-/, './-').replace(/["\\]/g, '\\$&')}"`;
}

async function batch(
  host: KnownHost,
  connections: Connections,
  line: string,
  { signal, timeoutMs }: TransferOptions,
): Promise<void> {
  const lease = await connections.lease(host, signal);
  try {
    const words = [...connections.words(host, lease), '-q', '-b', '-', '--', sftpTarget(host)];
    const child = spawn(connections.program('sftp'), words, {
      stdio: ['pipe', 'ignore', 'pipe'],
      env: connections.env,
      detached: true,
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      said = (said + chunk).slice(-MAX_SAID);
    });
    child.stdin.on('error', () => undefined); // It may end before it has read the line; its exit code says why.
    // When Tenon is killed, the guard of the connection ends it, and with it the copy.
    child.stdin.end(`${line}\n`);
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      stop();
    }, timeoutMs);
    const stop = () => {
      killGroup(child);
      // The process that holds the connection has a copy of it.
      child.stderr.destroy();
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const code = await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (ended) => resolve(ended ?? 255));
    }).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    });
    signal.throwIfAborted();
    if (isLate) {
      throw errors.create('SSH_TIMEOUT', { what: 'Copying', host: host.name, seconds: timeoutMs / 1000, output: '' });
    }
    if (code !== 0) {
      const lines = said.split('\n').map(plainLine).filter(Boolean);
      throw errors.create('SSH_TRANSFER', { host: host.name, reason: lines.at(-1) ?? `sftp ended with ${code}` });
    }
  } finally {
    lease.release();
  }
}

/** `sftp` takes `host:path`; an address with colons needs brackets. */
function sftpTarget(host: KnownHost): string {
  const target = targetOf(host);
  return target.includes(':') ? `[${target}]` : target;
}
