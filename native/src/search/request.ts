/** Defaults and checks that every implementation shares. */
import { count, type FullPolicy, fullPolicy, NO_LIMIT } from '../scan/request.ts';
import type { GrepOptions } from './contract.ts';

/** A search request with nothing left open. */
export interface GrepRequest {
  readonly path: string;
  readonly pattern: string;
  readonly literal: boolean;
  readonly ignoreCase: boolean;
  readonly multiline?: boolean;
  readonly globs: string[];
  readonly policy: FullPolicy;
  readonly cache: boolean;
  readonly mode: 'content' | 'files' | 'count';
  readonly before: number;
  readonly after: number;
  readonly columns: number;
  readonly offset: number;
  readonly limit: number;
  readonly perFile: number;
  readonly bytes: number;
  readonly fileBytes: number;
  readonly indexFolder?: string;
  readonly indexFrom: number;
}

const DEFAULT_COLUMNS = 1024;
const DEFAULT_BYTES = 64 * 1024 * 1024;
const DEFAULT_FILE_BYTES = 256 * 1024 * 1024;
const DEFAULT_INDEX_FROM = 4_000;

/** Fills in the defaults of a search. */
export function grepRequest(options: GrepOptions): GrepRequest {
  const globs = typeof options.glob === 'string' ? [options.glob] : [...(options.glob ?? [])];
  return {
    path: options.path,
    pattern: options.pattern,
    literal: options.literal ?? false,
    ignoreCase: options.ignoreCase ?? false,
    ...(options.multiline === undefined ? {} : { multiline: options.multiline }),
    globs,
    policy: fullPolicy(options, true, globs),
    cache: options.cache ?? false,
    mode: options.mode ?? 'content',
    before: count('before', options.before, 0),
    after: count('after', options.after, 0),
    columns: Math.max(1, count('maxColumns', options.maxColumns, DEFAULT_COLUMNS)),
    offset: count('offset', options.offset, 0),
    limit: count('limit', options.limit, NO_LIMIT),
    perFile: count('perFileLimit', options.perFileLimit, NO_LIMIT),
    bytes: count('maxBytes', options.maxBytes, DEFAULT_BYTES),
    fileBytes: count('maxFileBytes', options.maxFileBytes, DEFAULT_FILE_BYTES),
    ...(options.index === undefined ? {} : { indexFolder: options.index.folder }),
    indexFrom: count('index.fromEntries', options.index?.fromEntries, DEFAULT_INDEX_FROM),
  };
}
