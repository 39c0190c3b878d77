import type { ScanInfo, ScanPolicy, ScanProblem } from '../scan/contract.ts';
import type { CallLimits } from '../task.ts';

/** A search request. Hidden files are searched by default. */
export interface GrepOptions extends ScanPolicy, CallLimits {
  /** A folder, or one file. */
  readonly path: string;
  /**
   * A regex in the dialect of Rust's regex crate: linear time, Unicode, no look-around, no back-references. Braces that
   * are no repetition and parentheses without a partner are taken literally. `^` and `$` are line borders.
   */
  readonly pattern: string;
  /** Take the pattern literally. */
  readonly literal?: boolean | undefined;
  readonly ignoreCase?: boolean | undefined;
  /** Let matches span lines. By default when the pattern names `\n` or `\r`. */
  readonly multiline?: boolean | undefined;
  /** Which files, in the glob dialect of `Scan.glob`. */
  readonly glob?: string | readonly string[] | undefined;
  /** `content`: lines (default). `files`: only which files match. `count`: how many matches each file has. */
  readonly mode?: 'content' | 'files' | 'count' | undefined;
  /** Context lines. */
  readonly before?: number | undefined;
  readonly after?: number | undefined;
  /** Longest text per line, in UTF-16 units; the window moves so that the match is in view. Default 1024. */
  readonly maxColumns?: number | undefined;
  /** Matches (in the other modes: files) to pass over. They are dealt round-robin over the files. */
  readonly offset?: number | undefined;
  /** Matches (in the other modes: files) to give. */
  readonly limit?: number | undefined;
  /** Matches per file. */
  readonly perFileLimit?: number | undefined;
  /** Bytes of results to give. Default 64 MiB. */
  readonly maxBytes?: number | undefined;
  /** Larger files are reported as problems, not searched. Default 256 MiB. */
  readonly maxFileBytes?: number | undefined;
  /** Where an index of a large folder may be kept. The answer is the same; from the third search on it comes sooner. */
  readonly index?: GrepIndex | undefined;
}

/** An index that says which files cannot match. The twin reads every file. */
export interface GrepIndex {
  /** A private folder. */
  readonly folder: string;
  /** Folders with fewer entries are searched without. Default 4,000. */
  readonly fromEntries?: number | undefined;
}

/** One shown line. */
export interface GrepLine {
  /** One-based. */
  readonly number: number;
  /** Without its line break. */
  readonly text: string;
  /** True for the lines of a match, false for context. */
  readonly match: boolean;
  /** One-based column of the match in UTF-16 units, on its first line. */
  readonly column?: number;
  /** Set when `text` is only a part of the line: how many units were left out in front. */
  readonly cut?: number;
}

/** What was found in one file. */
export interface GrepFile {
  /** Relative to the searched folder. */
  readonly path: string;
  /** Matches that are given (content), or that the file has (count); 1 in `files` mode. */
  readonly matches: number;
  /** The file has more matches than are given. */
  readonly more: boolean;
  /** In `content` mode: matches and context in order, each line once. Decoded when asked for; keep it while you use it. */
  readonly lines: readonly GrepLine[];
}

/** The answer to a search. */
export interface GrepResult {
  /** In path order: depth first, siblings by the bytes of their names. */
  readonly files: readonly GrepFile[];
  /** Matches in the answer. */
  readonly matches: number;
  /** There is more than the answer shows. */
  readonly limited: boolean;
  /** Files that were searched; with a limit the search may end early, then this is what was looked at. */
  readonly searched: number;
  /** Files among them, and binary ones, that were not read because the index rules them out. */
  readonly spared: number;
  /** Files that were left because they are binary. */
  readonly binary: number;
  /** The first hundred files and folders that could not be read. */
  readonly problems: readonly ScanProblem[];
  readonly problemCount: number;
  /** The pattern as it was understood, when that differs from what was typed. */
  readonly repaired?: string;
  /** Missing when a single file was searched. */
  readonly scan?: ScanInfo;
}

/** Content search. */
export interface Search {
  /** Lines, files or counts that match a pattern. */
  grep(options: GrepOptions): Promise<GrepResult>;
}
