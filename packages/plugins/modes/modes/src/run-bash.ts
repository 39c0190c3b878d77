import { type ChildProcess, spawn } from 'node:child_process';
import type { Session } from '@tenon/sessions/api';
import type { CommandResult } from '@tenon/agent/api';

const SHOWN_CHARACTERS = 50_000;
const KEPT_BYTES = 8 * 1024 * 1024;
const GRACE_MS = 2_000;

/** Runs a command of the user in a shell. Both streams come together; a long output is kept as an artifact of the session. */
export async function runBash(
  command: string,
  options: { cwd: string; session: Session; signal: AbortSignal },
): Promise<CommandResult> {
  const { cwd, session, signal } = options;
  const parts: Buffer[] = [];
  let size = 0;
  // A group of its own, so that what the command started is stopped with it.
  const child = spawn('bash', ['-c', command], { cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const keep = (part: Buffer) => {
    if (size < KEPT_BYTES) parts.push(part);
    size += part.length;
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const stop = () => stopGroup(child);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', resolve);
    });
    const full = Buffer.concat(parts).toString('utf8');
    const truncated = full.length > SHOWN_CHARACTERS || size > KEPT_BYTES;
    const fullOutputPath = truncated
      ? await session.artifactPath(await session.putArtifact('bash.log', full))
      : undefined;
    return {
      output: truncated ? full.slice(-SHOWN_CHARACTERS) : full,
      ...(exitCode !== null && { exitCode }),
      cancelled: signal.aborted,
      truncated,
      ...(fullOutputPath !== undefined && { fullOutputPath }),
    };
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function stopGroup(child: ChildProcess): void {
  const kill = (name: NodeJS.Signals) => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, name);
    } catch (fault) {
      if ((fault as NodeJS.ErrnoException).code !== 'ESRCH') throw fault; // It has ended by itself.
    }
  };
  kill('SIGTERM');
  setTimeout(() => child.exitCode === null && child.signalCode === null && kill('SIGKILL'), GRACE_MS).unref();
}
