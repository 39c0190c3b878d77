import type { CancelHandle } from '../addon.ts';
import type { ScanInfo, ScanProblem, StatTree, TreeWatch } from './contract.ts';
import type { FullPolicy, FuzzyRequest, GlobRequest, StatRequest } from './request.ts';

/** A glob answer as the addon packs it. */
export interface RawGlobResult {
  /** NUL-terminated paths. */
  readonly paths: Buffer;
  /** One kind number per path. */
  readonly kinds: Buffer;
  readonly times?: Float64Array;
  readonly total: number;
  readonly problems: ScanProblem[];
  readonly problemCount: number;
  readonly scan: ScanInfo;
}

/** A fuzzy answer as the addon gives it. */
export interface RawFuzzyResult {
  readonly hits: { readonly path: string; readonly kind: number; readonly score: number }[];
  readonly total: number;
  readonly problems: ScanProblem[];
  readonly problemCount: number;
  readonly scan: ScanInfo;
}

/** One cached scan as the addon gives it. */
export interface RawCacheLine {
  readonly root: string;
  readonly policy: FullPolicy;
  readonly entries: number;
  readonly directories: number;
  readonly bytes: number;
  readonly ageMs: number;
  readonly watch: 'not-yet' | 'arming' | 'live' | 'off';
  readonly reason?: string;
}

/** The raw exports of the addon for this accelerator. */
export interface ScanAddon {
  scanGlob(
    request: GlobRequest,
    onBatch: ((paths: Buffer) => void) | undefined,
    cancel?: CancelHandle,
  ): Promise<RawGlobResult>;
  scanFuzzy(request: FuzzyRequest, cancel?: CancelHandle): Promise<RawFuzzyResult>;
  ScanTreeWatch: new (root: string, folders: Buffer) => TreeWatch & { isLive(): boolean };
  scanStats(request: StatRequest, cancel?: CancelHandle): Promise<StatTree>;
  scanInvalidate(path?: string): number;
  scanCacheReport(): RawCacheLine[];
}
