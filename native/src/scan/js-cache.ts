/** The scan cache of the JavaScript twin: the native one's policy by age, without file watching. */
import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { CacheLine, ScanInfo } from './contract.ts';
import { canonicalRoot, type JsEntry, type JsSnapshot, walk } from './js-walk.ts';
import type { FullPolicy } from './request.ts';

/** A snapshot and how it was come by. */
export interface JsScan {
  readonly snapshot: JsSnapshot;
  readonly info: ScanInfo;
}

interface Cached {
  readonly snapshot: JsSnapshot;
  readonly policy: FullPolicy;
  readonly created: number;
}

const cached = new Map<string, Cached>();

function setting(name: string, otherwise: number): number {
  const text = process.env[name];
  return text !== undefined && /^\d+$/u.test(text) ? Number(text) : otherwise;
}

function keyOf(root: string, policy: FullPolicy): string {
  return `${policy.hidden}/${policy.gitignore}/${policy.nodeModules}:${root}`;
}

function describe(snapshot: JsSnapshot, source: ScanInfo['source'], ageMs: number): JsScan {
  return { snapshot, info: { source, ageMs, entries: snapshot.entries.length } };
}

/** The entries below a folder; from the cache when allowed and fresh enough. */
export async function scanTree(
  path: string,
  policy: FullPolicy,
  useCache: boolean,
  signal: AbortSignal,
  onFolder?: (entries: JsEntry[]) => void,
): Promise<JsScan> {
  const root = await canonicalRoot(path);
  const timeLimit = setting('TENON_SCAN_TTL_MS', 1000);
  if (!useCache || timeLimit === 0) return describe(await walk(root, policy, signal, onFolder), 'walk', 0);
  const hit = cached.get(keyOf(root, policy));
  const age = hit ? performance.now() - hit.created : Infinity;
  if (hit && age < timeLimit) return describe(hit.snapshot, 'recent', age);
  return fresh(root, policy, signal, onFolder);
}

async function fresh(
  root: string,
  policy: FullPolicy,
  signal: AbortSignal,
  onFolder?: (entries: JsEntry[]) => void,
): Promise<JsScan> {
  const snapshot = await walk(root, policy, signal, onFolder);
  const key = keyOf(root, policy);
  // Deleting first keeps the map ordered by age, so that the oldest is the first.
  cached.delete(key);
  cached.set(key, { snapshot, policy, created: performance.now() });
  for (const oldest of cached.keys()) {
    if (cached.size <= setting('TENON_SCAN_MAX_ENTRIES', 16)) break;
    cached.delete(oldest);
  }
  return describe(snapshot, 'walk', 0);
}

/** An empty answer from a cached scan that is not brand-new deserves a second look: gives a new walk. */
export async function recheck(scan: JsScan, policy: FullPolicy, signal: AbortSignal): Promise<JsScan | undefined> {
  const patience = setting('TENON_SCAN_EMPTY_RECHECK_MS', 200);
  if (scan.info.source !== 'recent' || scan.info.ageMs < patience) return undefined;
  return fresh(scan.snapshot.root, policy, signal);
}

/** Drops the scans that could show `path`, or all. */
export function invalidate(path?: string): number {
  const target = path === undefined ? undefined : canonical(resolve(path));
  let dropped = 0;
  for (const [key, { snapshot }] of cached) {
    const { root } = snapshot;
    const prefix = root.endsWith('/') ? root : `${root}/`;
    if (target === undefined || target === root || target.startsWith(prefix)) {
      cached.delete(key);
      dropped += 1;
    }
  }
  return dropped;
}

/** A missing file keeps its name under its canonical parent, so a deleted path still has the same key. */
function canonical(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // Expected for deleted files: the nearest parent that exists decides.
    const parent = dirname(path);
    return parent === path ? path : join(canonical(parent), basename(path));
  }
}

/** What is cached right now, newest first. */
export function cacheReport(): CacheLine[] {
  const reason = 'the JavaScript twin does not watch files';
  return [...cached.values()].toReversed().map(({ snapshot, policy, created }) => ({
    root: snapshot.root,
    ...policy,
    entries: snapshot.entries.length,
    directories: snapshot.directories,
    ageMs: performance.now() - created,
    watch: 'off',
    reason,
  }));
}
