/** Runs a command on another machine through the connection that is there. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import type { KnownHost } from './api.ts';
import type { Connections } from './connections.ts';
import { errors } from './errors.ts';
import { PROBE, type RemoteStart, startOf } from './remote-script.ts';
import { readProbe, type RemoteSystem, type RemoteSystems } from './remote-systems.ts';
import { targetOf } from './ssh-options.ts';

/** How long a command that is stopped may take to end, before the way to it is cut. */
const STOP_MS = 6_000;
/** How much of what a shell prints while it starts is kept. */
const MAX_HELD = 16 * 1024;

/** How a command ended. */
export interface RemoteEnd {
  /** What `ssh` gives: the exit code over there, or 255 when the connection failed. */
  readonly code: number;
  readonly why: 'exit' | 'timeout' | 'cancelled';
  /** False when the shell over there never came so far. */
  readonly hasBegun: boolean;
}

/** What running a command needs. */
export interface RunOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Takes output and errors, in the order in which they come. The other side waits until it is done. */
  output(text: string): Promise<void>;
}

/** What runs over there. Asks the machine when nobody knows. */
export async function systemOf(
  host: KnownHost,
  connections: Connections,
  systems: RemoteSystems,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<RemoteSystem> {
  const known = await systems.known(host);
  if (known) return known;
  let answer = '';
  const end = await runOn(
    host,
    connections,
    { line: PROBE, script: '' },
    {
      signal,
      timeoutMs,
      output: async (text) => {
        answer = (answer + text).slice(0, 4096);
      },
    },
  );
  const system = readProbe(answer);
  signal.throwIfAborted();
  if (end.why === 'timeout') throw tooLate(host, timeoutMs / 1000);
  // An answer that broke off says nothing that is worth keeping.
  if (end.code !== 255) await systems.remember(host, system);
  return system;
}

/** The error for a machine whose shell takes too long to start. */
export function tooLate(host: KnownHost, seconds: number): Error {
  return errors.create('SSH_SHELL_LATE', { host: host.name, seconds: Math.round(seconds) });
}

/** Runs a command in a folder. */
export function runCommand(
  host: KnownHost,
  connections: Connections,
  system: RemoteSystem,
  { command, cwd }: { readonly command: string; readonly cwd: string | undefined },
  options: RunOptions,
): Promise<RemoteEnd> {
  return runOn(host, connections, startOf(command, cwd, system), options);
}

async function runOn(
  host: KnownHost,
  connections: Connections,
  { line, script, sign }: RemoteStart,
  { signal, timeoutMs, output }: RunOptions,
): Promise<RemoteEnd> {
  const lease = await connections.lease(host, signal);
  try {
    const words = [...connections.words(host, lease), '-T', '-e', 'none', '--', targetOf(host), line];
    const child = spawn(connections.program('ssh'), words, {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: connections.env,
      // Its own group: Ctrl-C in the terminal must not cut the way to a command that is yet to be stopped.
      detached: true,
    });
    // The other side may be gone before it has read everything.
    child.stdin.on('error', () => undefined);
    // Without a script nobody waits for the end of the input over there.
    if (script === '') child.stdin.end();
    else child.stdin.write(script);
    const begin = new Beginning(sign, () => child.stdin.write('go\n'));
    const say = async (text: string) => {
      if (text !== '') await output(text);
    };
    let why: RemoteEnd['why'] = 'exit';
    let cut: NodeJS.Timeout | undefined;
    const stop = (reason: RemoteEnd['why']) => {
      if (why !== 'exit') return;
      why = reason;
      child.stdin.end();
      const isGuarded = script !== '' && begin.hasBegun;
      cut = setTimeout(() => cutOff(child), isGuarded ? STOP_MS : 0);
    };
    const timer = setTimeout(() => stop('timeout'), timeoutMs);
    const onAbort = () => stop('cancelled');
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    try {
      const ended = new Promise<number>((resolve, reject) => {
        child.once('error', reject);
        child.once('close', (code) => resolve(code ?? 255));
      });
      const [code] = await Promise.all([
        ended,
        drain(child.stdout, (text) => say(begin.take(text))),
        drain(child.stderr, (text) => say(begin.takeErrors(text))),
      ]);
      if (!begin.hasBegun) await say(begin.held);
      return { code, why, hasBegun: begin.hasBegun };
    } finally {
      clearTimeout(timer);
      clearTimeout(cut);
      signal.removeEventListener('abort', onAbort);
    }
  } finally {
    lease.release();
  }
}

/** Ends `ssh` and the wait for what comes through it: the process that holds the connection has a copy of its output. */
function cutOff(child: ChildProcessWithoutNullStreams): void {
  child.kill('SIGKILL');
  for (const stream of [child.stdout, child.stderr]) stream.destroy();
}

/** Waits for the sign that a command can begin. What `ssh` and a login shell print before is no output of the command. */
class Beginning {
  readonly #sign: string | undefined;
  readonly #go: () => void;
  #held = '';
  #heldErrors = '';
  hasBegun: boolean;

  constructor(sign: string | undefined, go: () => void) {
    this.#sign = sign;
    this.#go = go;
    this.hasBegun = sign === undefined;
  }

  /** What came instead of the sign. */
  get held(): string {
    return this.#held + this.#heldErrors;
  }

  /** What of a piece belongs to the command. */
  take(text: string): string {
    if (this.hasBegun) return text;
    this.#held += text;
    const line = `${this.#sign}\n`;
    const at = this.#held.indexOf(line);
    if (at < 0) {
      this.#held = this.#held.slice(-MAX_HELD);
      return '';
    }
    this.hasBegun = true;
    this.#go();
    return this.#held.slice(at + line.length);
  }

  /** The same for errors, which have no sign of their own. */
  takeErrors(text: string): string {
    if (this.hasBegun) return text;
    this.#heldErrors = (this.#heldErrors + text).slice(-MAX_HELD);
    return '';
  }
}

async function drain(stream: AsyncIterable<Buffer>, output: (text: string) => Promise<void>): Promise<void> {
  const decoder = new StringDecoder('utf8');
  try {
    for await (const chunk of stream) await output(decoder.write(chunk));
  } catch (fault) {
    // A process that is killed can close its output early; its exit code says the rest.
    if ((fault as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw fault;
  }
  await output(decoder.end());
}
