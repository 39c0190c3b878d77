/** Runs a command on another machine through the connection that is there. */
import { spawn } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import type { KnownHost } from './api.ts';
import type { Connections } from './connections.ts';
import { PROBE, type RemoteStart, startOf } from './remote-script.ts';
import { readProbe, type RemoteSystem, type RemoteSystems } from './remote-systems.ts';
import { targetOf } from './ssh-options.ts';

/** How long a command that is stopped may take to end, before the way to it is cut. */
const STOP_MS = 6_000;

/** How a command ended. */
export interface RemoteEnd {
  /** What `ssh` gives: the exit code over there, or 255 when the connection failed. */
  readonly code: number;
  readonly why: 'exit' | 'timeout' | 'cancelled';
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
  // An answer that broke off says nothing that is worth keeping.
  if (end.why === 'exit' && end.code !== 255) await systems.remember(host, system);
  return system;
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
  { line, script }: RemoteStart,
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
    let why: RemoteEnd['why'] = 'exit';
    let cut: NodeJS.Timeout | undefined;
    const stop = (reason: RemoteEnd['why']) => {
      if (why !== 'exit') return;
      why = reason;
      child.stdin.end();
      cut = setTimeout(() => child.kill('SIGKILL'), script === '' ? 0 : STOP_MS);
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
      const [code] = await Promise.all([ended, drain(child.stdout, output), drain(child.stderr, output)]);
      return { code, why };
    } finally {
      clearTimeout(timer);
      clearTimeout(cut);
      signal.removeEventListener('abort', onAbort);
    }
  } finally {
    lease.release();
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
