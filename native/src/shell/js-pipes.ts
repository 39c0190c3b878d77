/**
 * Named pipes for a session. Node gives its children sockets where this needs pipes: `echo >/dev/stderr` fails on a
 * socket, and bash cannot open one as its script.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, constants, mkdirSync, openSync, readSync, rmSync, symlinkSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';

/** The pipes of one session's folder, opened on this side. Open for both directions, a pipe neither waits nor ends. */
export class Pipes {
  readonly #folder: string;
  readonly #fds = new Map<string, number>();
  readonly #sockets: Socket[] = [];

  constructor(folder: string, names: readonly string[]) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const mkfifo = spawnSync(
      'mkfifo',
      names.map((name) => join(folder, name)),
    );
    if (mkfifo.status !== 0) {
      rmSync(folder, { recursive: true, force: true });
      throw new Error(`cannot make pipes with mkfifo: ${mkfifo.error?.message ?? String(mkfifo.stderr).trim()}`);
    }
    for (const name of names) {
      this.#fds.set(name, openSync(join(folder, name), constants.O_RDWR | constants.O_NONBLOCK));
    }
    // The shell runs a "script" named bash in this folder, so that its messages read `bash: line 1: …`.
    symlinkSync('/dev/fd/243', join(folder, 'bash'));
  }

  /** Calls back with what arrives in a pipe. The handle does not keep the process alive. */
  listen(name: string, onData: (bytes: Buffer) => void): Socket {
    const socket = new Socket({ fd: this.#fd(name), readable: true, writable: false });
    socket.on('data', onData);
    socket.unref();
    this.#sockets.push(socket);
    return socket;
  }

  /** Reads once, without waiting; undefined when nothing is there. */
  read(name: string, largest: number): Buffer | undefined {
    const buffer = Buffer.allocUnsafe(largest);
    try {
      const count = readSync(this.#fd(name), buffer);
      return count > 0 ? buffer.subarray(0, count) : undefined;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined;
      throw error;
    }
  }

  /** Writes what fits and returns how much that was. */
  write(name: string, bytes: Uint8Array): number {
    try {
      return writeSync(this.#fd(name), bytes);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0;
      throw error;
    }
  }

  /** Closes one pipe; for the lifeline that is the order to end. */
  close(name: string): void {
    const fd = this.#fds.get(name);
    if (fd === undefined) return;
    this.#fds.delete(name);
    closeSync(fd);
  }

  /** Closes all and removes the folder. */
  dispose(listened: readonly string[]): void {
    for (const socket of this.#sockets) socket.destroy();
    // A socket has closed its descriptor itself.
    for (const name of listened) this.#fds.delete(name);
    for (const name of [...this.#fds.keys()]) this.close(name);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #fd(name: string): number {
    const fd = this.#fds.get(name);
    if (fd === undefined) throw new Error('the session is closed: open a new one');
    return fd;
  }
}
