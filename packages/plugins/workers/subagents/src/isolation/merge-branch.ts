/** Merges changes as commits: one branch per subagent, then onto HEAD in order. Repositories inside get their part as changes of files. */
import { existsSync, lstatSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { gitReason, type GitRun, runGit } from '@tenon/host';
import type { MergeOptions, RepositoryChange } from './api.ts';
import { mergePatch, mergeTrees } from './merge-patch.ts';
import type { Merged, MergeItem } from './merge.ts';
import type { ParentFiles, ParentRepository } from './parent-files.ts';
import { convertedPaths, type RepositoryFacts, type Store } from './store.ts';

const OPERATIONS = ['MERGE_HEAD', 'rebase-merge', 'rebase-apply', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'BISECT_LOG'];
const MAX_DIFF = 200_000;

/** git in the parent's own repository, with the parent's own index. It borrows no objects: what it has at hand it would not write. */
class Repository {
  readonly top: string;

  constructor(top: string) {
    this.top = top;
  }

  try(args: readonly string[], input?: string | Buffer): Promise<GitRun> {
    return runGit(this.top, args, input === undefined ? {} : { input });
  }

  async text(args: readonly string[], input?: string | Buffer): Promise<string> {
    const run = await this.try(args, input);
    if (run.code !== 0) throw new Error(`git ${args[0] ?? ''} failed: ${gitReason(run)}`);
    return run.out.trim();
  }
}

/** Merges the changes of one subagent. */
export async function mergeBranch(
  parent: ParentFiles,
  { id, label, changes }: MergeItem,
  message: MergeOptions['message'],
): Promise<Merged> {
  const own = changes.repositories.find(({ path }) => path === '');
  const inside = changes.repositories.filter(({ path }) => path !== '');
  if (!own) return mergePatch(parent, inside);
  const files = await parent.repository(own);
  const { facts } = files;
  const git = new Repository(parent.top);
  const head = await git.try(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  if (!facts || head.code !== 0)
    return {
      status: 'failed',
      reason: 'There is no commit to put a branch on: merge with `patch`, or make a first commit.',
    };
  const before = head.out.trim();
  const operation = OPERATIONS.find((name) => existsSync(join(facts.gitFolder, name)));
  const plan = await planCommit(git, { ...files, facts }, own, before);
  const diff = (await git.try(['diff-tree', '-r', '-p', '--no-color', plan.base, plan.theirs])).out;
  const text = await message(label, diff.slice(0, MAX_DIFF));
  // Where the work does not fit the last commit, its branch has what it was built on as well.
  const onto =
    plan.merged === undefined
      ? await commit(git, plan.base, 'Uncommitted changes that the next commit was built on', before)
      : before;
  const work = await commit(git, plan.merged ?? plan.theirs, text, onto);
  // Nothing points to it unless all of it is there.
  await git.text(['rev-list', '--objects', '--quiet', work, `^${before}`]);
  // Where repositories inside belong to it as well, only the patch has all of it.
  const branch = inside.length > 0 ? undefined : await freeBranch(git, id);
  if (branch !== undefined) await git.text(['update-ref', '-m', `task ${id}`, `refs/heads/${branch}`, work, '']);
  const kept = branch === undefined ? {} : { branch };
  const keep = (reason: string, conflicts?: readonly string[]): Merged => ({
    status: 'conflict',
    reason,
    ...kept,
    ...(conflicts && { files: conflicts }),
  });
  if (operation !== undefined)
    return { status: 'failed', reason: `The repository is in the middle of something (${operation}).`, ...kept };
  if (plan.conflicts)
    return keep(`Changed by another task, or not committed: ${plan.conflicts.join(', ')}.`, plan.conflicts);
  const dirty = await uncommitted(git, plan.paths);
  if (dirty.length > 0) return keep(`Not committed in the folder: ${dirty.join(', ')}.`, dirty);
  const inTheWay = await obstacle(git, before, work);
  if (inTheWay !== undefined) return keep(inTheWay);
  const nested = inside.length > 0 ? await mergePatch(parent, inside) : undefined;
  if (nested && nested.status !== 'merged') return nested;
  const moved = await moveTo(git, before, work, `task ${id}: ${text.split('\n', 1)[0] ?? ''}`);
  if (moved !== undefined) return keep(nested ? `${moved} Repositories inside were merged.` : moved);
  if (branch !== undefined) await git.text(['update-ref', '-d', `refs/heads/${branch}`, work]);
  return { status: 'merged' };
}

interface PlannedCommit {
  /** The paths that the subagent changed, as Latin-1. */
  readonly paths: readonly string[];
  /** HEAD with the changed paths as the subagent found them, and as it left them. */
  readonly base: string;
  readonly theirs: string;
  /** HEAD with the subagent's change; absent when it does not fit. */
  readonly merged?: string;
  readonly conflicts?: readonly string[];
}

/** Only the paths that the subagent changed count; they are written as this repository writes them (line ends, filters of the user). */
async function planCommit(
  git: Repository,
  files: ParentRepository & { readonly facts: RepositoryFacts },
  change: RepositoryChange,
  head: string,
): Promise<PlannedCommit> {
  const { store, facts } = files;
  const raw = (await store.run(['diff-tree', '-r', '-z', '--no-renames', '--raw', change.base, change.theirs])).bytes;
  const words = raw.toString('latin1').split('\0');
  const entries = words.flatMap((word, at) =>
    word.startsWith(':') && at % 2 === 0 ? [[word, words[at + 1] ?? ''] as const] : [],
  );
  const converted = await convertedPaths(
    store.files,
    facts,
    entries.map(([, path]) => path),
  );
  const sides: [string[], string[]] = [[], []];
  for (const [line, path] of entries) {
    const [modeBefore = '', modeAfter = '', idBefore = '', idAfter = ''] = line.slice(1).split(' ');
    const isConverted = converted === 'all' || converted.has(path);
    for (const [side, mode, id] of [
      [sides[0], modeBefore, idBefore],
      [sides[1], modeAfter, idAfter],
    ] as const) {
      const isFile = mode.startsWith('100');
      side.push(`${mode} ${isFile && isConverted ? await asCommitted(git, store, id, path) : id}\t${path}\0`);
    }
  }
  const treeOf = async (lines: readonly string[], name: string) => {
    const index = join(store.folder, `index-${name}`);
    await store.run(['read-tree', head], { index });
    const input = Buffer.from(lines.join(''), 'latin1');
    await store.run(['update-index', '-z', '--index-info'], { index, input });
    return store.text(['write-tree', '--missing-ok'], { index });
  };
  const [base, theirs] = [await treeOf(sides[0], 'base'), await treeOf(sides[1], 'theirs')];
  const ours = await git.text(['rev-parse', `${head}^{tree}`]);
  const result = await mergeTrees(store, base, ours, theirs);
  const wanted = 'tree' in result ? [result.tree] : [base, theirs];
  const input = [...wanted, `^${head}`].join('\n');
  const pack = await store.run(['pack-objects', '--revs', '--stdout', '-q', '--delta-base-offset'], { input });
  await git.text(['unpack-objects', '-q'], pack.bytes);
  const plan = { base, theirs, paths: entries.map(([, path]) => path) };
  return 'tree' in result ? { ...plan, merged: result.tree } : { ...plan, conflicts: result.conflicts };
}

/** The id of a content as the parent's repository would write it; it is written there. */
async function asCommitted(git: Repository, store: Store, id: string, path: string): Promise<string> {
  const { bytes } = await store.run(['cat-file', 'blob', id]);
  const name = Buffer.from(path, 'latin1');
  // A name that is no text cannot be given to git in this way.
  const how = Buffer.from(name.toString()).equals(name) ? [`--path=${name.toString()}`] : ['--no-filters'];
  return git.text(['hash-object', '-w', '--stdin', ...how], bytes);
}

function commit(git: Repository, tree: string, text: string, parent: string): Promise<string> {
  return git.text(['commit-tree', tree, '-p', parent, '-F', '-'], text.trim() === '' ? 'Work of a subagent' : text);
}

/** A branch of this name that there is not yet. */
async function freeBranch(git: Repository, id: string): Promise<string> {
  const word = id.replaceAll(/[^\w-]+/g, '-').replaceAll(/^-+|-+$/g, '') || 'task';
  for (let at = 1; ; at++) {
    const name = `tenon/task/${word}${at === 1 ? '' : `-${at}`}`;
    if ((await git.try(['show-ref', '--verify', '--quiet', `refs/heads/${name}`])).code !== 0) return name;
  }
}

/** Names that git lists, as Latin-1. */
async function namesFrom(git: Repository, ...args: readonly string[]): Promise<string[]> {
  const run = await git.try(args);
  if (run.code !== 0) throw new Error(`git ${args[0] ?? ''} failed: ${gitReason(run)}`);
  return run.bytes.toString('latin1').split('\0').filter(Boolean);
}

/** Of these paths, those that the user has changed and not committed, for display. A commit cannot hold a subagent's part of them alone. */
async function uncommitted(git: Repository, paths: readonly string[]): Promise<readonly string[]> {
  // Notes about times may be old: then a file counts as changed that is not.
  await git.try(['update-index', '-q', '--refresh', '--ignore-submodules']);
  const how = ['-r', '-z', '--name-only', '--no-renames', '--ignore-submodules=dirty', 'HEAD'];
  const changed = new Set([
    ...(await namesFrom(git, 'diff-index', ...how)),
    ...(await namesFrom(git, 'diff-index', '--cached', ...how)),
  ]);
  const tracked = new Set(await namesFrom(git, 'ls-files', '-z', '--', ':/'));
  const isDirty = (path: string) =>
    changed.has(path) || (!tracked.has(path) && lookAt(git.top, path)?.isDirectory() === false);
  return paths.filter(isDirty).map((path) => Buffer.from(path, 'latin1').toString());
}

/** Why files and index cannot go from one commit to another without touching what is not committed; nothing when they can. */
async function obstacle(git: Repository, from: string, to: string): Promise<string | undefined> {
  const run = await git.try(['read-tree', '-m', '-u', '-n', from, to]);
  if (run.code !== 0) return `It would write over changes that are not committed: ${gitReason(run)}`;
  // Git would write over files that it ignores.
  const added = await namesFrom(
    git,
    'diff-tree',
    '-r',
    '-z',
    '--no-renames',
    '--name-only',
    '--diff-filter=A',
    from,
    to,
  );
  const tracked = new Set(added.length === 0 ? [] : await namesFrom(git, 'ls-files', '-z', '--', ':/'));
  const inTheWay = added.find((path) => {
    const parts = path.split('/');
    return parts.some((_, at) => {
      const part = parts.slice(0, at + 1).join('/');
      if (tracked.has(part)) return false;
      const stats = lookAt(git.top, part);
      return (
        stats !== undefined && (at + 1 === parts.length ? !isTrackedFolder(stats, part, tracked) : !stats.isDirectory())
      );
    });
  });
  if (inTheWay === undefined) return undefined;
  return `It would write over a file that is not committed: ${Buffer.from(inTheWay, 'latin1').toString()}`;
}

/** A folder of tracked files that becomes a file: git has looked after that. */
function isTrackedFolder(stats: Stats, path: string, tracked: ReadonlySet<string>): boolean {
  return stats.isDirectory() && [...tracked].some((other) => other.startsWith(`${path}/`));
}

function lookAt(top: string, path: string): Stats | undefined {
  try {
    return lstatSync(Buffer.concat([Buffer.from(`${top}/`), Buffer.from(path, 'latin1')]));
  } catch {
    return undefined; // Not there.
  }
}

/** Moves HEAD, index and files. What is not committed stays, or nothing is moved. */
async function moveTo(git: Repository, from: string, to: string, note: string): Promise<string | undefined> {
  const run = await git.try(['read-tree', '-m', '-u', from, to]);
  if (run.code !== 0) return `It would write over changes that are not committed: ${gitReason(run)}`;
  const moved = await git.try(['update-ref', '-m', note, 'HEAD', to, from]);
  if (moved.code === 0) return undefined;
  await git.text(['read-tree', '-m', '-u', to, from]);
  return `HEAD was moved by somebody else: ${gitReason(moved)}`;
}
