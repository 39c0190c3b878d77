/** Runs the user's own git. */
import { spawn } from 'node:child_process';

/** git has failed; the message is what it said. */
export class GitFault extends Error {}

/** git in a folder. */
export interface Git {
  /** What it prints; a {@link GitFault} when it fails. */
  text(...args: readonly string[]): Promise<string>;
  bytes(...args: readonly string[]): Promise<Buffer>;
  /** Any end is an answer. */
  try(...args: readonly string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }>;
}

/** Lead git to another repository than that of the folder; a hook of git that starts Tenon has them. */
const ELSEWHERE = ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_COMMON_DIR', 'GIT_PREFIX', 'GIT_NAMESPACE'];
/** Commits that only serve a merge are nobody's. */
const NOBODY = {
  GIT_AUTHOR_NAME: 'tenon',
  GIT_AUTHOR_EMAIL: 'tenon@localhost',
  GIT_COMMITTER_NAME: 'tenon',
  GIT_COMMITTER_EMAIL: 'tenon@localhost',
};

/** Makes it. No hook and no external program of the repository is run. */
export function gitIn(folder: string, more: Readonly<Record<string, string>> = {}): Git {
  const run = (args: readonly string[]) =>
    new Promise<{ code: number; out: Buffer; err: string }>((resolve, reject) => {
      const env: NodeJS.ProcessEnv = { ...process.env, LC_ALL: 'C', ...NOBODY };
      for (const name of ELSEWHERE) delete env[name];
      const safe = ['-C', folder, '-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false'];
      const child = spawn('git', [...safe, ...args], { env: { ...env, ...more }, stdio: ['ignore', 'pipe', 'pipe'] });
      const [out, err]: [Buffer[], Buffer[]] = [[], []];
      child.stdout.on('data', (part: Buffer) => void out.push(part));
      child.stderr.on('data', (part: Buffer) => void err.push(part));
      child.on('error', (fault) => reject(new GitFault(`git cannot be started: ${fault.message}`)));
      child.on('close', (code) =>
        resolve({ code: code ?? 1, out: Buffer.concat(out), err: Buffer.concat(err).toString() }),
      );
    });
  const bytes = async (...args: readonly string[]) => {
    const { code, out, err } = await run(args);
    if (code !== 0)
      throw new GitFault(err.trim().replace(/^(?:fatal|error): /, '') || `git ${args[0] ?? ''} ended with ${code}`);
    return out;
  };
  return {
    bytes,
    text: async (...args) => (await bytes(...args)).toString(),
    async try(...args) {
      const { code, out, err } = await run(args);
      return { code, out: out.toString(), err };
    },
  };
}
