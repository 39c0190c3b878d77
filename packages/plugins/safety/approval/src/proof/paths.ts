/** What touching a path amounts to, as it is written and as the kernel follows it. */
import { dirname, join, resolve } from 'node:path';
import type { Finding } from '../judge/finding.ts';
import { isInside, lookThrough, placesOf, realPath, type Surroundings, type Touch, touch } from '../judge/places.ts';
import { NotUnderstood } from './language.ts';

/** The absolute paths that a path may mean: `..` behind a link leads elsewhere than it looks. */
export function meanings(path: string, folder: string): readonly string[] {
  const written = resolve(folder, path);
  if (!path.split('/').includes('..')) return [written];
  let real = path.startsWith('/') ? '/' : realPath(folder);
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    real = part === '..' ? dirname(real) : realPath(join(real, part));
  }
  return real === realPath(written) ? [written] : [written, real];
}

/** What is done to a path. */
export function touched(kind: Touch, path: string, folders: readonly string[], world: Surroundings): Finding[] {
  const paths = new Set(folders.flatMap((folder) => meanings(path, folder)));
  return [...paths].map((one) => touch(kind, one, world));
}

/** What reading everything below a path amounts to. */
export function searched(path: string, world: Surroundings): Finding[] {
  // Most searches stay in the workspace, and looking for keys takes a while.
  const staysInside = isInside(path, world.workspace) && !isInside(world.home, world.workspace);
  const found = staysInside ? undefined : lookThrough(path, world);
  return found ? [found] : [];
}

/** Whether a file belongs to the workspace: its code runs with every build. */
export function isOfWorkspace(path: string, world: Surroundings): boolean {
  return placesOf(path, world).every(
    (place) => place === 'workspace' || place === 'generated' || place === 'workspace-root',
  );
}

const WITH_INSTALLED: ReadonlySet<string> = new Set(['installed', 'private', 'protected']);

/** Whether a path, and what it leads to, is code that the user has installed. */
export function isInstalled(path: string, world: Surroundings): boolean {
  const places = placesOf(path, world);
  // A link to it may stand among the settings of an agent, which nobody changes without a question: what counts is where it leads.
  return places.at(-1) === 'installed' && places.every((place) => WITH_INSTALLED.has(place));
}

/** A name that begins with a dash would be a flag to whoever meets it in a glob or a list. */
export function checkNewName(path: string, word: { readonly start?: number; readonly end?: number }): void {
  if (/(^|\/)-|\s-|\n/.test(path)) throw new NotUnderstood('a file whose name looks like a flag', word);
}
