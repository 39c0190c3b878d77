import type { CallLimits } from '../task.ts';

/** What a directory entry is. Links are never followed, so a link is its own kind. */
export type EntryKind = 'file' | 'directory' | 'symlink' | 'other';

/** The kinds in the order of their numbers on the native side. */
export const ENTRY_KINDS: readonly EntryKind[] = ['file', 'directory', 'symlink', 'other'];

/** What a walk shows. Together with the root it is the key of the scan cache. `.git` is never shown. */
export interface ScanPolicy {
  /** Show names that start with a dot. */
  readonly hidden?: boolean | undefined;
  /** Apply `.gitignore`, `.ignore`, `info/exclude` and the global excludes file. Default true. */
  readonly gitignore?: boolean | undefined;
  /** Descend into `node_modules`. By default only when a pattern names it. */
  readonly nodeModules?: boolean | undefined;
  /** Let the answer come from the scan cache. Default false. */
  readonly cache?: boolean | undefined;
}

/** A file or folder that had to be left out, and why. */
export interface ScanProblem {
  readonly path: string;
  readonly reason: string;
}

/** Where an answer came from. */
export interface ScanInfo {
  /** Walked for this call, a cached scan within its time limit, or one whose watcher saw no change. */
  readonly source: 'walk' | 'recent' | 'watched';
  readonly ageMs: number;
  /** Entries of the scan, directories included. */
  readonly entries: number;
}

/** A glob request. */
export interface GlobOptions extends ScanPolicy, CallLimits {
  /** The folder to look in. */
  readonly path: string;
  /**
   * `*`, `?`, `**`, `[a-z]`, `[!a]`, `{a,b}`, `\` to quote. Without `/` a pattern matches names at any depth; with a
   * leading `!` it takes matches away. What is not closed stands for itself; no pattern is an error.
   */
  readonly pattern: string | readonly string[];
  /** Only entries of this kind; `any` for all. Default `file`. */
  readonly kind?: EntryKind | 'any' | undefined;
  /** At most this many matches; the others are only counted. */
  readonly limit?: number | undefined;
  /** `path`: depth first, siblings by the bytes of their names (default). `modified`: newest first. */
  readonly sort?: 'path' | 'modified' | undefined;
  /** Give modification times also when not sorting by them. */
  readonly times?: boolean | undefined;
  /** Receives matches while the walk runs, in no particular order and without regard to the limit. */
  readonly onBatch?: ((paths: string[]) => void) | undefined;
}

/** One match. */
export interface GlobMatch {
  /** Relative to the root, `/`-separated; a name that is not UTF-8 shows replacement characters. */
  readonly path: string;
  readonly kind: EntryKind;
  /** Milliseconds since the epoch, when asked for. */
  readonly modifiedMs?: number;
}

/** What every scan answer tells besides its matches. */
export interface ScanOutcome {
  /** How many entries matched before the limit. */
  readonly total: number;
  /** The first hundred problems by path. */
  readonly problems: readonly ScanProblem[];
  readonly problemCount: number;
  readonly scan: ScanInfo;
}

/** The answer to a glob. */
export interface GlobResult extends ScanOutcome {
  readonly matches: readonly GlobMatch[];
}

/** A fuzzy request. */
export interface FuzzyOptions extends ScanPolicy, CallLimits {
  readonly path: string;
  /** Words separated by blanks; each must appear in the path as a subsequence. */
  readonly query: string;
  /** Default `any`. */
  readonly kind?: EntryKind | 'any' | undefined;
  /** Default 100. */
  readonly limit?: number | undefined;
}

/** One ranked path. */
export interface FuzzyMatch {
  readonly path: string;
  readonly kind: EntryKind;
  /** Higher is better; only comparable within one query. */
  readonly score: number;
}

/** The ranked paths, best first. */
export interface FuzzyResult extends ScanOutcome {
  readonly matches: readonly FuzzyMatch[];
}

/** One cached scan, for `tenon doctor` and for tests. */
export interface CacheLine {
  readonly root: string;
  readonly hidden: boolean;
  readonly gitignore: boolean;
  readonly nodeModules: boolean;
  readonly entries: number;
  readonly directories: number;
  /** What it holds in memory; undefined where that cannot be known. */
  readonly bytes?: number;
  readonly ageMs: number;
  /** `live`: changes are noticed at once. `off`: the time limit decides, and `reason` says why. */
  readonly watch: 'not-yet' | 'arming' | 'live' | 'off';
  readonly reason?: string;
}

/** A request for every entry of a tree with the facts that tell whether it changed. */
export interface StatTreeOptions extends CallLimits {
  readonly path: string;
  /** Also everything that ignore rules hide. Otherwise ignored files are shown and told apart, ignored folders only while they are small. */
  readonly allIgnored?: boolean | undefined;
  /** An ignored folder is entered when it has at most this many entries, all levels together. Default 0. */
  readonly smallFolder?: number | undefined;
  /** Ignored folders with these names are never entered. */
  readonly generated?: readonly string[] | undefined;
  /** Entries with these names are left out, with everything below. */
  readonly without?: readonly string[] | undefined;
  /** Absolute paths that are left out, with everything below. */
  readonly except?: readonly string[] | undefined;
  /** The walk ends beyond this many entries. */
  readonly maxEntries?: number | undefined;
}

/** Bytes per entry in `StatTree.stats`. */
export const STAT_BYTES = 40;

/** Every entry of a tree, ordered by folder and then by name, packed so that two answers are compared by their bytes. */
export interface StatTree {
  /** The canonical root. */
  readonly root: Buffer;
  /** Paths relative to the root as the system has them, each followed by NUL. */
  readonly paths: Buffer;
  /**
   * Per path, little endian: size, modified, changed (nanoseconds since the epoch) and inode with 8 bytes each, then mode
   * and flags with 4; flag 1 is set for what ignore rules hide. Of a folder only the mode is there.
   */
  readonly stats: Buffer;
  readonly count: number;
  /** Folders that were not entered, ignored ones and those that cannot be read, each followed by NUL. */
  readonly leftOut: Buffer;
  /** True when the walk ended early, at `maxEntries`. */
  readonly isCut: boolean;
  readonly problems: readonly ScanProblem[];
  readonly problemCount: number;
}

/** Tells whether anything happened in a set of folders: to names, contents or permissions of what lies in them. */
export interface TreeWatch {
  /**
   * Whether nothing happened since this was asked last. Writes through a memory mapping that is older, or through a
   * hard link from elsewhere, are not told.
   */
  isUnchanged(): boolean;
  /** Whether, as far as `isUnchanged` has read, folders came, went or were moved: a watch follows the folder, not its name. */
  isOutdated(): boolean;
  close(): void;
}

/** Paths of a tree: by pattern, by a few typed letters, from a walk or from the cache. */
export interface Scan {
  /** Entries whose path matches. */
  glob(options: GlobOptions): Promise<GlobResult>;
  /** Entries ranked by what a person most likely means. */
  fuzzyFind(options: FuzzyOptions): Promise<FuzzyResult>;
  /** Every entry with the facts that tell whether it changed; always a fresh walk. */
  statTree(options: StatTreeOptions): Promise<StatTree>;
  /** Watches a canonical folder and those below it that are named, each followed by NUL; nothing where not all can be watched. */
  watchTree(root: string, folders: Buffer): TreeWatch | undefined;
  /** Drops cached scans that could show `path`, or all; call it after changing files. Gives how many were dropped. */
  invalidate(path?: string): number;
  /** What is cached right now, newest first. */
  cacheReport(): readonly CacheLine[];
}
