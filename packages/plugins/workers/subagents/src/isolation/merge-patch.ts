/** Merges changes into files that lie there, committed or not: all of them, or none. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gitReason } from '@tenon/host';
import type { RepositoryChange } from './api.ts';
import type { Merged } from './merge.ts';
import type { ParentFiles, ParentRepository } from './parent-files.ts';
import type { Store } from './store.ts';

/** A merge that fits, and how it is taken back. */
interface Planned {
  readonly repository: ParentRepository;
  readonly path: string;
  readonly ours: string;
  readonly merged: string;
}

/** Merges the changes of one subagent. */
export async function mergePatch(parent: ParentFiles, changes: readonly RepositoryChange[]): Promise<Merged> {
  const planned: Planned[] = [];
  const conflicts: string[] = [];
  for (const change of changes) {
    const repository = await parent.repository(change);
    const ours = await parent.snapshot(repository);
    const result = await mergeTrees(repository.store, change.base, ours, change.theirs);
    if ('conflicts' in result) conflicts.push(...result.conflicts.map((file) => join(change.path, file)));
    else planned.push({ repository, path: change.path, ours, merged: result.tree });
  }
  if (conflicts.length > 0)
    return { status: 'conflict', reason: `Changed in the folder as well: ${conflicts.join(', ')}.`, files: conflicts };
  const done: Planned[] = [];
  for (const plan of planned) {
    const reason = await apply(plan.repository, plan.ours, plan.merged);
    if (reason === undefined) {
      done.push(plan);
      continue;
    }
    for (const earlier of done.reverse()) await goBack(parent, earlier);
    await goBack(parent, plan);
    return { status: 'conflict', reason: `It does not fit what lies in the folder: ${reason}` };
  }
  return { status: 'merged' };
}

/** Merges two trees that come from a third; nothing but objects is written. */
export async function mergeTrees(
  store: Store,
  base: string,
  ours: string,
  theirs: string,
): Promise<{ readonly tree: string } | { readonly conflicts: readonly string[] }> {
  if (ours === base || ours === theirs) return { tree: theirs };
  const root = await store.commit(base);
  const sides = [await store.commit(ours, root), await store.commit(theirs, root)];
  // Programs for merges that the user's settings name are not run: a subagent's attributes could call for them.
  const env = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  const run = await store.try(['merge-tree', '--write-tree', '--name-only', '-z', ...sides], { env });
  const [tree = '', ...rest] = run.out.split('\0');
  if (run.code === 0) return { tree: tree.trim() };
  if (run.code !== 1) throw new Error(`git merge-tree (git 2.38 or newer) failed: ${gitReason(run)}`);
  const end = rest.indexOf('');
  return { conflicts: [...new Set(rest.slice(0, end === -1 ? rest.length : end))] };
}

/** Writes the difference of two trees to the files; nothing when it worked, else why not. */
async function apply({ store, obstacle }: ParentRepository, from: string, to: string): Promise<string | undefined> {
  if (from === to) return undefined;
  const inTheWay = obstacle();
  if (inTheWay !== undefined) return `${inTheWay} is not a folder here, and nothing is written through a link`;
  const file = join(store.folder, 'merge.patch');
  const how = [
    '-r',
    '-p',
    '--binary',
    '--full-index',
    '--no-renames',
    '--no-color',
    '--src-prefix=a/',
    '--dst-prefix=b/',
  ];
  await store.run(['diff-tree', ...how, `--output=${file}`, from, to]);
  mkdirSync(store.files, { recursive: true });
  const run = await store.try(['apply', '--whitespace=nowarn', file]);
  writeFileSync(file, '');
  return run.code === 0 ? undefined : gitReason(run);
}

/** Takes back what was written, also when only a part of it was. */
async function goBack(parent: ParentFiles, { repository, ours, merged }: Planned): Promise<void> {
  const now = await parent.snapshot(repository);
  if (now === ours) return;
  // What others have changed meanwhile stays.
  const result = await mergeTrees(repository.store, merged, now, ours);
  const target = 'tree' in result ? result.tree : ours;
  const reason = await apply(repository, now, target);
  if (reason !== undefined) throw new Error(`a merge could not be taken back in ${repository.store.files}: ${reason}`);
}
