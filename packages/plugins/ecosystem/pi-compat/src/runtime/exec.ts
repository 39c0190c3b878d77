/** `pi.exec`: runs a program where the extension runs, so that the sandbox of the extension holds the program too. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';

/** What a program gave. */
export interface ExecResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
  readonly killed: boolean;
}

const MAX_OUTPUT = 8 * 1024 * 1024;
const KILL_AFTER_MS = 5_000;

/** Runs a program and waits for its end. `confined` is the name of an extension in a sandbox, for what goes wrong there. */
export function execCommand(
  command: string,
  args: readonly string[] = [],
  cwd: string,
  options: { signal?: AbortSignal; timeout?: number; cwd?: string } = {},
  confined?: string,
): Promise<ExecResult> {
  return new Promise((resolve, reject) => {
    const child = start(command, args, options.cwd ?? cwd, confined);
    const output = { stdout: '', stderr: '' };
    let killed = false;
    const stop = () => {
      killed = true;
      child.kill('SIGTERM');
      setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS).unref();
    };
    const timer = options.timeout === undefined || options.timeout <= 0 ? undefined : setTimeout(stop, options.timeout);
    if (options.signal?.aborted) stop();
    options.signal?.addEventListener('abort', stop, { once: true });
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8');
      child[name].on('data', (text: string) => {
        if (output[name].length < MAX_OUTPUT) output[name] += text;
      });
    }
    const settle = (work: () => void) => {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', stop);
      work();
    };
    child.on('error', (fault: NodeJS.ErrnoException) => settle(() => reject(explain(fault, command, confined))));
    child.on('close', (code) => settle(() => resolve({ ...output, code: code ?? (killed ? 143 : 1), killed })));
  });
}

/** A sandbox that allows no programs at all refuses at once, others when the program is looked for. */
function start(
  command: string,
  args: readonly string[],
  cwd: string,
  confined: string | undefined,
): ChildProcessByStdio<null, Readable, Readable> {
  try {
    return spawn(command, [...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (fault) {
    throw explain(fault as NodeJS.ErrnoException, command, confined);
  }
}

/** Inside a sandbox a program that was not granted does not exist, and without any, none can be started. */
function explain(fault: NodeJS.ErrnoException, command: string, name: string | undefined): Error {
  if (name === undefined || !['ENOENT', 'EPERM', 'EACCES', 'ENOSYS'].includes(fault.code ?? '')) return fault;
  return new Error(
    `The extension "${name}" may not run "${command}" (${fault.code}). Allow it with \`tenon extension allow ${name} --exec ${command}\`.`,
    { cause: fault },
  );
}
