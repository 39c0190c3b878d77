/** Runs the command of a hook: JSON in, text out, in a process group of its own that never outlives its time or Tenon. */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { MARK_SCRIPT } from '@tenon/host';
import { messageOf } from '@tenon/kernel';

/** How much of each stream is kept. */
export const MAX_OUTPUT_BYTES = 100_000;
const TERM_GRACE_MS = 300;
/** How long output is waited for once the command has ended: something that it left behind may hold the pipe open. */
const DRAIN_MS = 250;

/** A command to run. */
export interface ShellCommand {
  /** A line for the shell, or a program with its arguments. */
  readonly command: string | readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Told when the first line says that nobody should wait: from then on it has `asyncTimeout`, or its own time limit anew. */
  onAsync?(): void;
}

/** How it ended. */
export interface ShellEnd {
  readonly outcome: 'exited' | 'timed-out' | 'cancelled' | 'not-started';
  /** Absent when it did not end by itself. */
  readonly exitCode?: number;
  /** The signal that ended it, or why it could not start. */
  readonly reason?: string;
  readonly stdout: string;
  readonly stderr: string;
  /** True when there was more output than is kept. */
  readonly isCut: boolean;
  readonly durationMs: number;
}

/**
 * Waits on descriptor 3, which only Tenon holds open: when Tenon is killed, the whole group goes with it. When the command
 * ends by itself, the guard goes and what the command left in the background stays.
 */
const guarded = (
  run: string,
) => `${MARK_SCRIPT}{ trap '' TERM; read -r _ <&3; kill -KILL 0; } </dev/null >/dev/null 2>&1 &
guard=$!
exec 3<&-
${run}
status=$?
kill -KILL "$guard" 2>/dev/null
exit "$status"`;
/**
 * Words that run a line with bash. Where its input is a socket, as Node's pipes are, and no shell is above it, bash takes itself for the
 * command of a remote login and would read `~/.bashrc` first: seconds, and its output, for every hook.
 */
export const BASH_LINE = ['bash', '--norc', '-c'] as const;
/** Most hooks are written for bash; where there is none, the standard shell has to do. */
const LINE = guarded(`if command -v bash >/dev/null 2>&1; then ${BASH_LINE.join(' ')} "$1"; else sh -c "$1"; fi`);
const PROGRAM = guarded('"$@"');

/** Runs it to its end. Never rejects. */
export async function runShellCommand(request: ShellCommand): Promise<ShellEnd> {
  const started = performance.now();
  const stdout = new Kept();
  const stderr = new Kept();
  const ended = (outcome: ShellEnd['outcome'], facts: Pick<ShellEnd, 'exitCode' | 'reason'> = {}): ShellEnd => ({
    outcome,
    ...facts,
    stdout: stdout.text(),
    stderr: stderr.text(),
    isCut: stdout.isCut || stderr.isCut,
    durationMs: Math.round(performance.now() - started),
  });
  if (request.signal.aborted) return ended('cancelled');
  let child: ChildProcess;
  try {
    child = start(request);
  } catch (fault) {
    return ended('not-started', { reason: messageOf(fault) });
  }
  let isFirstLineRead = request.onAsync === undefined;
  child.stdout?.on('data', (bytes: Buffer) => {
    stdout.add(bytes);
    if (isFirstLineRead || !stdout.text().includes('\n')) return;
    isFirstLineRead = true;
    const notice = asyncNotice(stdout.text());
    if (!notice) return;
    stdout.clear();
    clearTimeout(timer);
    timer = setTimeout(() => stop('timed-out'), notice.timeoutMs ?? request.timeoutMs);
    request.onAsync?.();
  });
  child.stderr?.on('data', (bytes: Buffer) => stderr.add(bytes));
  // A hook need not read what it is given; its exit code says all.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(request.stdin);

  const exit = new Promise<{ code: number | null; signal: NodeJS.Signals | null } | { fault: Error }>((resolve) => {
    child.once('error', (fault) => resolve({ fault }));
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let stopped: { readonly why: 'timed-out' | 'cancelled'; readonly done: Promise<void> } | undefined;
  const stop = (why: 'timed-out' | 'cancelled') => void (stopped ??= { why, done: endGroup(child) });
  let timer = setTimeout(() => stop('timed-out'), request.timeoutMs);
  const onAbort = () => stop('cancelled');
  request.signal.addEventListener('abort', onAbort, { once: true });
  try {
    const end = await exit;
    if ('fault' in end) return ended('not-started', { reason: end.fault.message });
    await Promise.race([closed, pause(DRAIN_MS, undefined, { ref: false })]);
    if (stopped) {
      await stopped.done;
      return ended(stopped.why);
    }
    return end.code === null
      ? ended('exited', { reason: String(end.signal) })
      : ended('exited', { exitCode: end.code });
  } finally {
    clearTimeout(timer);
    request.signal.removeEventListener('abort', onAbort);
    for (const stream of child.stdio) stream?.destroy();
    child.unref();
  }
}

function start({ command, cwd, env }: ShellCommand): ChildProcess {
  if (process.platform === 'win32') {
    const [program = '', ...args] = typeof command === 'string' ? [command] : command;
    return spawn(program, args, { cwd, env: { ...env }, shell: typeof command === 'string', windowsHide: true });
  }
  const words = typeof command === 'string' ? [LINE, 'tenon-hook', command] : [PROGRAM, 'tenon-hook', ...command];
  const stdio = ['pipe', 'pipe', 'pipe', 'pipe'] as const;
  return spawn('/bin/sh', ['-c', ...words], { cwd, env: { ...env }, detached: true, stdio: [...stdio] });
}

/** Ends the command and all that it started. */
async function endGroup(child: ChildProcess): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  if (process.platform === 'win32') {
    child.kill();
    return;
  }
  signalGroup(pid, 'SIGTERM');
  await pause(TERM_GRACE_MS);
  signalGroup(pid, 'SIGKILL');
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // The group is gone, which is what was wanted.
  }
}

/** `{"async": true}` on the first line, as Claude Code has it: the rest is said when it is there, and nobody waits for it. */
function asyncNotice(text: string): { readonly timeoutMs?: number } | undefined {
  const [line = ''] = text.split('\n', 1);
  if (!/^\s*\{.*"async"/.test(line)) return undefined;
  try {
    const { async: isAsync, asyncTimeout } = JSON.parse(line) as { async?: unknown; asyncTimeout?: unknown };
    if (isAsync !== true) return undefined;
    return typeof asyncTimeout === 'number' && asyncTimeout > 0 ? { timeoutMs: asyncTimeout } : {};
  } catch {
    return undefined; // The beginning of an answer over several lines, perhaps; it is read as a whole at the end.
  }
}

/** The beginning of a stream. */
class Kept {
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  isCut = false;

  add(bytes: Buffer): void {
    const room = MAX_OUTPUT_BYTES - this.#bytes;
    if (bytes.length > room) this.isCut = true;
    if (room <= 0) return;
    this.#chunks.push(bytes.subarray(0, room));
    this.#bytes += Math.min(room, bytes.length);
  }

  clear(): void {
    this.#chunks.length = 0;
    this.#bytes = 0;
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}
