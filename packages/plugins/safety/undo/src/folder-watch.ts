/** Says without a walk that nothing changed in a workspace, for as long as that can be relied on. */
import { loadAccelerator, type StatTree, type TreeWatch } from '@tenon/native';
import { PackedStat } from './entry.ts';
import { namesOf } from './tree-index.ts';

/** Every so often the files are asked all the same: a watch does not hear of writes through old memory mappings and hard links. */
const WALK_EVERY_MS = 60_000;

/** The watch over the folders of one workspace. It begins with the second walk: most processes need only one. */
export class FolderWatch {
  readonly #root: string;
  #watch: TreeWatch | undefined;
  /** The folders that are watched, as they were when the watch was made. */
  #folders: Buffer | undefined;
  /** True from a walk on that began when everything was watched already. */
  #isReliable = false;
  #walkedAt = Number.NEGATIVE_INFINITY;
  #walks = 0;

  constructor(root: string) {
    this.#root = root;
  }

  /** True only when nothing happened since the last walk. A walk must follow when it is not. */
  isUnchanged(): boolean {
    // The queue is read in any case: what is in it belongs to the time before the walk that follows.
    const isQuiet = this.#watch?.isUnchanged() === true;
    return isQuiet && this.#isReliable && performance.now() - this.#walkedAt < WALK_EVERY_MS;
  }

  /** Takes note of a walk that is done. */
  async walked({ paths, stats }: Pick<StatTree, 'paths' | 'stats'>): Promise<void> {
    this.#walkedAt = performance.now();
    this.#walks += 1;
    if (this.#walks < 2) return;
    const folders = foldersOf(paths, stats);
    // The same names may be other folders now.
    this.#isReliable = this.#watch?.isOutdated() === false && this.#folders?.equals(folders) === true;
    if (this.#isReliable) return;
    this.#watch?.close();
    const { watchTree } = await loadAccelerator('scan');
    this.#watch = watchTree(this.#root, folders);
    this.#folders = folders;
  }

  /** Ends the watching. */
  close(): void {
    this.#watch?.close();
    this.#watch = undefined;
    this.#isReliable = false;
  }
}

function foldersOf(paths: Buffer, stats: Buffer): Buffer {
  const folders = namesOf(paths).filter((_name, index) => new PackedStat(stats, index).kind === 'folder');
  return Buffer.from(folders.map((name) => `${name}\0`).join(''), 'latin1');
}
