/** What programs and user interfaces find in the `details` of results, and how searching tools take their paths. */

/** The `details` of `find`. */
export interface FindDetails {
  /** The paths as they were given. */
  readonly scopePath: string;
  readonly fileCount: number;
  /** As shown, newest first. */
  readonly files: readonly string[];
  readonly truncated: boolean;
  readonly resultLimitReached?: number;
  readonly missingPaths?: readonly string[];
  readonly meta?: { readonly limits: { readonly resultLimit: number } };
}

/** The `details` of `search`. */
export interface SearchDetails {
  readonly scopePath: string;
  /** Matches of this page. */
  readonly matchCount: number;
  readonly fileCount: number;
  readonly filesSearched: number;
  readonly files: readonly string[];
  readonly fileMatches: readonly { readonly path: string; readonly count: number }[];
  readonly matchLimitReached?: number;
  readonly truncated?: boolean;
  /** True when lines were shortened. */
  readonly linesTruncated?: boolean;
  readonly missingPaths?: readonly string[];
  readonly meta?: { readonly limits: { readonly matchLimit: number } };
}

export { errors } from './errors.ts';
export { type SearchPaths, searchPaths, searchTouches } from './url-paths.ts';
