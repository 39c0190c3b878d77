/** Runs the user's own git. */
import { spawn } from 'node:child_process';
import { errors } from './errors.ts';

/** How a run ended. */
export interface GitRun {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** These lead git to another repository than that of the folder: a hook of git that starts Tenon has them. */
const ELSEWHERE = ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_COMMON_DIR', 'GIT_PREFIX', 'GIT_NAMESPACE'];

/** Runs git in a folder; any end is an answer. */
export function tryGit(folder: string, ...args: readonly string[]): Promise<GitRun> {
  return runGit(folder, args);
}

/** The same with more variables. */
export function runGit(
  folder: string,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<GitRun> {
  return new Promise((resolve, reject) => {
    const env: NodeJS.ProcessEnv = { ...process.env, LC_ALL: 'C' };
    for (const name of ELSEWHERE) delete env[name];
    const child = spawn('git', args, { cwd: folder, env: { ...env, ...more }, stdio: ['ignore', 'pipe', 'pipe'] });
    const [out, err]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on('data', (chunk: Buffer) => void out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => void err.push(chunk));
    child.on('error', (fault: NodeJS.ErrnoException) =>
      reject(fault.code === 'ENOENT' ? errors.create('WORKTREES_NO_GIT', {}, fault) : fault),
    );
    child.on('close', (code) =>
      resolve({ code: code ?? 1, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() }),
    );
  });
}

/** What git prints, without the line break at the end; an error when it fails. */
export async function git(folder: string, ...args: readonly string[]): Promise<string> {
  const { code, out, err } = await tryGit(folder, ...args);
  if (code === 0) return out.replace(/\n$/, '');
  const reason = err.trim().replace(/^(?:fatal|error): /, '') || `exit code ${code}`;
  throw errors.create('WORKTREES_GIT', { command: args.join(' '), reason, folder });
}

/** Large files count as they are in the repository: as pointers. */
export const WITHOUT_LFS: readonly string[] = ['smudge=', 'clean=', 'process=', 'required=false'].flatMap((setting) => [
  '-c',
  `filter.lfs.${setting}`,
]);

/**
 * What differs from the last commit, as `git status -z` lists it; also where Git LFS is configured and not installed. Git must not look
 * into repositories in the folder by itself: it would run what their settings name, and a sandboxed program may have written those.
 */
export async function listChanges(folder: string, ...options: readonly string[]): Promise<string> {
  const args = ['status', '--porcelain=v1', '-z', '--ignore-submodules=dirty', ...options];
  const run = await tryGit(folder, ...args);
  if (run.code === 0) return run.out;
  return /filter 'lfs' failed/.test(run.err) ? git(folder, ...WITHOUT_LFS, ...args) : git(folder, ...args);
}
