import type { CancelHandle } from '../addon.ts';
import type { ScanInfo, ScanProblem } from '../scan/contract.ts';
import type { GrepRequest } from './request.ts';

/** The lines of some files, one file after another. */
export interface RawGrepChunk {
  /** Four words per line: number, column or 0, units cut in front, flags (1 match, 2 cut). */
  readonly lines: Uint32Array;
  /** The lines' texts, joined by `\n` inside a file, not separated between files. */
  readonly text: Buffer;
}

/** A search answer as the addon packs it: a few buffers however many matches there are. */
export interface RawGrepResult {
  /** NUL-terminated paths. */
  readonly paths: Buffer;
  /** Seven words per file: matches, lines, bytes of text, 1 when it has more matches, chunk, first line, first byte. */
  readonly files: Uint32Array;
  readonly chunks: RawGrepChunk[];
  readonly matches: number;
  readonly limited: boolean;
  readonly searched: number;
  readonly spared: number;
  readonly binary: number;
  readonly problems: ScanProblem[];
  readonly problemCount: number;
  readonly repaired?: string;
  readonly scan?: ScanInfo;
}

/** The raw exports of the addon for this accelerator. */
export interface SearchAddon {
  searchGrep(request: GrepRequest, cancel?: CancelHandle): Promise<RawGrepResult>;
}
