/** One connection to each machine, kept while it is used: the others go through its socket. */
import { createHash } from 'node:crypto';
import { mkdtemp, realpath, rm, rmdir, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findInPath } from '@tenon/host';
import { plainLine } from '@tenon/wording';
import type { KnownHost } from './api.ts';
import { errors } from './errors.ts';
import { type GuardedProcess, quoted, startGuarded } from './guarded-process.ts';
import { checkIdentity } from './hosts.ts';
import {
  asWords,
  commandByHand,
  configWords,
  type ConnectionSettings,
  fixedOptions,
  hostOptions,
  targetOf,
} from './ssh-options.ts';

/**
 * The longest path of a socket's folder. A socket's path has at most 103 bytes on macOS, and OpenSSH writes 17 more letters behind it
 * while it makes one.
 */
const MAX_FOLDER = 68;
const POLL_MS = 15;

interface Connection {
  readonly process: GuardedProcess;
  readonly socket: string;
  users: number;
  idle?: NodeJS.Timeout;
}

/** A connection in use. */
export interface Lease {
  /** Options that lead through the connection. */
  readonly options: readonly string[];
  /** Says that it is not used any more. */
  release(): void;
}

/** All connections of this process. */
export class Connections {
  readonly #settings: ConnectionSettings & { readonly idleMinutes: number };
  readonly #env: NodeJS.ProcessEnv;
  readonly #open = new Map<string, Promise<Connection>>();
  #folder: Promise<string> | undefined;

  constructor(settings: ConnectionSettings & { readonly idleMinutes: number }, env: NodeJS.ProcessEnv) {
    this.#settings = settings;
    this.#env = withoutQuestions(env);
  }

  /** The environment of programs that connect. */
  get env(): NodeJS.ProcessEnv {
    return this.#env;
  }

  /** A program's path; an error that names its package when it is not there. */
  program(name: 'ssh' | 'sftp' | 'sshfs'): string {
    const path = findInPath(name, this.#env);
    if (path !== undefined) return path;
    throw errors.create('SSH_NO_PROGRAM', {
      program: name,
      package: name === 'sshfs' ? 'sshfs' : 'the OpenSSH client',
    });
  }

  /** The words that begin a call of `ssh` or `sftp` through a lease. */
  words(host: KnownHost, lease: Pick<Lease, 'options'>): string[] {
    return [...configWords(this.#settings), ...asWords([...lease.options, ...this.#optionsFor(host)])];
  }

  /**
   * The same for `sshfs`, which splits them at blanks: only through the connection that is there, so that neither keys nor
   * configuration files have to be named.
   */
  wordsThrough(lease: Pick<Lease, 'options'>): string[] {
    const options = [...lease.options, ...fixedOptions(this.#settings), 'ProxyCommand=false'];
    return ['-F', 'none', ...asWords(options.map((option) => option.replaceAll('"', '')))];
  }

  /** A folder for sockets and mounts, for this process alone. */
  folder(): Promise<string> {
    return (this.#folder ??= makeFolder(this.#env));
  }

  /** A connection to a machine: the one that is there, else a new one. Ends with an error that says why there is none. */
  async lease(host: KnownHost, signal: AbortSignal): Promise<Lease> {
    const key = keyOf(host);
    for (;;) {
      const opening = this.#open.get(key) ?? this.#openFor(key, host);
      const connection = await unlessAborted(opening, signal);
      if (connection.process.hasEnded) {
        if (this.#open.get(key) === opening) this.#open.delete(key);
        continue;
      }
      return this.#use(connection);
    }
  }

  #use(connection: Connection): Lease {
    connection.users++;
    clearTimeout(connection.idle);
    let isReleased = false;
    return {
      options: [`ControlPath="${connection.socket}"`, 'ControlMaster=no'],
      release: () => {
        if (isReleased) return;
        isReleased = true;
        connection.users--;
        if (connection.users > 0) return;
        connection.idle = setTimeout(() => void connection.process.end(), this.#settings.idleMinutes * 60_000).unref();
      },
    };
  }

  #openFor(key: string, host: KnownHost): Promise<Connection> {
    const opening = this.#connect(key, host);
    this.#open.set(key, opening);
    const forget = () => {
      if (this.#open.get(key) === opening) this.#open.delete(key);
    };
    // Whoever waits for it gets the failure; here it only has to be forgotten.
    opening.then(({ process }) => void process.ended.then(forget), forget);
    return opening;
  }

  async #connect(key: string, host: KnownHost): Promise<Connection> {
    await checkIdentity(host);
    const program = this.program('ssh');
    const folder = await this.folder();
    const socket = join(folder, createHash('sha256').update(key).digest('hex').slice(0, 12));
    await rm(socket, { force: true });
    const options = [`ControlPath="${socket}"`, 'ControlMaster=yes', ...this.#optionsFor(host)];
    const process = startGuarded(
      [program, ...configWords(this.#settings), ...asWords(options), '-N', '-T', '--', targetOf(host)],
      {
        env: this.#env,
        tidy: `rm -f ${quoted(socket)}`,
        orphaned: `[ ! -d ${quoted(folder)} ] || rmdir ${quoted(folder)}`,
      },
    );
    const limit = Date.now() + (this.#settings.connectSeconds + 5) * 1000;
    while (!(await exists(socket))) {
      if (process.hasEnded) throw explain(host, process.errors());
      if (Date.now() > limit) {
        await process.end();
        throw errors.create('SSH_UNREACHABLE', {
          host: host.name,
          reason: 'the login takes too long',
          command: commandByHand(host),
        });
      }
      await sleep(POLL_MS);
    }
    return { process, socket, users: 0 };
  }

  #optionsFor(host: KnownHost): readonly string[] {
    return [...fixedOptions(this.#settings), ...hostOptions(host)];
  }

  /** What the connection to a host says about its end; undefined while it lives. */
  async problemOf(host: KnownHost): Promise<string | undefined> {
    // One that could not be made has failed the call before.
    const connection = await this.#open.get(keyOf(host))?.catch(() => undefined);
    if (connection && (await accepts(connection.socket))) return undefined;
    return plainLine(connection?.process.errors() ?? '') || 'the other side closed it';
  }

  /** Ends all of them. */
  async close(): Promise<void> {
    const all = await Promise.allSettled(this.#open.values());
    this.#open.clear();
    await Promise.all(
      all.map(async (result) => {
        if (result.status === 'rejected') return;
        clearTimeout(result.value.idle);
        await result.value.process.end();
      }),
    );
    const folder = await this.#folder?.catch(() => undefined);
    this.#folder = undefined;
    // A mount that hangs keeps it.
    if (folder !== undefined) await rmdir(folder).catch(() => undefined);
  }
}

function keyOf(host: KnownHost): string {
  const { name, host: address, user, port, identityFile, isAlias } = host;
  return JSON.stringify([name, address, user, port, identityFile, isAlias]);
}

/** What would open a window to ask something is left out; the agent with the user's keys stays. */
function withoutQuestions(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { SSH_ASKPASS: _askpass, SSH_ASKPASS_REQUIRE: _require, DISPLAY: _display, ...rest } = env;
  return { ...rest, LC_ALL: 'C' };
}

async function makeFolder(env: NodeJS.ProcessEnv): Promise<string> {
  const runtime = env['XDG_RUNTIME_DIR'];
  for (const base of [...(runtime && isAbsolute(runtime) ? [runtime] : []), tmpdir(), '/tmp']) {
    if (!/^[\w/.+-]+$/.test(base) || base.length + '/tenon-ssh-XXXXXX'.length > MAX_FOLDER) continue;
    // A folder that is missing or closed is no place; the next one may be.
    const made = await mkdtemp(join(base, 'tenon-ssh-')).catch(() => undefined);
    if (made !== undefined) return realpath(made);
  }
  throw errors.create('SSH_SOCKET_PATH');
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false, // Not there yet.
  );
}

/** Whether the process behind a socket lives: when it ends, its socket refuses at once. */
function accepts(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (stop) signal.removeEventListener('abort', stop);
  }
}

/** The error for what `ssh` says when it cannot connect. */
export function explain(host: KnownHost, said: string): Error {
  const details = { host: host.name, target: targetOf(host), command: commandByHand(host) };
  if (/IDENTIFICATION HAS CHANGED|Host key for .* has changed/i.test(said))
    return errors.create('SSH_KEY_CHANGED', details);
  if (/Host key verification failed|host key is known/i.test(said)) return errors.create('SSH_KEY_UNKNOWN', details);
  const lines = said.split('\n').map(plainLine).filter(Boolean);
  const reason = (lines.at(-1) ?? 'ssh ended without saying why').replace(/^ssh: /, '').replace(/\.$/, '');
  const code = /Permission denied|Too many authentication|no more authentication/i.test(said)
    ? 'SSH_DENIED'
    : 'SSH_UNREACHABLE';
  return errors.create(code, { ...details, reason });
}
