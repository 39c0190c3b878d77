/** Brings an index up to date: finds what changed since, keeps the contents, and says what is different. */
import { type Accelerators, loadAccelerator, STAT_BYTES, type StatTree } from '@tenon/native';
import { heldFolders } from '@tenon/sandbox/api';
import { type BlobStore, hashOf } from './blob-store.ts';
import { ancestorsOf, bytesOf, RESERVED_NAMES } from './byte-paths.ts';
import { readContent, readLink, type Reading } from './content-reader.ts';
import { type Change, isSame, PackedStat } from './entry.ts';
import type { FolderWatch } from './folder-watch.ts';
import { GENERATED_FOLDERS } from './generated-folders.ts';
import { entryOf, namesOf, TreeIndex } from './tree-index.ts';

/** What is kept of a workspace. */
export interface KeepingRules {
  readonly includeIgnored: boolean;
  readonly maxFileBytes: number;
  readonly maxBytes: number;
  readonly maxFiles: number;
}

/** Where a snapshot is taken. */
export interface SnapshotPlace {
  /** The canonical workspace. */
  readonly root: string;
  /** Absolute paths that are left out: Tenon's own folders. */
  readonly except: readonly string[];
  readonly blobs: BlobStore;
  readonly rules: KeepingRules;
  /** Says without a walk that nothing changed. */
  readonly watch?: FolderWatch;
}

/** What a snapshot found. */
export interface SnapshotOutcome {
  readonly index: TreeIndex;
  readonly changes: readonly Change[];
  /** Whether the index differs from the one before in anything. */
  readonly isNew: boolean;
  /** Files whose content is not kept yet. */
  readonly pending: number;
  /** True when the workspace has more entries than `maxFiles`. */
  readonly isCut: boolean;
}

/** An ignored file is kept while it is this small: settings and keys, not data. */
const SMALL_IGNORED_BYTES = 1024 * 1024;
/** An ignored folder is entered while it has at most this many entries. */
const SMALL_IGNORED_FOLDER = 500;
/** Files that are read at once. */
const PARALLEL = 8;
/** So many changed files are flushed one by one; more of them, as in a first snapshot, would take minutes. */
const FLUSHED = 64;
/** Times are counted in ticks of up to 10 ms, on some file systems of up to 2 s. */
const TICK_NS = 20_000_000n;
const COARSE_TICK_NS = 2_100_000_000n;
const SECOND_NS = 1_000_000_000n;

/** Walks the workspace. */
export async function walkWorkspace(
  { root, except, rules }: Pick<SnapshotPlace, 'root' | 'except' | 'rules'>,
  scan?: Accelerators['scan'],
): Promise<StatTree> {
  return (scan ?? (await loadAccelerator('scan'))).statTree({
    path: root,
    allIgnored: rules.includeIgnored,
    smallFolder: SMALL_IGNORED_FOLDER,
    generated: GENERATED_FOLDERS,
    without: rules.includeIgnored ? RESERVED_NAMES : [...RESERVED_NAMES, 'node_modules'],
    except: [...except, ...(await heldFolders())],
    maxEntries: rules.maxFiles,
  });
}

/** Takes a snapshot. Contents that are not read until `deadline` (of `performance.now`) stay pending, oldest files last. */
export async function takeSnapshot(
  place: SnapshotPlace,
  last: TreeIndex,
  deadline: number = Number.POSITIVE_INFINITY,
): Promise<SnapshotOutcome> {
  const isSettled = last.uncertain.size === 0 && last.pending().length === 0;
  if (place.watch?.isUnchanged() === true && isSettled) {
    return { index: last, changes: [], isNew: false, pending: 0, isCut: false };
  }
  const began = BigInt(Date.now()) * 1_000_000n;
  const walked = await walkWorkspace(place);
  await place.watch?.walked(walked);
  const isSameWalk = walked.paths.equals(last.paths) && walked.stats.equals(last.stats);
  if (isSameWalk && isSettled && walked.leftOut.equals(last.leftOut)) {
    return { index: last, changes: [], isNew: false, pending: 0, isCut: walked.isCut };
  }
  return new Taking(place, last, walked, began).run(deadline);
}

/** One snapshot that is being taken. */
class Taking {
  readonly #place: SnapshotPlace;
  readonly #last: TreeIndex;
  readonly #walked: StatTree;
  readonly #began: bigint;
  readonly #names: readonly string[];
  readonly #stats: Buffer;
  readonly #words: string[];
  readonly #uncertain = new Set<string>();
  /** Entries that turned out to be gone. */
  readonly #gone = new Set<number>();
  #storedBytes: number;

  constructor(place: SnapshotPlace, last: TreeIndex, walked: StatTree, began: bigint) {
    this.#place = place;
    this.#last = last;
    this.#walked = walked;
    this.#began = began;
    this.#names = walked.paths.equals(last.paths) ? last.names : namesOf(walked.paths);
    this.#stats = Buffer.from(walked.stats);
    this.#words = Array.from({ length: walked.count }, () => '');
    this.#storedBytes = last.storedBytes;
  }

  async run(deadline: number): Promise<SnapshotOutcome> {
    const toRead = this.#carryOver();
    await this.#read(toRead, deadline);
    const { index, changes } = this.#finish();
    return { index, changes, isNew: true, pending: index.pending().length, isCut: this.#walked.isCut };
  }

  /** Takes over what did not change; gives the numbers of what has to be read. */
  #carryOver(): number[] {
    const last = this.#last;
    const samePaths = this.#names === last.names;
    const toRead: number[] = [];
    for (const [index, name] of this.#names.entries()) {
      const old = samePaths ? index : last.numberOf(name);
      const at = index * STAT_BYTES;
      // The last four bytes are flags: whether a file is ignored does not change it.
      const isUnchanged =
        old !== undefined &&
        this.#stats.compare(last.stats, old * STAT_BYTES, old * STAT_BYTES + 36, at, at + 36) === 0 &&
        !last.uncertain.has(name);
      const word = isUnchanged ? last.wordAt(old) : '';
      this.#words[index] = word;
      const kind = new PackedStat(this.#stats, index).kind;
      if (kind === 'folder') continue;
      if (kind === 'other') this.#words[index] = 'nspecial';
      else if (!isUnchanged || word === 'npending' || word === 'nfull') toRead.push(index);
    }
    // What was touched last is what would be missed most: it is read first.
    const changed = (index: number) => new PackedStat(this.#stats, index).changedNs;
    return toRead.length < 2 ? toRead : toRead.sort((a, b) => Number(changed(b) - changed(a)) || a - b);
  }

  async #read(toRead: readonly number[], deadline: number): Promise<void> {
    const flush = toRead.length <= FLUSHED;
    let next = 0;
    const work = async () => {
      while (next < toRead.length) {
        const index = toRead[next++];
        if (index === undefined) return;
        if (performance.now() > deadline) this.#words[index] = 'npending';
        else await this.#readOne(index, flush);
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, work));
  }

  async #readOne(index: number, flush: boolean): Promise<void> {
    const { root, rules, blobs } = this.#place;
    const stat = new PackedStat(this.#stats, index);
    const path = Buffer.concat([Buffer.from(root === '/' ? '/' : `${root}/`), bytesOf(this.#names[index] ?? '')]);
    const flags = stat.isIgnored ? 1 : 0;
    const isIgnoredData = stat.isIgnored && !rules.includeIgnored;
    if (stat.kind === 'file' && isIgnoredData && stat.size > SMALL_IGNORED_BYTES) {
      this.#words[index] = 'nignored';
      return;
    }
    const reading =
      stat.kind === 'link'
        ? await readLink(path, flags)
        : await readContent(path, flags, isIgnoredData ? SMALL_IGNORED_BYTES : rules.maxFileBytes);
    this.#words[index] = await this.#keep(reading, index, blobs, flush);
  }

  async #keep(reading: Reading, index: number, blobs: BlobStore, flush: boolean): Promise<string> {
    if (reading.kind === 'gone') {
      this.#gone.add(index);
      return '';
    }
    if (reading.kind !== 'file' && reading.kind !== 'link') return `n${reading.kind}`;
    reading.stat.copy(this.#stats, index * STAT_BYTES);
    this.#noteTick(index);
    if (reading.kind === 'link') return `l${reading.target}`;
    const hash = hashOf(reading.content);
    if (this.#storedBytes > this.#place.rules.maxBytes && !(await blobs.has(hash))) return 'nfull';
    this.#storedBytes += await blobs.put(hash, reading.content, flush);
    return `f${hash}`;
  }

  /** A file that was changed within the last tick could change again without its times telling. */
  #noteTick(index: number): void {
    const { changedNs, modifiedNs } = new PackedStat(this.#stats, index);
    const isCoarse = changedNs % SECOND_NS === 0n && modifiedNs % SECOND_NS === 0n;
    const newest = changedNs > modifiedNs ? changedNs : modifiedNs;
    // A time in the future comes from a clock that was set back, or was set by hand.
    if (newest > this.#began - (isCoarse ? COARSE_TICK_NS : TICK_NS)) this.#uncertain.add(this.#names[index] ?? '');
  }

  #finish(): { readonly index: TreeIndex; readonly changes: readonly Change[] } {
    const index = this.#index();
    const last = this.#last;
    const changes: Change[] = [];
    // A folder that was not entered says nothing about what it holds: it did not come or go when rules changed.
    const wasHidden = insideOf(last.leftOut);
    const isHidden = insideOf(index.leftOut);
    for (const [number, path] of index.names.entries()) {
      const old = index.names === last.names ? number : last.numberOf(path);
      if (old === undefined && wasHidden(path)) continue;
      const after = entryOf(index.statAt(number), index.wordAt(number));
      const before = old === undefined ? undefined : last.entryAt(old);
      if (!isSame(before, after)) changes.push({ path, ...(before && { before }), after });
    }
    if (index.names !== last.names) {
      for (const [number, path] of last.names.entries()) {
        if (index.numberOf(path) === undefined && !isHidden(path)) changes.push({ path, before: last.entryAt(number) });
      }
    }
    return { index, changes };
  }

  #index(): TreeIndex {
    const facts = {
      uncertain: this.#uncertain,
      storedBytes: this.#storedBytes,
      leftOut: this.#walked.leftOut,
    };
    if (this.#gone.size === 0) {
      const alike = this.#names === this.#last.names ? this.#last : undefined;
      const { count, paths } = this.#walked;
      return new TreeIndex({ paths: alike?.paths ?? paths, stats: this.#stats, count }, this.#words, {
        ...facts,
        alike,
      });
    }
    const kept = this.#names.map((_name, index) => index).filter((index) => !this.#gone.has(index));
    const paths = Buffer.from(kept.map((index) => `${this.#names[index]}\0`).join(''), 'latin1');
    const stats = Buffer.concat(
      kept.map((index) => this.#stats.subarray(index * STAT_BYTES, (index + 1) * STAT_BYTES)),
    );
    const words = kept.map((index) => this.#words[index] ?? '');
    return new TreeIndex({ paths, stats, count: kept.length }, words, facts);
  }
}

/** A test for paths that are one of these folders, or lie in one. */
function insideOf(packed: Buffer): (path: string) => boolean {
  const folders = new Set(namesOf(packed));
  if (folders.size === 0) return () => false;
  return (path) => folders.has(path) || ancestorsOf(path).some((folder) => folders.has(folder));
}
