/** The files of the parent as they lie there now, repository by repository. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { runGit } from '@tenon/host';
import type { RepositoryChange } from './api.ts';
import { obstacleOnWay } from './own-folder.ts';
import { repositoriesBelow } from './repositories.ts';
import { adoptIndex, factsOf, makeStore, type RepositoryFacts, type Store } from './store.ts';

/** A repository of the parent. */
export interface ParentRepository {
  readonly store: Store;
  readonly facts?: RepositoryFacts;
  /** What it borrows objects from. */
  readonly objects: Set<string>;
  /** What lies in the way to it and is no folder, at this moment: a link there leads out of the parent's folder. */
  obstacle(): string | undefined;
}

/** Trees of the parent's files; the index and the branches of the parent's repositories stay as they are. */
export class ParentFiles {
  readonly top: string;
  readonly #scratch: string;
  readonly #known = new Map<string, ParentRepository>();

  constructor(top: string, scratch: string) {
    this.top = top;
    this.#scratch = scratch;
  }

  /** The repository at a path, with the objects of a change at hand. */
  async repository({ path, store: from }: Pick<RepositoryChange, 'path' | 'store'>): Promise<ParentRepository> {
    let known = this.#known.get(path);
    if (!known) {
      const files = join(this.top, path);
      const obstacle = () => obstacleOnWay(this.top, path);
      const isRepository =
        obstacle() === undefined && lstatSync(join(files, '.git'), { throwIfNoEntry: false }) !== undefined;
      const facts = isRepository ? await factsOf(files) : undefined;
      const format = facts?.format ?? (await formatOf(from));
      const objects = new Set(facts ? [facts.objects] : []);
      const folder = join(this.#scratch, `store-${this.#known.size}`);
      const store = makeStore(folder, files, { objects: [...objects], format });
      if (facts) await adoptIndex(store, facts);
      known = { store, objects, obstacle, ...(facts && { facts }) };
      this.#known.set(path, known);
    }
    const own = join(from, 'objects');
    if (!known.objects.has(own)) {
      known.objects.add(own);
      known.store.borrow([...known.objects]);
    }
    return known;
  }

  /** What lies there now, as a tree. */
  async snapshot({ store, obstacle }: ParentRepository): Promise<string> {
    const isThere = obstacle() === undefined && lstatSync(store.files, { throwIfNoEntry: false })?.isDirectory();
    if (!isThere) return store.text(['mktree'], { input: '' });
    return store.snapshot(await repositoriesBelow(store), { isLenient: true });
  }
}

async function formatOf(store: string): Promise<string> {
  const run = await runGit(store, ['rev-parse', '--show-object-format'], { env: { GIT_DIR: store } });
  return run.code === 0 ? run.out.trim() : 'sha1';
}
