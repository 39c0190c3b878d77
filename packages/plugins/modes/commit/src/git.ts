/** Runs the user's own git, with the user's own configuration and hooks. */
import { spawn } from 'node:child_process';
import { errors } from './errors.ts';

/** One run of git. */
export interface GitOptions {
  readonly input?: string;
  /** More variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** Gets what git and its hooks write to standard error, as it comes. */
  onError?(text: string): void;
}

/** How a run ended. */
export interface GitRun {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Git in one folder. */
export interface Git {
  readonly folder: string;
  /** Any end is an answer. */
  try(args: readonly string[], options?: GitOptions): Promise<GitRun>;
  /** What it prints; an error when git fails. */
  run(args: readonly string[], options?: GitOptions): Promise<string>;
}

/** Makes git for a folder. */
export function gitIn(folder: string, signal: AbortSignal): Git {
  const attempt = (args: readonly string[], { input, env, onError }: GitOptions = {}) =>
    new Promise<GitRun>((resolve, reject) => {
      const child = spawn('git', args, {
        cwd: folder,
        signal,
        env: { ...process.env, ...env },
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      const out: Buffer[] = [];
      let err = '';
      child.stdout.on('data', (chunk: Buffer) => void out.push(chunk));
      child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
        err += chunk;
        onError?.(chunk);
      });
      child.on('error', (fault: NodeJS.ErrnoException) => {
        reject(fault.code === 'ENOENT' ? errors.create('COMMIT_NO_GIT', {}, fault) : fault);
      });
      child.on('close', (code) => resolve({ code: code ?? 1, out: Buffer.concat(out).toString('utf8'), err }));
      // A git that ends before it has read everything says why on standard error.
      child.stdin.on('error', () => undefined);
      child.stdin.end(input ?? '');
    });
  return {
    folder,
    try: attempt,
    async run(args, options) {
      const { code, out, err } = await attempt(args, options);
      if (code !== 0)
        throw errors.create('COMMIT_GIT', { command: args[0] ?? '', reason: err.trim() || `exit code ${code}` });
      return out;
    },
  };
}
