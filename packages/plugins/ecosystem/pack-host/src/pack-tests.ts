/** Runs the tests that come with a pack, under the same sandbox as the pack itself. */
import { spawn } from 'node:child_process';
import type { TestIo } from './api.ts';
import type { Launch } from './sandbox/launch.ts';

/** Runs them and gives their exit code; their output goes where `io` says. */
export async function runPackTests(plan: () => Promise<Launch>, io: TestIo): Promise<number> {
  const launch = await plan();
  const child = spawn(launch.file, launch.args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...launch.env, ...(io.color ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' }) },
    cwd: launch.cwd,
    detached: true,
  });
  const stop = () => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL');
  io.signal.addEventListener('abort', stop, { once: true });
  let writing = Promise.resolve();
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (writing = writing.then(() => io.out(text))));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (writing = writing.then(() => io.err(text))));
  try {
    const code = await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (exit) => resolve(exit ?? 1));
    });
    await writing;
    io.signal.throwIfAborted();
    return code;
  } finally {
    io.signal.removeEventListener('abort', stop);
    launch.cleanup();
  }
}
