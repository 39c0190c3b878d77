/**
 * Where files of a project may lead. A repository can hold `CLAUDE.md -> ~/.ssh/id_rsa`, and what a context file says goes to the
 * model with the first request. So links that lead out of the project are not followed before the user trusts it, and never
 * to keys, accounts, Tenon's own files or the kernel's. All loaders read through `Search`, which asks here.
 */
import { existsSync, realpathSync } from 'node:fs';
import { isInside } from '@tenon/host';
import type { TenonError } from '@tenon/kernel';
import { errors } from './errors.ts';
import { isBelowNothing } from './stamps.ts';

/** What deciding about links needs. */
export interface LinkHost {
  /** Keys, accounts and Tenon's own folders, as absolute paths. */
  forbidden(): readonly string[];
  isTrusted(folder: string): Promise<boolean>;
}

/** Says why a path of a project is not followed; undefined where it may be. */
export type LinkGuard = (path: string, root: string) => Promise<TenonError | undefined>;

/** Not files that somebody wrote: devices, and windows into running processes. */
const OF_THE_KERNEL = ['/proc', '/sys', '/dev'];

/** Makes the guard. */
export function createLinkGuard({ forbidden, isTrusted }: LinkHost): LinkGuard {
  return async (path, root) => {
    const real = realPath(path);
    // What is not there is read by nobody.
    if (real === undefined || real === path) return undefined;
    const realRoot = realPath(root) ?? root;
    if (isInside(real, realRoot)) return undefined;
    // Folders that Tenon or the user named themselves may lie elsewhere; only what stands in the project can be a trap.
    if (!isInside(path, root) && !isInside(path, realRoot)) return undefined;
    const isForbidden = [...OF_THE_KERNEL, ...forbidden()].some((place) => isInside(real, realPath(place) ?? place));
    if (isForbidden) return errors.create('DISCOVERY_LINK_FORBIDDEN', { file: path, target: real });
    return (await isTrusted(root)) ? undefined : errors.create('DISCOVERY_LINK_OUTSIDE', { file: path, target: real });
  };
}

function realPath(path: string): string | undefined {
  // Nearly all of them are absent, and an error for each takes longer than the look.
  if (isBelowNothing(path) || !existsSync(path)) return undefined;
  try {
    return realpathSync.native(path);
  } catch {
    return undefined; // Absent, in circles or out of reach: whoever reads it says so.
  }
}
