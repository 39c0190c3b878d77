/** Nodes that are command lines, run by sh in the sandbox. */
import {
  type ChildProcessByStdio,
  spawn,
  type SpawnOptionsWithStdioTuple,
  type StdioNull,
  type StdioPipe,
} from 'node:child_process';
import type { Readable } from 'node:stream';
import { messageOf } from '@tenon/kernel';
import { processMark, type ProcessMark } from '@tenon/state-files';
import { type Sandboxes, UNCONFINED } from '@tenon/sandbox/api';
import { milliseconds } from '../definition.ts';
import { type NodeCall, StepFailure, type StepResult } from './node-call.ts';

const MAX_OUTPUT = 256 * 1024;
const TAIL = 2_000;
const GRACE_MS = 2_000;
/** How long what a command has left behind may still write, once the command itself has ended. */
const AFTER_MS = 500;

/** Runs a command line. Its output is what it wrote to standard output; an exit code other than 0 is a failure, and told. */
export async function commandNode(
  sandboxes: Sandboxes | undefined,
  command: string,
  call: NodeCall,
): Promise<StepResult> {
  const { cwd, node, signal } = call;
  const confinement = sandboxes ? await sandboxes.wrap({ cwd }) : UNCONFINED;
  const limit = node.timeout === undefined ? [] : [AbortSignal.timeout(milliseconds(node.timeout))];
  const until = AbortSignal.any([signal, ...limit]);
  try {
    const { code, out, err } = await execute([...confinement.argv, 'sh', '-c', command], {
      cwd,
      env: { ...process.env, ...confinement.env, ...(call.wasInterrupted && { TENON_INTERRUPTED: '1' }) },
      signal: until,
      // Whatever confines it ends with this process; without that, the next process ends it.
      ...(confinement === UNCONFINED || confinement.argv.length === 0 ? { spawned: call.spawned } : {}),
    });
    signal.throwIfAborted();
    if (until.aborted) throw new StepFailure(`it took longer than ${node.timeout}`);
    if (code !== 0) throw new StepFailure(`exit code ${code}: ${(err.trim() || out.trim()).slice(-TAIL)}`);
    return { output: { output: out.trim(), code } };
  } finally {
    await confinement.dispose();
  }
}

interface Spawned {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  spawned?(process: ProcessMark): Promise<void>;
}

async function execute([program = 'sh', ...args]: readonly string[], { cwd, env, signal, spawned }: Spawned) {
  // A group of its own, so that what it has started ends with it.
  const child = start(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  // The command need not wait for it. A journal that cannot be written ends the workflow elsewhere.
  const noted = child.pid === undefined ? undefined : spawned?.(processMark(child.pid)).catch(() => undefined);
  try {
    return await ended(child, signal);
  } finally {
    // Nothing is written after the step is over: the next process may already write.
    await noted;
  }
}

/** Waits for its end; a signal ends it. */
function ended(child: ChildProcessByStdio<null, Readable, Readable>, signal: AbortSignal) {
  return new Promise<{ code: number | null; out: string; err: string }>((resolve, reject) => {
    let [out, err] = ['', ''];
    let timer: NodeJS.Timeout | undefined;
    let leftovers: NodeJS.Timeout | undefined;
    const end = (name: NodeJS.Signals) => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, name);
      } catch {
        // It has ended in this moment.
      }
    };
    const stop = () => {
      end('SIGTERM');
      timer = setTimeout(() => end('SIGKILL'), GRACE_MS);
    };
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out = (out + text).slice(0, MAX_OUTPUT)));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err = (err + text).slice(-MAX_OUTPUT)));
    child.on('error', (fault) => reject(new StepFailure(`it cannot be run: ${messageOf(fault)}`)));
    child.on('exit', () => {
      // Somebody whom it started holds its output open. A group ends as a whole; who has left it is not waited for.
      leftovers = setTimeout(() => {
        end('SIGKILL');
        child.stdout.destroy();
        child.stderr.destroy();
      }, AFTER_MS);
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      clearTimeout(leftovers);
      signal.removeEventListener('abort', stop);
      resolve({ code, out, err });
    });
  });
}

type Piped = SpawnOptionsWithStdioTuple<StdioNull, StdioPipe, StdioPipe>;

function start(program: string, args: readonly string[], options: Piped) {
  try {
    return spawn(program, args, options);
  } catch (fault) {
    // A command line that no program can be given: too long, or with a NUL in it.
    throw new StepFailure(`it cannot be run: ${messageOf(fault)}`);
  }
}
