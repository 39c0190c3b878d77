/** Which files a change is made of, as git sees it. */
import { runGit } from '@tenon/host';
import type { Change } from './project.ts';

/** Room for the names of many files. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The change between a commit and what lies in the folder now, committed or not. Without a repository or a base that is known, all files count. */
export async function changeIn(cwd: string, base: string | undefined): Promise<Change> {
  const git = async (...args: readonly string[]): Promise<string | undefined> => {
    const { code, out } = await runGit(cwd, args, { maxBytes: MAX_BYTES });
    // No git, no repository, or no such commit: the caller then takes everything.
    return code === 0 ? out : undefined;
  };
  const top = (await git('rev-parse', '--show-toplevel'))?.replace(/\n$/, '');
  if (top === undefined || top === '') return { root: cwd, files: undefined };
  // A base that begins with a dash would be read as an option.
  const commit = await git('rev-parse', '--verify', '--quiet', '--end-of-options', `${base ?? 'HEAD'}^{commit}`);
  if (commit === undefined) return { root: top, files: undefined };
  const changed = await git(
    'diff',
    '--name-only',
    '--no-renames',
    '-z',
    '--no-ext-diff',
    // Git would run what the settings of a repository in the folder name, and a sandboxed worker may have written those.
    '--ignore-submodules=dirty',
    commit.trim(),
    '--',
    ':/',
  );
  const added = await git('ls-files', '--others', '--exclude-standard', '--full-name', '-z', '--', ':/');
  if (changed === undefined || added === undefined) return { root: top, files: undefined };
  return { root: top, files: [...new Set(`${changed}${added}`.split('\0').filter(Boolean))].sort() };
}
