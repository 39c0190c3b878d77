/** Git for taking over the work of a run. */
import { gitReason, runGit } from '@tenon/host';

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

/** Commits that only serve a merge are nobody's. */
const NOBODY = {
  GIT_AUTHOR_NAME: 'tenon',
  GIT_AUTHOR_EMAIL: 'tenon@localhost',
  GIT_COMMITTER_NAME: 'tenon',
  GIT_COMMITTER_EMAIL: 'tenon@localhost',
};

/** Makes it. No hook and no external program of the repository is run. */
export function gitIn(folder: string, more: Readonly<Record<string, string>> = {}): Git {
  const run = (args: readonly string[]) => runGit(folder, args, { env: { ...NOBODY, ...more } });
  const checked = async (args: readonly string[]) => {
    const done = await run(args);
    if (done.code !== 0) throw new GitFault(gitReason(done));
    return done;
  };
  return {
    bytes: async (...args) => (await checked(args)).bytes,
    text: async (...args) => (await checked(args)).out,
    try: async (...args) => run(args),
  };
}
