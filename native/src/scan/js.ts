import { lstat } from 'node:fs/promises';
import { linkLimits } from '../task.ts';
import { ENTRY_KINDS, type FuzzyMatch, type GlobMatch, type Scan, type ScanOutcome } from './contract.ts';
import { cacheReport, invalidate, type JsScan, recheck, scanTree } from './js-cache.ts';
import { scorer } from './js-fuzzy.ts';
import { globMatcher } from './js-glob.ts';
import { shown, systemPath } from './js-names.ts';
import type { JsEntry } from './js-walk.ts';
import { fuzzyRequest, globRequest, statRequest, type FuzzyRequest, type GlobRequest } from './request.ts';

/** Files whose times are read at once. */
const STAT_BATCH = 64;

/** The scan accelerator in JavaScript. */
export function createJs(): Scan {
  return {
    async glob(options) {
      const request = globRequest(options);
      const limits = linkLimits(options);
      try {
        const { onBatch } = options;
        const isSelected = selector(request);
        const send = (entries: readonly JsEntry[]): void => {
          const paths = entries.filter(isSelected).map((entry) => shown(entry.path));
          if (paths.length > 0) onBatch?.(paths);
        };
        const onFolder = onBatch && send;
        const scan = await scanTree(request.path, request.policy, request.cache, limits.signal, onFolder);
        if (onBatch && scan.info.source !== 'walk') send(scan.snapshot.entries);
        let selected = scan.snapshot.entries.filter(isSelected);
        const again = selected.length === 0 ? await recheck(scan, request.policy, limits.signal) : undefined;
        if (again) {
          send(again.snapshot.entries);
          selected = again.snapshot.entries.filter(isSelected);
        }
        const { matches, total } = await limited(selected, request, (again ?? scan).snapshot.root, limits.signal);
        return { matches, ...outcome(again ?? scan, total) };
      } finally {
        limits.dispose();
      }
    },

    async fuzzyFind(options) {
      const request = fuzzyRequest(options);
      const limits = linkLimits(options);
      try {
        const scan = await scanTree(request.path, request.policy, request.cache, limits.signal);
        const ranked = rank(scan, request);
        const retry = ranked.total === 0 && request.query.trim() !== '';
        const again = retry ? await recheck(scan, request.policy, limits.signal) : undefined;
        const { matches, total } = again ? rank(again, request) : ranked;
        return { matches, ...outcome(again ?? scan, total) };
      } finally {
        limits.dispose();
      }
    },

    async statTree(options) {
      const { statTree } = await import('./js-stats.ts');
      const limits = linkLimits(options);
      try {
        return await statTree(statRequest(options), limits.signal);
      } finally {
        limits.dispose();
      }
    },

    // Node's watchers tell of changes when they get round to it; what is asked here is whether there were any until now.
    watchTree: () => undefined,
    invalidate,
    cacheReport,
  };
}

function outcome(scan: JsScan, total: number): ScanOutcome {
  const { problems, problemCount } = scan.snapshot;
  return { total, problems, problemCount, scan: scan.info };
}

function selector(request: GlobRequest): (entry: JsEntry) => boolean {
  const matches = globMatcher(request.patterns);
  const kind = request.kind === undefined ? undefined : ENTRY_KINDS[request.kind];
  return (entry) => (kind === undefined || entry.kind === kind) && matches(shown(entry.path));
}

async function limited(
  found: readonly JsEntry[],
  request: GlobRequest,
  root: string,
  signal: AbortSignal,
): Promise<{ matches: GlobMatch[]; total: number }> {
  if (!request.times) {
    const matches = found.slice(0, request.limit).map(({ path, kind }) => ({ path: shown(path), kind }));
    return { matches, total: found.length };
  }
  const timed: (GlobMatch & { readonly modifiedMs: number })[] = [];
  for (let first = 0; first < found.length; first += STAT_BATCH) {
    signal.throwIfAborted();
    const batch = found.slice(first, first + STAT_BATCH);
    const times = await Promise.all(batch.map((entry) => modified(`${root}/${entry.path}`)));
    batch.forEach(({ path, kind }, index) => {
      const modifiedMs = times[index];
      if (modifiedMs !== undefined) timed.push({ path: shown(path), kind, modifiedMs });
    });
  }
  // Sorting is stable, so equal times stay ordered by path.
  if (request.newestFirst) timed.sort((a, b) => b.modifiedMs - a.modifiedMs);
  return { matches: timed.slice(0, request.limit), total: timed.length };
}

/** The number that the native side computes: whole seconds and nanoseconds, added as floating point. */
async function modified(path: string): Promise<number | undefined> {
  try {
    const { mtimeNs } = await lstat(systemPath(path), { bigint: true });
    const second = 1_000_000_000n;
    const nanoseconds = ((mtimeNs % second) + second) % second;
    return Number((mtimeNs - nanoseconds) / second) * 1e3 + Number(nanoseconds) / 1e6;
  } catch {
    // It vanished since the walk, so it is no match any more.
    return undefined;
  }
}

function rank(scan: JsScan, request: FuzzyRequest): { matches: FuzzyMatch[]; total: number } {
  const score = scorer(request.query);
  const kind = request.kind === undefined ? undefined : ENTRY_KINDS[request.kind];
  const ranked: (FuzzyMatch & { readonly length: number })[] = [];
  for (const entry of scan.snapshot.entries) {
    if (kind !== undefined && entry.kind !== kind) continue;
    const path = shown(entry.path);
    const scored = score(path);
    if (scored) ranked.push({ path, kind: entry.kind, ...scored });
  }
  ranked.sort((a, b) => b.score - a.score || a.length - b.length);
  const matches = ranked
    .slice(0, request.limit)
    .map(({ path, kind: own, score: points }) => ({ path, kind: own, score: points }));
  return { matches, total: ranked.length };
}
