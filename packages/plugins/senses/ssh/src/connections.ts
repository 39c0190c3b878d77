/** One connection to each machine, kept while it is used: the others go through its socket. */
import { randomBytes } from 'node:crypto';
import { rmdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findInPath } from '@tenon/host';
import { plainLine } from '@tenon/wording';
import type { KnownHost } from './api.ts';
import { errors } from './errors.ts';
import { type GuardedProcess, quoted, startGuarded } from './guarded-process.ts';
import { checkIdentity } from './hosts.ts';
import { explain } from './login-failure.ts';
import { exists, makeFolder } from './socket-folder.ts';
import {
  asWords,
  commandByHand,
  configWords,
  type ConnectionSettings,
  fixedOptions,
  hostOptions,
  targetOf,
} from './ssh-options.ts';

const POLL_MS = 15;

interface Connection {
  readonly process: GuardedProcess;
  readonly socket: string;
  users: number;
  idle?: NodeJS.Timeout;
}

/** A connection that is being made or is there. */
interface Opening {
  readonly connection: Promise<Connection>;
  /** Gives up making it. */
  readonly cancel: AbortController;
  /** How many calls wait for it. */
  waiting: number;
  isOpen: boolean;
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
  readonly #open = new Map<string, Opening>();
  /** Those that are made just now, also those that nobody wants any more. */
  readonly #making = new Set<Promise<Connection>>();
  readonly #closing = new AbortController();
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
  async folder(): Promise<string> {
    // Systems clean up: the runtime folder goes with the last login, old things in /tmp go at night.
    const made = await this.#folder?.catch(() => undefined);
    if (made !== undefined && (await exists(made))) return made;
    return (this.#folder = makeFolder(this.#env));
  }

  /**
   * A connection to a machine: the one that is there, else a new one. Ends with an error that says why there is none. One that nobody
   * waits for any more is not made.
   */
  async lease(host: KnownHost, signal: AbortSignal): Promise<Lease> {
    const key = keyOf(host);
    const stop = AbortSignal.any([signal, this.#closing.signal]);
    for (;;) {
      stop.throwIfAborted();
      const opening = this.#open.get(key) ?? this.#openFor(key, host);
      opening.waiting++;
      try {
        const connection = await unlessAborted(opening.connection, stop);
        if (!connection.process.hasEnded) return this.#use(connection);
        this.#forget(key, opening);
      } finally {
        opening.waiting--;
        if (opening.waiting === 0 && !opening.isOpen) {
          this.#forget(key, opening);
          opening.cancel.abort();
        }
      }
    }
  }

  #forget(key: string, opening: Opening): void {
    if (this.#open.get(key) === opening) this.#open.delete(key);
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
        if (connection.users === 0) this.#endLater(connection);
      },
    };
  }

  #endLater(connection: Connection): void {
    connection.idle = setTimeout(() => void connection.process.end(), this.#settings.idleMinutes * 60_000).unref();
  }

  #openFor(key: string, host: KnownHost): Opening {
    const cancel = new AbortController();
    const connection = this.#connect(host, AbortSignal.any([cancel.signal, this.#closing.signal]));
    const opening: Opening = { connection, cancel, waiting: 0, isOpen: false };
    this.#open.set(key, opening);
    this.#making.add(connection);
    connection.then(
      (made) => {
        opening.isOpen = true;
        this.#making.delete(connection);
        // Whoever waited may have left in this moment.
        this.#endLater(made);
        void made.process.ended.then(() => this.#forget(key, opening));
      },
      () => {
        // Whoever waits for it gets the failure; here it only has to be forgotten.
        this.#making.delete(connection);
        this.#forget(key, opening);
      },
    );
    return opening;
  }

  async #connect(host: KnownHost, stop: AbortSignal): Promise<Connection> {
    await checkIdentity(host);
    const program = this.program('ssh');
    const folder = await this.folder();
    stop.throwIfAborted();
    // A new name each time: the guard of an earlier connection may still be about to remove its own.
    const socket = join(folder, randomBytes(6).toString('hex'));
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
      if (stop.aborted) {
        await process.end();
        throw stop.reason;
      }
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
    const connection = await this.#open.get(keyOf(host))?.connection.catch(() => undefined);
    if (connection && (await accepts(connection.socket))) return undefined;
    return plainLine(connection?.process.errors() ?? '') || 'the other side closed it';
  }

  /** Ends all of them, and makes no more. */
  async close(): Promise<void> {
    const open = [...this.#open.values()].map(({ connection }) => connection);
    this.#closing.abort();
    const all = await Promise.allSettled([...open, ...this.#making]);
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
