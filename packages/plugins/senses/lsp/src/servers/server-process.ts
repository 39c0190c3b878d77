/** The process of a language server: in its sandbox, in a group of its own, gone when Tenon is. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { MARK_SCRIPT } from '@tenon/host';
import type { Confinement } from '@tenon/sandbox/api';
import { plainText } from '@tenon/wording';
import { FrameGuard } from './frame-guard.ts';

/** How a server is started. */
export interface ServerStart {
  /** The program and its arguments, without the sandbox. */
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly confinement: Confinement;
}

/**
 * Watches a pipe that only Tenon holds the other end of. When Tenon ends, however it ends, everything in this process group does; what
 * is in a sandbox dies with the sandbox. The guard stays outside of it.
 */
const GUARD = `${MARK_SCRIPT}{ while read -r _; do :; done <&3; kill -KILL 0; } </dev/null >/dev/null 2>&1 &
exec 3<&-
exec "$@"`;
const KEPT_STDERR = 8 * 1024;

/** A running server's process. */
export class ServerProcess {
  readonly input: Writable;
  readonly output: Readable;
  /** Why it ended, in words. Never rejects. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;
  readonly #confinement: Confinement;
  #stderr = '';
  #reason: string | undefined;

  constructor(start: ServerStart) {
    this.#confinement = start.confinement;
    this.#child = spawn('/bin/sh', ['-c', GUARD, 'tenon-lsp', ...start.confinement.argv, ...start.command], {
      cwd: start.cwd,
      env: { ...start.env, ...start.confinement.env },
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      // A group of its own: Ctrl-C at the terminal reaches Tenon, which then decides about its servers.
      detached: true,
    });
    const [input, output, text, lifeline] = this.#child.stdio;
    this.input = input as Writable;
    // Both break when the server ends; that is reported where it is noticed.
    this.input.on('error', () => undefined);
    lifeline?.on('error', () => undefined);
    (text as Readable).on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString('utf8')).slice(-KEPT_STDERR);
    });
    const guard = new FrameGuard();
    guard.on('error', (fault) => this.kill(fault.message));
    this.output = (output as Readable).pipe(guard);
    this.ended = new Promise((resolve) => {
      this.#child.once('error', (fault) => resolve(`it could not be spawned: ${fault.message}`));
      this.#child.once('exit', (code, signal) => {
        // The guard goes on until its pipe is closed, and holds nothing else.
        lifeline?.destroy();
        const how = this.#reason ?? (signal ? `it was ended by ${signal}` : `it ended with exit code ${code}`);
        resolve([how, lastLines(this.#stderr)].filter(Boolean).join('. '));
      });
    });
    void this.ended.then(() => this.#confinement.dispose());
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get isAlive(): boolean {
    return this.#reason === undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Whether its sandbox keeps it from changing the workspace. */
  get isConfined(): boolean {
    return this.#confinement.profile === 'read-only';
  }

  /** Ends it and everything that it started, at once. */
  kill(reason: string): void {
    this.#reason ??= reason;
    const { pid, exitCode, signalCode } = this.#child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch (fault) {
      // The group is gone already when it ended by itself in this very moment.
      if ((fault as NodeJS.ErrnoException).code !== 'ESRCH') throw fault;
    }
  }
}

function lastLines(text: string): string {
  return plainText(text).trim().split('\n').slice(-3).join(' | ').slice(-400);
}
