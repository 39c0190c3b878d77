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

/** Paths of a tree: by pattern, by a few typed letters, from a walk or from the cache. */
export interface Scan {
  /** Entries whose path matches. */
  glob(options: GlobOptions): Promise<GlobResult>;
  /** Entries ranked by what a person most likely means. */
  fuzzyFind(options: FuzzyOptions): Promise<FuzzyResult>;
  /** Drops cached scans that could show `path`, or all; call it after changing files. Gives how many were dropped. */
  invalidate(path?: string): number;
  /** What is cached right now, newest first. */
  cacheReport(): readonly CacheLine[];
}
