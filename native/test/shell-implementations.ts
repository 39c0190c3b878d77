/** Every implementation of the shell accelerator that can serve here, and helpers for its suites. */
import { until } from '@tenon/test-kit/waiting';
import { implementations } from '../src/index.ts';
import type { RunOptions, RunResult, ShellSession } from '../src/shell/contract.ts';

/** Native and JavaScript where the addon is built, else JavaScript alone. */
export const shells = await implementations('shell');

/** A finished command with what it printed. */
export interface Ran extends RunResult {
  readonly output: string;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command and collects its output. */
export async function runAll(session: ShellSession, command: string, options: RunOptions = {}): Promise<Ran> {
  const parts = { merged: [] as Buffer[], stdout: [] as Buffer[], stderr: [] as Buffer[] };
  const result = await session.run(command, {
    ...options,
    onOutput: ({ bytes, stream }) => void parts[stream].push(Buffer.from(bytes)),
  });
  const text = (chunks: Buffer[]): string => Buffer.concat(chunks).toString();
  return { ...result, output: text(parts.merged), stdout: text(parts.stdout), stderr: text(parts.stderr) };
}

/** Waits until a check holds; the error names what did not come. */
export const eventually = (what: string, check: () => boolean): Promise<void> => until(check, what);
