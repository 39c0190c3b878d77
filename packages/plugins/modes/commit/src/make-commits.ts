/** Makes the commits, one after the other. Hooks of the repository run as they do with `git commit`. */
import { addEntry, type Changelog } from './changelog.ts';
import { errors } from './errors.ts';
import type { Git } from './git.ts';
import { type Proposal, textOf, titleOf } from './message.ts';
import type { Staged } from './staged.ts';

/** A commit that was made. */
export interface MadeCommit {
  readonly hash: string;
  readonly title: string;
  readonly files: readonly string[];
}

/** What making commits needs. */
export interface CommitHost {
  readonly git: Git;
  /** Gets what git and hooks say. */
  tell(text: string): void;
  /** Where entries go; absent when none are written. */
  readonly changelog?: Changelog;
}

/** Commits the proposals in order. When one fails, what is not committed yet is staged as it was. */
export async function makeCommits(
  host: CommitHost,
  staged: Staged,
  proposals: readonly Proposal[],
): Promise<MadeCommit[]> {
  const { git } = host;
  const made: MadeCommit[] = [];
  for (const [at, { message, files }] of proposals.entries()) {
    const later = proposals.slice(at + 1).flatMap((proposal) => pathsOf(staged, proposal.files));
    await unstage(git, later);
    let takeBack: (() => Promise<void>) | undefined;
    try {
      takeBack =
        host.changelog && message.changelog !== undefined ? await addEntry(git, host.changelog, message) : undefined;
      const { code, err, out } = await git.try(['commit', '--quiet', '--file=-'], {
        input: textOf(message),
        hooks: true,
        onError: (text) => host.tell(text),
      });
      if (code !== 0) {
        const reason = lastLine(err) ?? lastLine(out) ?? `exit code ${code}`;
        const before =
          made.length === 0
            ? ''
            : `, without what is already committed: ${made.map(({ hash }) => hash.slice(0, 7)).join(', ')}`;
        throw errors.create('COMMIT_REFUSED', { reason, made: before });
      }
    } catch (fault) {
      await takeBack?.();
      await stage(git, staged.tree, later);
      throw fault;
    }
    made.push({ hash: (await git.run(['rev-parse', 'HEAD'])).trim(), title: titleOf(message), files });
    await stage(git, staged.tree, later);
  }
  return made;
}

/** A file that was renamed has two names in the index. */
function pathsOf({ files }: Staged, names: readonly string[]): string[] {
  const wanted = new Set(names);
  return files.flatMap(({ path, from }) => (wanted.has(path) ? (from === undefined ? [path] : [from, path]) : []));
}

/** Puts paths of the index to what a tree has; other paths, and the files themselves, stay as they are. */
async function stage(git: Git, tree: string, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  const input = paths.map((path) => `:(top,literal)${path}`).join('\0');
  await git.run(['restore', '--staged', `--source=${tree}`, '--pathspec-from-file=-', '--pathspec-file-nul'], {
    input,
  });
}

async function unstage(git: Git, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  const { code } = await git.try(['rev-parse', '--verify', '--quiet', 'HEAD']);
  // Before the first commit there is nothing to go back to but a tree without files.
  const tree = code === 0 ? 'HEAD' : (await git.run(['mktree'])).trim();
  await stage(git, tree, paths);
}

function lastLine(text: string): string | undefined {
  return text.trim().split('\n').at(-1)?.trim() || undefined;
}
