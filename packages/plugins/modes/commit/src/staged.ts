/** What would be committed: the files, and their differences. */
import { copyFile, mkdtemp, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { counted } from '@tenon/wording';
import { errors } from './errors.ts';
import { stageTracked } from './stage-tracked.ts';
import type { Git } from './git.ts';

/** What happened to a file. */
export type Change = 'added' | 'modified' | 'deleted' | 'renamed';

/** One file of the commit. */
export interface StagedFile {
  readonly path: string;
  /** The name before, for a file that was renamed. */
  readonly from?: string;
  readonly change: Change;
  /** Its part of the diff. */
  readonly diff: string;
  readonly added: number;
  readonly removed: number;
  readonly isBinary: boolean;
}

/** Everything that would be committed. */
export interface Staged {
  readonly files: readonly StagedFile[];
  /** The tree that the index stands for. */
  readonly tree: string;
  /** The last subjects, newest first: a project has its own manner. */
  readonly subjects: readonly string[];
}

/** External programs that a repository names for differences are not run: the text itself is wanted. */
const DIFF = [
  '--cached',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--find-renames',
  '--src-prefix=a/',
  '--dst-prefix=b/',
];

/** Finds the top of the repository. */
export async function topFolder(git: Git): Promise<string> {
  const { code, out } = await git.try(['rev-parse', '--show-toplevel']);
  if (code !== 0) throw errors.create('COMMIT_NO_REPOSITORY', { folder: git.folder });
  return out.replace(/\n$/, '');
}

/** With its time: git takes a file that is older than the index for unchanged when its size is the same. */
async function copyIndex(index: string, copy: string): Promise<void> {
  try {
    const { atime, mtime } = await stat(index);
    await copyFile(index, copy);
    await utimes(copy, atime, mtime);
  } catch (fault) {
    // A new repository has none yet.
    if ((fault as NodeJS.ErrnoException).code !== 'ENOENT') throw fault;
  }
}

/** Works on a copy of the index in which every change of a tracked file is staged; the real one stays as it is. */
export async function withAllStaged<T>(
  git: Git,
  work: (env: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-commit-'));
  const copy = join(folder, 'index');
  try {
    const index = resolve(git.folder, (await git.run(['rev-parse', '--git-path', 'index'])).trim());
    await copyIndex(index, copy);
    const env = { GIT_INDEX_FILE: copy };
    await stageTracked(git, env);
    return await work(env);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Reads what is staged; an error that says what to do when that is nothing. */
export async function readStaged(git: Git, env: Readonly<Record<string, string>> = {}): Promise<Staged> {
  const conflicts = list(
    await git.run(['diff', '--name-only', '--diff-filter=U', '--ignore-submodules=all', '-z'], { env }),
  );
  if (conflicts.length > 0) throw errors.create('COMMIT_CONFLICTS', { files: conflicts.join(', ') });
  const [raw, numbers] = [
    list(await git.run(['diff', ...DIFF, '--raw', '--abbrev=40', '-z'], { env })),
    list(await git.run(['diff', ...DIFF, '--numstat', '-z'], { env })),
  ];
  if (raw.length === 0) throw await nothingStaged(git);
  const counts = countsOf(numbers);
  const entries = entriesOf(raw);
  const patch = await git.run(['diff', ...DIFF], { env });
  // Git tells about files in the same order everywhere; only a file that became a link has two parts.
  const parts = patch.split(/^(?=diff --git )/m);
  const files: StagedFile[] = [];
  for (const [at, entry] of entries.entries()) {
    const diff = parts.length === entries.length ? (parts[at] ?? '') : await diffOf(git, entry, env);
    files.push({ ...entry, diff, ...(counts.get(entry.path) ?? { added: 0, removed: 0, isBinary: false }) });
  }
  const tree = (await git.run(['write-tree'], { env })).trim();
  const { out } = await git.try(['log', '-12', '--format=%s']);
  return { files, tree, subjects: out.split('\n').filter(Boolean) };
}

type Entry = Pick<StagedFile, 'path' | 'from' | 'change'>;

const CHANGES: Readonly<Record<string, Change>> = { A: 'added', C: 'added', D: 'deleted', R: 'renamed' };

/** `:modes hashes LETTER`, then the path; a move has the old one before it. */
function entriesOf(raw: readonly string[]): Entry[] {
  const entries: Entry[] = [];
  for (let at = 0; at < raw.length;) {
    const letter = /\s([A-Z])\d*$/.exec(raw[at] ?? '')?.[1] ?? 'M';
    const isMove = letter === 'R' || letter === 'C';
    const [first = '', second = ''] = [raw[at + 1], raw[at + 2]];
    const change = CHANGES[letter] ?? 'modified';
    entries.push({ path: isMove ? second : first, change, ...(letter === 'R' && { from: first }) });
    at += isMove ? 3 : 2;
  }
  return entries;
}

function diffOf(git: Git, { path, from }: Entry, env: Readonly<Record<string, string>>): Promise<string> {
  const names = from === undefined ? [path] : [from, path];
  return git.run(['diff', ...DIFF, '--', ...names.map((name) => `:(top,literal)${name}`)], { env });
}

function list(text: string): string[] {
  return text.split('\0').filter((part) => part !== '');
}

/** `added TAB removed TAB path`; the path is empty for a move, whose two names follow. */
function countsOf(numbers: readonly string[]): Map<string, Pick<StagedFile, 'added' | 'removed' | 'isBinary'>> {
  const counts = new Map<string, Pick<StagedFile, 'added' | 'removed' | 'isBinary'>>();
  for (let at = 0; at < numbers.length; at++) {
    const [added = '', removed = '', path = ''] = (numbers[at] ?? '').split('\t');
    const name = path === '' ? (numbers[(at += 2)] ?? '') : path;
    counts.set(name, { added: Number(added) || 0, removed: Number(removed) || 0, isBinary: added === '-' });
  }
  return counts;
}

async function nothingStaged(git: Git): Promise<Error> {
  const lines = list(await git.run(['status', '--porcelain=v1', '-z', '--no-renames', '--ignore-submodules=dirty']));
  const untracked = lines.filter((line) => line.startsWith('??')).length;
  const changed = lines.length - untracked;
  const state = [
    ...(changed > 0 ? [`${counted(changed, 'tracked file')} changed`] : []),
    ...(untracked > 0 ? [`${counted(untracked, 'file')} not tracked`] : []),
  ].join(', ');
  const advice =
    changed > 0
      ? 'Stage what belongs together with `git add FILE`, or commit every change of tracked files with `tenon commit --all`.'
      : untracked > 0
        ? 'Stage new files with `git add FILE`.'
        : 'There is nothing to commit: the working tree is as the last commit.';
  return errors.create('COMMIT_NOTHING_STAGED', { state: state === '' ? '' : ` (${state}.)`, advice });
}
