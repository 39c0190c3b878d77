import type { Addon } from '../addon.ts';
import { callNative } from '../task.ts';
import { ENTRY_KINDS, type EntryKind, type GlobMatch, type Scan } from './contract.ts';
import { fuzzyRequest, globRequest, statRequest } from './request.ts';

/** The scan accelerator on the native addon. */
export function fromAddon(addon: Addon): Scan {
  return {
    async glob(options) {
      const request = globRequest(options);
      const onBatch = options.onBatch && listener(options.onBatch);
      const raw = await callNative(addon, (cancel) => addon.scanGlob(request, onBatch, cancel), options);
      const paths = unpackPaths(raw.paths);
      const { kinds, times } = raw;
      const matches = paths.map((path, index): GlobMatch => {
        const kind = kindOf(kinds[index]);
        const modifiedMs = times?.[index];
        return modifiedMs === undefined ? { path, kind } : { path, kind, modifiedMs };
      });
      const { total, problems, problemCount, scan } = raw;
      return { matches, total, problems, problemCount, scan };
    },

    async fuzzyFind(options) {
      const request = fuzzyRequest(options);
      const raw = await callNative(addon, (cancel) => addon.scanFuzzy(request, cancel), options);
      const matches = raw.hits.map(({ path, kind, score }) => ({ path, kind: kindOf(kind), score }));
      const { total, problems, problemCount, scan } = raw;
      return { matches, total, problems, problemCount, scan };
    },

    statTree(options) {
      const request = statRequest(options);
      return callNative(addon, (cancel) => addon.scanStats(request, cancel), options);
    },

    watchTree(root, folders) {
      const watch = new addon.ScanTreeWatch(root, folders);
      return watch.isLive() ? watch : undefined;
    },

    invalidate: (path) => addon.scanInvalidate(path),

    cacheReport: () =>
      addon.scanCacheReport().map(({ policy, reason, ...line }) => ({
        ...line,
        ...policy,
        ...(reason === undefined ? {} : { reason }),
      })),
  };
}

/** Splits NUL-terminated paths. One decode and one split beat a string per path from the addon. */
export function unpackPaths(packed: Buffer): string[] {
  if (packed.length === 0) return [];
  return packed.toString('utf8', 0, packed.length - 1).split('\0');
}

function listener(onBatch: (paths: string[]) => void): (packed: Buffer) => void {
  return (packed) => onBatch(unpackPaths(packed));
}

function kindOf(number: number | undefined): EntryKind {
  return ENTRY_KINDS[number ?? ENTRY_KINDS.length - 1] ?? 'other';
}
