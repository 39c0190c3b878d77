/**
 * A child process for libraries that parse what strangers made, or that cannot be interrupted: it can be killed, what it
 * takes in memory goes back when it ends, and a crash of it is an error and not the end of the agent.
 *
 * Its program is a text, because the built program, the packages and the tests keep files in different places; it is therefore kept
 * short, and everything that needs no library is done on this side.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { confinedStart, type HelperView } from './confined-start.ts';
import { errors } from './errors.ts';

const HEAP_MB = 512;
const MAX_STDERR = 2000;
/** A model that reads twenty images at once must not start twenty processes. */
const MAX_RUNNING = 4;

let running = 0;
const queue: (() => void)[] = [];

async function takePlace(signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (running >= MAX_RUNNING) {
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        queue.splice(queue.indexOf(enter), 1);
        reject(signal.reason as Error);
      };
      const enter = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      queue.push(enter);
      signal.addEventListener('abort', leave, { once: true });
    });
  }
  running++;
}

function givePlace(): void {
  running--;
  queue.shift()?.();
}

/**
 * Answers each request by `handle(request, emit)`, which the program assigns. The thread beside it ends the process when its
 * time is over even if this process is gone and `handle` never comes back.
 */
const FRAME = `
let handle;
const { Worker } = require('node:worker_threads');
new Worker('setTimeout(() => process.kill(process.pid, "SIGKILL"), ' + Number(process.argv[2]) + ')', { eval: true }).unref();
const library = process.argv[1];
process.on('disconnect', () => process.exit());
process.on('message', async ({ id, request }) => {
  const emit = (part) => process.send({ id, part });
  try {
    process.send({ id, answer: await handle(request, emit) });
  } catch (error) {
    process.send({ id, failure: { name: error?.name ?? 'Error', message: String(error?.message ?? error), code: error?.code } });
  }
});
`;

/** What a helper says when a request fails. */
export interface HelperFailure {
  readonly name: string;
  readonly message: string;
  readonly code?: unknown;
}

/** A request that the library refused; what to tell people is up to who asked. */
export class HelperError extends Error {
  readonly failure: HelperFailure;

  constructor(failure: HelperFailure) {
    super(failure.message);
    this.name = 'HelperError';
    this.failure = failure;
  }
}

/** A running helper. One request at a time. */
export interface Helper {
  /** Rejects with a `HelperError`, with an error for people when time is over or the process died, or with the signal's reason. */
  ask<Answer>(request: unknown, onPart?: (part: unknown) => void): Promise<Answer>;
  close(): void;
}

/** What a helper is started with. */
export interface HelperOptions {
  /** What people call the work, for errors: "Reading the PDF". */
  readonly what: string;
  /** Assigns `handle`; the library's path is in `library`. With a `view` it answers `{ op: 'load' }` once the library is there. */
  readonly program: string;
  /** The package that the program uses. */
  readonly library: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** All that the process can see of the user's files, where a sandbox works. */
  readonly view?: HelperView;
}

/** Starts a helper for one piece of work; waits while too many others run. Whoever starts one must close it. */
export async function startHelper(options: HelperOptions): Promise<Helper> {
  const { view, signal, what } = options;
  const library = libraryFile(options.library, what);
  const confined = view && (await confinedStart(library, view));
  if (!confined) return started(options, library);
  const helper = await started(options, library, confined);
  try {
    await helper.ask({ op: 'load' });
    return helper;
  } catch {
    helper.close();
    signal.throwIfAborted();
    // It saw nothing of the user's yet: this machine's sandbox does not carry the library. What is asked of it is checked anyway.
    return started(options, library);
  }
}

async function started(
  { what, program, timeoutMs, signal }: HelperOptions,
  library: string,
  confined: Awaited<ReturnType<typeof confinedStart>> = undefined,
): Promise<Helper> {
  try {
    await takePlace(signal);
  } catch (fault) {
    confined?.dispose();
    throw fault;
  }
  const node = [
    process.execPath,
    `--max-old-space-size=${HEAP_MB}`,
    '-e',
    FRAME + program,
    library,
    String(timeoutMs + 5000),
  ];
  const [file = '', ...args] = [...(confined?.argv ?? []), ...node];
  const child = spawn(file, args, {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
    // Nothing of what the user keeps in the environment is any business of a parser.
    env: {
      TMPDIR: tmpdir(),
      ...(process.env['SystemRoot'] !== undefined && { SystemRoot: process.env['SystemRoot'] }),
      ...confined?.env,
    },
    cwd: confined?.cwd ?? tmpdir(),
  });
  child.once('close', () => confined?.dispose());
  return conversation(child, { what, timeoutMs, signal });
}

function libraryFile(name: string, what: string): string {
  try {
    return createRequire(import.meta.url).resolve(name);
  } catch (fault) {
    throw errors.create('DOCUMENTS_HELPER', { what, reason: `the package ${name} is not installed` }, fault);
  }
}

interface Waiting {
  resolve(answer: unknown): void;
  reject(fault: unknown): void;
  onPart(part: unknown): void;
}

function conversation(
  child: ChildProcess,
  { what, timeoutMs, signal }: { readonly what: string; readonly timeoutMs: number; readonly signal: AbortSignal },
): Helper {
  let stderr = '';
  let waiting: Waiting | undefined;
  let ended: unknown;
  let lastId = 0;
  const end = (reason: unknown): void => {
    if (ended === undefined) givePlace();
    ended ??= reason;
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    child.kill('SIGKILL');
    waiting?.reject(ended);
    waiting = undefined;
  };
  const failed = (reason: string) => errors.create('DOCUMENTS_HELPER', { what, reason });
  const abort = () => end(signal.reason ?? failed('it was stopped'));
  const timer = setTimeout(
    () => end(errors.create('DOCUMENTS_TOO_SLOW', { what, seconds: Math.round(timeoutMs / 1000) })),
    timeoutMs,
  );
  timer.unref();
  signal.addEventListener('abort', abort, { once: true });
  child.stderr?.on('data', (text: Buffer) => (stderr = `${stderr}${text.toString('utf8')}`.slice(-MAX_STDERR)));
  child.on('error', (fault) => end(failed(fault.message)));
  child.on('exit', (code, killed) => end(failed(exitReason(stderr, code, killed))));
  child.on('message', (message: { id: number; answer?: unknown; failure?: HelperFailure; part?: unknown }) => {
    if (message.id !== lastId || !waiting) return;
    if ('part' in message) return waiting.onPart(message.part);
    const { resolve, reject } = waiting;
    waiting = undefined;
    if (message.failure) reject(new HelperError(message.failure));
    else resolve(message.answer);
  });
  return {
    ask: <Answer>(request: unknown, onPart: (part: unknown) => void = () => undefined) =>
      new Promise<Answer>((resolve, reject) => {
        if (signal.aborted) end(signal.reason);
        if (ended !== undefined) return reject(ended as Error);
        waiting = { resolve: resolve as (answer: unknown) => void, reject, onPart };
        // A process that is just ending says so by its exit; the error of the send adds nothing.
        child.send({ id: ++lastId, request }, () => undefined);
      }),
    close: () => end(failed('it was closed')),
  };
}

function exitReason(stderr: string, code: number | null, killed: string | null): string {
  if (stderr.includes('heap out of memory')) return 'it needed too much memory';
  const line = stderr.split('\n').find((text) => /\b\w*Error\b/.test(text));
  return line?.trim() ?? `its process ended (${killed ?? code})`;
}

/** True for what a helper's user should turn into an error of its own. */
export function isHelperError(fault: unknown): fault is HelperError {
  return fault instanceof HelperError;
}
