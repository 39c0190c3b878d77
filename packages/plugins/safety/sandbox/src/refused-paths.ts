/** What a policy keeps programs from, asked after a failure: a message that names an open path has another cause. */
import { basename, dirname, join, resolve } from 'node:path';
import type { LaunchPolicy } from './mechanisms/launch-policy.ts';
import { foldersAround, isInside, real } from './paths.ts';

/** Programs have folders of their own there. */
const PRIVATE = ['/tmp', '/dev', '/proc'];

/** Whether a policy refuses to read or change a path. */
export function isRefused(policy: LaunchPolicy, access: 'read' | 'write', path: string): boolean {
  const target = realAsFarAsPossible(resolve(path));
  const shown = [...policy.read.filter((folder) => folder !== '/'), ...policy.write];
  // What is shown inside of something hidden can be seen; the innermost decides.
  const hidden = longest(
    target,
    policy.hidden.map((entry) => entry.path),
  );
  if (hidden > longest(target, shown)) return true;
  if (access === 'read') return false;
  const open = longest(target, [...policy.write, ...PRIVATE]);
  const closed = [...policy.protect, ...policy.reserved, ...(policy.reservedFiles ?? []).map((file) => file.path)];
  if (open === 0 || longest(target, closed) >= open) return true;
  // A folder around something closed can be written to, but neither moved nor removed.
  return closed.some((inner) => foldersAround(inner, policy.write).includes(target));
}

/** How long the longest of these folders is that holds the path; 0 when none does. */
function longest(path: string, folders: readonly string[]): number {
  return Math.max(0, ...folders.filter((folder) => isInside(path, folder)).map(({ length }) => length));
}

/** A file that is yet to be made lies where its folder really is. */
function realAsFarAsPossible(path: string): string {
  const [known] = real(path);
  if (known !== undefined || dirname(path) === path) return known ?? path;
  return join(realAsFarAsPossible(dirname(path)), basename(path));
}
