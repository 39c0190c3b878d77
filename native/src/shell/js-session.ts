/** The session engine of the JavaScript twin. It follows crates/shell/src/engine.rs step by step. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import type { Socket } from 'node:net';
import { constants } from 'node:os';
import { dirname } from 'node:path';

import type { RunRequest, SessionEngine, SessionEngineOptions, ShellEngineEvent } from './addon.ts';
import { checkRequest, commandText, FAREWELL, prelude, probe, restoreStreams, settle } from './js-control.ts';
import { type Frame, FrameReader } from './js-frames.ts';
import { Pipes } from './js-pipes.ts';
import {
  chain,
  childrenOf,
  currentTick,
  describe,
  findInner,
  type Identity,
  identityOf,
  isStopped,
  processesOf,
  signal,
} from './js-processes.ts';
import { Stop } from './js-stop.ts';
import { GUARD } from './scripts.ts';

const BOOTSTRAP =
  'exec 240<"$2/life" 241<"$2/launch" 242>"$2/news" 243<"$2/control" 244>"$2/report" 245</dev/null 246>"$2/out" 247>"$2/err"\n';
const LISTENED = ['news', 'report', 'out', 'err'];
/** Unreleased output beyond which nothing is read, so that the writer waits. */
const WINDOW = 1024 * 1024;
/** What a pipe holds: no command can have more than this unread when it ends. */
const PIPE_BYTES = 64 * 1024;
const START_ATTEMPTS = 4;
/** A full control pipe is tried again this often. */
const CONTROL_RETRY_MS = 1;
/** How long a silent shell is left alone before it is looked at, at first and at most. */
const FIRST_LOOK_MS = 50;
const LATEST_LOOK_MS = 1000;
/** The grace of a shell that runs nothing: there is nothing it could finish. */
const SILENT_GRACE_MS = 50;
/** How long the guard may take to end after its lifeline was cut. */
const GUARD_PATIENCE_MS = 3000;

interface Active {
  readonly request: RunRequest;
  readonly token: string;
  readonly before: readonly Identity[];
  readonly startTick: number;
  deadline?: NodeJS.Timeout;
  stop?: Stop;
  /** The next look at a silent shell, and how often it was asked to report. */
  look?: NodeJS.Timeout;
  asked: number;
  switchedOff: boolean;
  ended?: { readonly status: number; readonly shell: 'kept' | 'restored' | 'fresh' };
}

/** A driven bash over Node's processes and named pipes. */
export class JsSession implements SessionEngine {
  readonly #options: SessionEngineOptions;
  readonly #emit: (event: ShellEngineEvent) => void;
  readonly #pipes: Pipes;
  readonly #outputs: Socket[];
  readonly #guard: ChildProcess;
  readonly #marker = randomBytes(6).toString('hex');
  readonly #reports = new FrameReader();
  readonly #queue: RunRequest[] = [];
  #guardPid = 0;
  #watcherPid = 0;
  #shellPid: number | undefined;
  /** The shell and the sandbox around it, noted while the shell lives: once it is gone nothing tells whose parents they are. */
  #machinery: readonly number[] = [];
  /** What the last shell left running. While there is no shell, whatever else is seen is the next one starting. */
  #left: readonly Identity[] = [];
  #shell: 'down' | 'starting' | 'ready' = 'down';
  #failedStarts = 0;
  #bulk = false;
  #status = 0;
  /** Whether `set -v` is in force, which is switched off between commands. */
  #verbose = false;
  #state: Buffer | undefined;
  #cwd: string;
  #active: Active | undefined;
  #unsent = Buffer.alloc(0);
  #unreleased = 0;
  #closeReason: string | undefined;

  constructor(options: SessionEngineOptions, emit: (event: ShellEngineEvent) => void) {
    this.#options = options;
    this.#emit = emit;
    this.#cwd = options.cwd;
    this.#pipes = new Pipes(options.folder, ['life', 'launch', 'control', ...LISTENED]);
    const separate = options.separateStderr;
    const script = separate ? BOOTSTRAP : BOOTSTRAP.replace('247>"$2/err"', '247>&246');
    const shell = [...options.wrap, options.bash, '--noprofile', '--norc', 'bash'];
    const args = ['-p', '-c', script + GUARD, 'tenon-guard', 'session', options.folder, this.#marker, ...shell];
    const env = { ...options.env, TENON_SHELL: this.#marker };
    this.#guard = spawn(options.bash, args, { cwd: '/', env, detached: true, stdio: 'ignore' });
    let failure: Error | undefined;
    this.#guard.on('error', (error) => (failure = error));
    if (this.#guard.pid === undefined) {
      this.#pipes.dispose([]);
      const why = failure?.message ?? 'it was not found or the environment is too large';
      throw new Error(`cannot start ${options.bash}: ${why}; check that it is installed`);
    }
    this.#guard.on('exit', () => this.#guardEnded());
    this.#guard.unref();
    this.#listenToNews();
    this.#pipes.listen('report', (bytes) => this.#onReports(bytes));
    this.#outputs = (['out', 'err'] as const).map((name) =>
      this.#pipes.listen(name, (bytes) => this.#onOutput(name, bytes)),
    );
    this.#startShell();
  }

  run(request: RunRequest): void {
    checkRequest(request.command, request.env ?? {});
    if (request.cwd !== undefined) checkFolder(request.cwd);
    this.#queue.push(request);
    this.#beginNext();
  }

  cancel(id: number): void {
    this.#stop(id, 'cancelled');
  }

  release(bytes: number): void {
    this.#unreleased -= bytes;
    if (this.#unreleased < WINDOW / 2) for (const socket of this.#outputs) if (socket.isPaused()) socket.resume();
  }

  background(): { pid: number; command: string }[] {
    const active = this.#active;
    return this.#startedByCommands()
      .filter((process) => this.#shellPid !== undefined || this.#left.some((left) => isSame(left, process)))
      .filter((process) => !active || isOlder(process, active))
      .map(({ pid }) => ({ pid, command: describe(pid) }));
  }

  signalBackground(pid: number, number: number): boolean {
    if (!this.background().some((process) => process.pid === pid)) return false;
    for (const victim of [pid, ...processesOf(pid)]) signal(victim, number);
    return true;
  }

  close(): void {
    if (this.#closeReason !== undefined) return;
    this.#closeReason = 'the session was closed';
    this.#cutLifeline();
  }

  #cutLifeline(): void {
    const { SIGKILL } = constants.signals;
    for (const { pid } of this.#startedByCommands()) signal(pid, SIGKILL);
    if (this.#shellPid !== undefined) signal(this.#shellPid, SIGKILL);
    this.#pipes.close('life');
    // The watcher ends the guard; should the watcher itself have been killed, the guard is ours to end.
    setTimeout(() => this.#guard.kill('SIGKILL'), GUARD_PATIENCE_MS).unref();
  }

  #guardEnded(): void {
    const reason = this.#closeReason ?? "the session's guard process was killed";
    this.#closeReason = reason;
    clearTimeout(this.#active?.deadline);
    clearTimeout(this.#active?.look);
    this.#active?.stop?.dispose();
    this.#pipes.dispose(LISTENED);
    this.#emit({ kind: 'closed', command: 0, text: reason });
  }

  #startShell(): void {
    this.#shell = 'starting';
    this.#send(prelude());
    this.#pipes.write('launch', Buffer.from('\n'));
  }

  #send(text: string | Buffer): void {
    this.#unsent = Buffer.concat([this.#unsent, Buffer.from(text as string)]);
    this.#pushControl();
  }

  #pushControl(): void {
    if (this.#closeReason !== undefined || this.#unsent.length === 0) return;
    this.#unsent = this.#unsent.subarray(this.#pipes.write('control', this.#unsent));
    if (this.#unsent.length > 0) setTimeout(() => this.#pushControl(), CONTROL_RETRY_MS).unref();
  }

  #beginNext(): void {
    if (this.#active || this.#closeReason !== undefined) return;
    if (this.#shell === 'down' && this.#queue.length > 0) this.#startShell();
    if (this.#shell !== 'ready') return;
    const request = this.#queue.shift();
    if (!request) return;
    const token = randomBytes(5).toString('hex');
    const active: Active = {
      request,
      token,
      before: this.#isQuiet() ? [] : this.#startedByCommands(),
      startTick: currentTick(),
      asked: 0,
      switchedOff: false,
    };
    this.#active = active;
    const { command, env = {}, cwd, timeoutMs } = request;
    if (timeoutMs !== undefined) {
      active.deadline = setTimeout(() => this.#stop(request.id, 'timed-out'), timeoutMs).unref();
    }
    this.#send(
      commandText({ command, env, cwd, status: this.#status, verbose: this.#verbose, token, bulk: this.#bulk }),
    );
    this.#lookAfter(active, FIRST_LOOK_MS);
  }

  #lookAfter(active: Active, ms: number): void {
    active.look = setTimeout(() => this.#listenToSilence(active, ms), ms).unref();
  }

  /** Ends a shell that reads and runs nothing; see `listen_to_silence` of the crate for the reasons. */
  #listenToSilence(active: Active, waited: number): void {
    if (this.#active !== active || active.stop || active.ended || this.#closeReason !== undefined) return;
    // Nobody else would ever continue a shell that its own command has stopped.
    const stopped = this.#shellPid !== undefined && isStopped(this.#shellPid) ? this.#shellPid : undefined;
    if (stopped !== undefined) signal(stopped, constants.signals.SIGCONT);
    if (stopped !== undefined || this.#shell !== 'ready' || !this.#hasReadAll()) {
      return this.#lookAfter(active, Math.min(waited * 2, LATEST_LOOK_MS));
    }
    for (let words = this.#pipes.read('report', PIPE_BYTES); words; words = this.#pipes.read('report', PIPE_BYTES)) {
      this.#onReports(words);
    }
    if (this.#active !== active || active.ended) return;
    active.asked += 1;
    if (active.asked > 2) {
      active.switchedOff = true;
      // It may still run what it reads, and only be unable to report: then its state is not lost.
      this.#send(FAREWELL);
      return this.#beginStop(active, 'exited', SILENT_GRACE_MS);
    }
    this.#send(active.asked === 1 ? probe(active.token) : '\n');
    this.#lookAfter(active, FIRST_LOOK_MS);
  }

  /** Whether the shell has read its script to the end. Node cannot ask a pipe, so what is left is taken out and put back: the shell waits meanwhile. */
  #hasReadAll(): boolean {
    if (this.#unsent.length > 0) return false;
    const rest = this.#pipes.read('control', PIPE_BYTES);
    if (!rest) return true;
    this.#send(rest);
    return false;
  }

  #isQuiet(): boolean {
    if (this.#shellPid === undefined || childrenOf(this.#shellPid)?.length !== 0) return false;
    return childrenOf(this.#guardPid)?.every((pid) => pid === this.#watcherPid || pid === this.#shellPid) ?? false;
  }

  #startedByCommands(): Identity[] {
    if (this.#guardPid === 0) return [];
    return processesOf(this.#guardPid, this.#marker)
      .filter((pid) => pid !== this.#watcherPid && !this.#machinery.includes(pid))
      .flatMap((pid) => identityOf(pid) ?? []);
  }

  #stop(id: number, outcome: 'cancelled' | 'timed-out'): void {
    const active = this.#active;
    if (active?.request.id === id) {
      if (active.stop || active.ended) return;
      return this.#beginStop(active, outcome, this.#options.graceMs);
    }
    const index = this.#queue.findIndex((request) => request.id === id);
    if (index < 0) return;
    this.#queue.splice(index, 1);
    this.#emit({ kind: 'done', command: id, outcome, shell: 'kept', text: this.#cwd });
  }

  #beginStop(active: Active, outcome: Stop['outcome'], graceMs: number): void {
    active.stop = new Stop(outcome, graceMs, {
      running: () => this.#startedByCommands().filter((process) => !isOlder(process, active)),
      shell: () => this.#shellPid,
      looked: () => this.#finish(),
    });
  }

  #onOutput(name: 'out' | 'err', data: Buffer): void {
    if (data.length === 0) return;
    this.#unreleased += data.length;
    const stream = this.#options.separateStderr ? (name === 'out' ? 'stdout' : 'stderr') : 'merged';
    this.#emit({ kind: 'output', command: this.#active?.request.id ?? 0, stream, data, receipt: data.length });
    if (this.#unreleased >= WINDOW) for (const socket of this.#outputs) socket.pause();
  }

  #onReports(bytes: Buffer): void {
    for (const frame of this.#reports.push(bytes)) this.#onReport(frame);
  }

  #onReport(frame: Frame): void {
    if (frame.tag === 'ready' && this.#shell === 'starting') {
      this.#bulk = frame.bulk;
      this.#verbose = false;
      this.#shellPid = findInner(processesOf(this.#guardPid, this.#marker), frame.pid);
      this.#machinery = this.#shellPid === undefined ? [] : chain(this.#guardPid, this.#shellPid);
      const state = this.#state;
      this.#state = undefined;
      this.#send(settle(this.#options.snapshot, state, nearestFolder(this.#cwd), frame.bulk));
    } else if (frame.tag === 'state') {
      this.#cwd = frame.cwd;
      this.#state = frame.text;
    } else if (frame.tag === 'end') {
      this.#onEnd(frame);
    }
  }

  #onEnd(frame: Extract<Frame, { tag: 'end' }>): void {
    if (this.#shell === 'starting' && frame.token === 'ready') {
      this.#shell = 'ready';
      this.#failedStarts = 0;
      this.#cwd = frame.cwd;
      this.#send(restoreStreams(frame.options.includes('x')));
      this.#beginNext();
      return;
    }
    if (this.#active?.token !== frame.token) return;
    this.#cwd = frame.cwd;
    this.#status = frame.status;
    this.#verbose = frame.options.includes('v');
    // A stop that was already sent ends the shell as well: its end is the command's end.
    if (this.#active.stop) return;
    this.#active.ended = { status: frame.status, shell: 'kept' };
    // What was kept before a dangerous command is out of date now.
    this.#state = undefined;
    this.#send(restoreStreams(frame.options.includes('x')));
    this.#finish();
  }

  #listenToNews(): void {
    const news = new FrameReader();
    this.#pipes.listen('news', (bytes) => {
      for (const frame of news.push(bytes)) {
        // Only the first: in a sandbox that shows this folder a command could write others.
        if (frame.tag === 'guard' && this.#guardPid === 0) {
          this.#guardPid = frame.pid;
          this.#watcherPid = frame.watcher;
        } else if (frame.tag === 'shell-ended') {
          this.#shellEnded(frame.status);
        }
      }
    });
  }

  #shellEnded(status: number): void {
    if (this.#closeReason !== undefined) return;
    // Its last words may still be in the pipe.
    for (let words = this.#pipes.read('report', PIPE_BYTES); words; words = this.#pipes.read('report', PIPE_BYTES)) {
      this.#onReports(words);
    }
    this.#left = this.#startedByCommands();
    this.#shellPid = undefined;
    this.#machinery = [];
    this.#unsent = Buffer.alloc(0);
    while (this.#pipes.read('control', PIPE_BYTES)) {
      // Thrown away: the next shell must not read what was meant for this one.
    }
    const starting = this.#shell === 'starting';
    this.#shell = 'down';
    if (starting) {
      this.#failedStarts += 1;
      if (this.#failedStarts < START_ATTEMPTS) return this.#startShell();
      this.#closeReason = `${this.#options.bash} ended with status ${status} while starting`;
      return this.#cutLifeline();
    }
    this.#status = 0;
    if (this.#active && !this.#active.ended) {
      // Bash ends with 0 after `set -n`, and says 0 of what a DEBUG trap has it skip.
      const said = this.#active.switchedOff ? 0 : status;
      this.#active.ended = { status: said, shell: this.#state ? 'restored' : 'fresh' };
      this.#status = said;
    }
    this.#finish();
  }

  /** Completes the command once it has ended and what must be stopped is gone. */
  #finish(): void {
    const active = this.#active;
    if (!active?.ended || (active.stop && !active.stop.done)) return;
    // What the command wrote is in the pipes by now, and a pipe holds no more than this.
    for (const [index, name] of (['out', 'err'] as const).entries()) {
      const socket = this.#outputs[index];
      while (socket?.isPaused() && socket.readableLength > 0) socket.read();
      for (let room = PIPE_BYTES; room > 0;) {
        const bytes = this.#pipes.read(name, room);
        if (!bytes) break;
        room -= bytes.length;
        this.#onOutput(name, bytes);
      }
    }
    clearTimeout(active.deadline);
    clearTimeout(active.look);
    active.stop?.dispose();
    this.#active = undefined;
    const outcome = active.stop?.outcome ?? 'exited';
    this.#emit({
      kind: 'done',
      command: active.request.id,
      ...(outcome === 'exited' ? { status: active.ended.status } : {}),
      outcome,
      shell: active.ended.shell,
      ...(active.switchedOff && { switchedOff: true }),
      text: this.#shell === 'down' ? nearestFolder(this.#cwd) : this.#cwd,
    });
    // Started ahead of need: the next command finds a warm shell.
    if (this.#shell === 'down' && this.#closeReason === undefined) this.#startShell();
    this.#beginNext();
  }
}

function isSame(a: Identity, b: Identity): boolean {
  return a.pid === b.pid && a.started === b.started;
}

/** Without a subreaper a daemon is only known by its marker; its start tells whether the command started it. */
function isOlder(process: Identity, active: Active): boolean {
  const ranBefore = active.before.some((old) => isSame(old, process));
  return ranBefore || (process.started !== 0 && process.started < active.startTick);
}

function checkFolder(path: string): void {
  let reason = 'it is not a directory';
  try {
    if (statSync(path).isDirectory()) return;
  } catch (error) {
    reason = (error as Error).message;
  }
  throw new Error(`working directory ${path} cannot be used: ${reason}; give an existing directory`);
}

/** The folder itself, or the closest one above it that still exists. */
function nearestFolder(path: string): string {
  let folder = path;
  while (folder !== '/' && !statSync(folder, { throwIfNoEntry: false })?.isDirectory()) folder = dirname(folder);
  return folder;
}
