/** Git for commits. Only `git commit` itself runs hooks of the repository. */
import { gitReason, runGit } from '@tenon/host';
import { errors } from './errors.ts';

/** One run of git. */
export interface GitOptions {
  readonly input?: string;
  /** More variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** Gets what git and its hooks write to standard error, as it comes. */
  onError?(text: string): void;
  /** Hooks run. */
  readonly hooks?: boolean;
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
  const attempt = async (args: readonly string[], options: GitOptions = {}): Promise<GitRun> => {
    const run = await runGit(folder, args, { ...options, signal, keepPlace: true });
    if (run.fault === 'missing') throw errors.create('COMMIT_NO_GIT', {});
    if (run.fault === 'stopped') signal.throwIfAborted();
    return run;
  };
  return {
    folder,
    try: attempt,
    async run(args, options) {
      const run = await attempt(args, options);
      if (run.code !== 0) throw errors.create('COMMIT_GIT', { command: args[0] ?? '', reason: gitReason(run) });
      return run.out;
    },
  };
}
