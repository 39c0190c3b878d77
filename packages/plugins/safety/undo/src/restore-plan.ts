/** What taking calls back would do, worked out before anything is touched. */
import { ancestorsOf, isRestorable } from './byte-paths.ts';
import { type Entry, isKept, isSame } from './entry.ts';
import type { CallRecord } from './records.ts';

/** One path that will be different. */
export interface Operation {
  readonly path: string;
  /** What stands there now. */
  readonly from?: Entry;
  /** What will stand there; nothing when it is deleted. */
  readonly to?: Entry;
}

/** A path that stays as it is, and why. */
export interface Held {
  readonly path: string;
  readonly reason: 'changed-since' | 'not-kept' | 'in-the-way' | 'unsafe';
  /** What could not be put back. */
  readonly entry?: Entry;
  /** The call whose change stays. */
  readonly call: number;
}

/** What taking calls back would do. */
export interface RestorePlan {
  readonly operations: readonly Operation[];
  readonly held: readonly Held[];
}

/**
 * Goes back through the calls, newest first. A path is put back only from the very state in which the call left it: what
 * somebody else did to it afterwards stays, unless `force`.
 */
export function planRestore(
  newestFirst: readonly CallRecord[],
  present: (path: string) => Entry | undefined,
  force: boolean,
): RestorePlan {
  const wanted = new Map<string, Entry | undefined>();
  const held = new Map<string, Held>();
  for (const { id, changes } of newestFirst) {
    for (const { path, before, after } of changes) {
      const now = wanted.has(path) ? wanted.get(path) : present(path);
      const hold = (reason: Held['reason'], entry?: Entry) =>
        void (held.has(path) || held.set(path, { path, reason, call: id, ...(entry && { entry }) }));
      if (!isRestorable(path)) hold('unsafe');
      else if (isSame(now, before)) continue;
      else if (!force && !isSame(now, after)) hold('changed-since', before);
      else if (before && !isKept(before)) hold('not-kept', before);
      else wanted.set(path, before);
    }
  }
  const operations: Operation[] = [];
  for (const [path, to] of wanted) {
    const from = present(path);
    if (!isSame(from, to)) operations.push({ path, ...(from && { from }), ...(to && { to }) });
  }
  return withoutBlocked(operations, held, present, newestFirst[0]?.id ?? 0);
}

/** A file whose folder is going to be something else has no place. */
function withoutBlocked(
  operations: readonly Operation[],
  held: Map<string, Held>,
  present: (path: string) => Entry | undefined,
  call: number,
): RestorePlan {
  const results = new Map(operations.map(({ path, to }) => [path, to]));
  const kindAt = (path: string) => (results.has(path) ? results.get(path) : present(path))?.kind;
  const possible = operations.filter(({ path, to }) => {
    const isBlocked = to !== undefined && ancestorsOf(path).some((folder) => (kindAt(folder) ?? 'folder') !== 'folder');
    if (isBlocked && !held.has(path)) held.set(path, { path, reason: 'in-the-way', call, ...(to && { entry: to }) });
    return !isBlocked;
  });
  return { operations: possible, held: [...held.values()].sort((a, b) => (a.path < b.path ? -1 : 1)) };
}

/** What an operation is to the person who reads about it. */
export function actionOf({ from, to }: Operation): 'restore' | 'delete' | 'revert' | 'mode' {
  if (!to) return 'delete';
  if (!from) return 'restore';
  const isMode = from.kind === to.kind && (to.kind === 'folder' || (to.hash !== undefined && to.hash === from.hash));
  return isMode ? 'mode' : 'revert';
}
