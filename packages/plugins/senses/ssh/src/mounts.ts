/** Folders of other machines, shown as folders here with `sshfs`. */
import { createHash } from 'node:crypto';
import { mkdir, opendir, readFile, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findInPath } from '@tenon/host';
import { plainLine } from '@tenon/wording';
import type { KnownHost } from './api.ts';
import type { Connections, Lease } from './connections.ts';
import { errors } from './errors.ts';
import { type GuardedProcess, quoted, startGuarded } from './guarded-process.ts';
import { targetOf } from './ssh-options.ts';

/** A mounted folder. */
export interface Mount {
  readonly host: string;
  readonly remote: string;
  /** The folder on this machine. */
  readonly local: string;
  readonly isWritable: boolean;
  /** The session that asked for it. */
  readonly session: string;
}

interface LiveMount extends Mount {
  readonly process: GuardedProcess;
  readonly lease: Lease;
}

const READY_MS = 20_000;

/** The mounts of this process. */
export class Mounts {
  readonly #connections: Connections;
  readonly #mounts = new Map<string, LiveMount>();

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  list(session?: string): readonly Mount[] {
    return [...this.#mounts.values()].filter((mount) => session === undefined || mount.session === session);
  }

  /** Mounts a remote folder; the one that is there when it was mounted before. */
  async mount(
    host: KnownHost,
    { remote, isWritable, session }: Pick<Mount, 'remote' | 'isWritable' | 'session'>,
    signal: AbortSignal,
  ): Promise<Mount> {
    const key = JSON.stringify([host.name, remote, isWritable, session]);
    const present = this.#mounts.get(key);
    if (present && !present.process.hasEnded) return present;
    const program = this.#connections.program('sshfs');
    const lease = await this.#connections.lease(host, signal);
    try {
      const id = createHash('sha256').update(key).digest('hex').slice(0, 8);
      const folder = await this.#connections.folder();
      const local = join(folder, `${host.name.replace(/[^\w.-]/g, '_').slice(0, 40)}-${id}`);
      await mkdir(local, { recursive: true, mode: 0o700 });
      const process = this.#start(program, host, lease, { remote, local, isWritable });
      await ready(process, local, signal, (reason) => errors.create('SSH_MOUNT', { host: host.name, remote, reason }));
      const mount: LiveMount = { host: host.name, remote, local, isWritable, session, process, lease };
      this.#mounts.set(key, mount);
      void process.ended.then(() => {
        lease.release();
        if (this.#mounts.get(key) === mount) this.#mounts.delete(key);
      });
      return mount;
    } catch (fault) {
      lease.release();
      throw fault;
    }
  }

  #start(
    program: string,
    host: KnownHost,
    lease: Lease,
    { remote, local, isWritable }: { remote: string; local: string; isWritable: boolean },
  ): GuardedProcess {
    const words = this.#connections.wordsThrough(lease);
    const env = this.#connections.env;
    const unmount = [findInPath('fusermount3', env), findInPath('fusermount', env)].find((path) => path !== undefined);
    const leave = unmount === undefined ? `umount ${quoted(local)}` : `${quoted(unmount)} -u -z ${quoted(local)}`;
    const target = targetOf(host);
    const folder = quoted(dirname(local));
    const options = [
      'nodev',
      'nosuid',
      // A link over there to /etc/passwd is a file over there, not one of this machine.
      'follow_symlinks',
      ...(isWritable ? [] : ['ro']),
      // The whole line as one program: sshfs itself knows only some of the options.
      `ssh_command=${[this.#connections.program('ssh'), ...words].join(' ')}`,
    ];
    const place = `${target.includes(':') ? `[${target}]` : target}:${remote}`;
    return startGuarded([program, '-f', ...options.flatMap((option) => ['-o', option]), place, local], {
      env,
      tidy: `${leave}; rmdir ${quoted(local)}`,
      orphaned: `[ ! -d ${folder} ] || rmdir ${folder}`,
    });
  }

  /** Ends the mounts of a session, or one of them. Gives how many there were. */
  async unmount(session: string, which: (mount: Mount) => boolean = () => true): Promise<number> {
    const mine = [...this.#mounts].filter(([, mount]) => mount.session === session && which(mount));
    await Promise.all(mine.map(([key, mount]) => this.#end(key, mount)));
    return mine.length;
  }

  async #end(key: string, { process, lease, local }: LiveMount): Promise<void> {
    this.#mounts.delete(key);
    await process.end();
    lease.release();
    // Usually the guard has removed it; one that is still mounted stays.
    await rmdir(local).catch(() => undefined);
  }

  /** Ends all of them. */
  async close(): Promise<void> {
    await Promise.all([...this.#mounts].map(([key, mount]) => this.#end(key, mount)));
  }
}

async function ready(
  process: GuardedProcess,
  local: string,
  signal: AbortSignal,
  failure: (reason: string) => Error,
): Promise<void> {
  const limit = Date.now() + READY_MS;
  const before = (await stat(join(local, '..'))).dev;
  try {
    for (;;) {
      signal.throwIfAborted();
      if (process.hasEnded) {
        throw failure(lastLine(process.errors()) || 'sshfs ended without saying why');
      }
      if (await isMounted(local, before)) {
        // A path that does not exist is mounted for a moment, and sshfs says only then what is wrong.
        const folder = await opendir(local).catch(async (fault: NodeJS.ErrnoException) => {
          await process.end();
          throw failure(lastLine(process.errors()) || fault.message);
        });
        return folder.close();
      }
      if (Date.now() > limit) throw failure('it takes too long');
      await sleep(20, undefined, { signal });
    }
  } catch (fault) {
    await process.end();
    throw fault;
  }
}

/** Linux lists its mounts; elsewhere a mount has another device number than the folder around it. */
async function isMounted(local: string, before: number): Promise<boolean> {
  const table = await readFile('/proc/self/mountinfo', 'utf8').catch(() => undefined);
  if (table !== undefined) return table.split('\n').some((line) => line.split(' ')[4] === local);
  return (await stat(local)).dev !== before;
}

/** What matters of the errors: what FUSE says about its own end comes after the reason. */
function lastLine(text: string): string {
  const lines = text.split('\n').map(plainLine).filter(Boolean);
  return (lines.findLast((line) => !line.startsWith('fuse:')) ?? lines.at(-1) ?? '').replace(/\.$/, '');
}
