/** Defaults and checks that every implementation shares, so that they cannot drift apart. */
import { NativeError } from '../task.ts';
import {
  ENTRY_KINDS,
  type EntryKind,
  type FuzzyOptions,
  type GlobOptions,
  type ScanPolicy,
  type StatTreeOptions,
} from './contract.ts';

/** A policy with nothing left open. */
export interface FullPolicy {
  readonly hidden: boolean;
  readonly gitignore: boolean;
  readonly nodeModules: boolean;
}

/** The largest count that crosses into the addon. */
export const NO_LIMIT = 0xffff_ffff;

const DEFAULT_FUZZY_LIMIT = 100;

/** Fills in the defaults of a policy. */
export function fullPolicy(policy: ScanPolicy, hidden: boolean, patterns: readonly string[]): FullPolicy {
  return {
    hidden: policy.hidden ?? hidden,
    gitignore: policy.gitignore ?? true,
    nodeModules: policy.nodeModules ?? patterns.some((pattern) => pattern.includes('node_modules')),
  };
}

/** A glob request with nothing left open. */
export interface GlobRequest {
  readonly path: string;
  readonly patterns: string[];
  readonly policy: FullPolicy;
  readonly cache: boolean;
  readonly kind?: number;
  readonly limit: number;
  readonly newestFirst: boolean;
  readonly times: boolean;
}

/** Fills in the defaults of a glob. */
export function globRequest(options: GlobOptions): GlobRequest {
  const patterns = typeof options.pattern === 'string' ? [options.pattern] : [...options.pattern];
  const newestFirst = options.sort === 'modified';
  return {
    path: options.path,
    patterns,
    policy: fullPolicy(options, false, patterns),
    cache: options.cache ?? false,
    ...kindNumber(options.kind ?? 'file'),
    limit: count('limit', options.limit, NO_LIMIT),
    newestFirst,
    times: options.times ?? newestFirst,
  };
}

/** A fuzzy request with nothing left open. */
export interface FuzzyRequest {
  readonly path: string;
  readonly query: string;
  readonly policy: FullPolicy;
  readonly cache: boolean;
  readonly kind?: number;
  readonly limit: number;
}

/** Fills in the defaults of a fuzzy search. */
export function fuzzyRequest(options: FuzzyOptions): FuzzyRequest {
  return {
    path: options.path,
    query: options.query,
    policy: fullPolicy(options, false, []),
    cache: options.cache ?? false,
    ...kindNumber(options.kind ?? 'any'),
    limit: count('limit', options.limit, DEFAULT_FUZZY_LIMIT),
  };
}

/** A request for stats with nothing left open. */
export interface StatRequest {
  readonly path: string;
  readonly allIgnored: boolean;
  readonly smallFolder: number;
  readonly generated: string[];
  readonly without: string[];
  readonly except: string[];
  readonly maxEntries: number;
}

/** Fills in the defaults of a request for stats. */
export function statRequest(options: StatTreeOptions): StatRequest {
  return {
    path: options.path,
    allIgnored: options.allIgnored ?? false,
    smallFolder: count('smallFolder', options.smallFolder, 0),
    generated: [...(options.generated ?? [])],
    without: [...(options.without ?? [])],
    except: [...(options.except ?? [])],
    maxEntries: count('maxEntries', options.maxEntries, NO_LIMIT),
  };
}

/** A count that is a whole number; anything else is the caller's mistake and is named. */
export function count(name: string, value: number | undefined, otherwise: number): number {
  if (value === undefined || value === Infinity) return value === undefined ? otherwise : NO_LIMIT;
  if (!Number.isInteger(value) || value < 0) {
    throw new NativeError('failure', `${name} must be a whole number of 0 or more, got ${value}`);
  }
  return Math.min(value, NO_LIMIT);
}

function kindNumber(kind: EntryKind | 'any'): { kind?: number } {
  return kind === 'any' ? {} : { kind: ENTRY_KINDS.indexOf(kind) };
}
