/** The folders beside the package: the new version, the previous one, and what an interrupted update has left of them. */
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { messageOf } from '@tenon/kernel';
import { withLock } from '@tenon/state-files';
import { leadsTo, pointTo } from './command-link.ts';
import { errors } from './errors.ts';
import { type GlobalPlace, PACKAGE, PREVIOUS } from './place.ts';
import { isVersion } from './versions.ts';

const NEW = `.${PACKAGE}-new-`;
const OLD = `.${PACKAGE}-old-`;

/** Works on an installation while nobody else does. The version is that of the package now: another update may have been quicker. */
export function alone<T>(
  place: GlobalPlace,
  signal: AbortSignal,
  work: (place: GlobalPlace) => Promise<T>,
): Promise<T> {
  const { modules, folder } = place;
  const run = () => {
    removeLeftovers(place);
    return work({ ...place, version: versionIn(folder) ?? place.version });
  };
  return withLock(join(modules, `.${PACKAGE}-update`), run, { signal });
}

/** A folder for a new version, in the same file system as the present one. */
export function newFolder({ modules }: GlobalPlace): string {
  return mkdtempSync(join(modules, NEW));
}

/** The version of a package; nothing where there is no whole one. */
export function versionIn(folder: string): string | undefined {
  try {
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version?: unknown };
    return typeof version === 'string' && isVersion(version) ? version : undefined;
  } catch {
    return undefined; // It is not there, or not whole.
  }
}

/** Whether an exchange was killed, so that a version is not in its place. */
export function isUnfinished(place: GlobalPlace): boolean {
  const { folder, modules } = place;
  return (
    versionIn(folder) === undefined ||
    !leadsTo(place, folder) ||
    readdirSync(modules).some((name) => name.startsWith(OLD))
  );
}

/** Puts a new version into the place of the present one, which becomes the previous one. */
export function replace(place: GlobalPlace, next: string): void {
  const previous = join(place.modules, PREVIOUS);
  discard(place, previous);
  exchange(place, next, previous);
}

/** Exchanges the present version and the previous one. */
export function swap(place: GlobalPlace): void {
  const aside = mkdtempSync(join(place.modules, OLD));
  exchange(place, join(place.modules, PREVIOUS), join(aside, PACKAGE));
  putBack(place.modules, aside);
}

/** Whoever was killed has left a version half installed, or one on its way: an exchange is carried out to its end. */
export function removeLeftovers(place: GlobalPlace): void {
  const { modules, folder } = place;
  const names = readdirSync(modules);
  const all = (start: string) => names.filter((name) => name.startsWith(start)).map((name) => join(modules, name));
  const previous = join(modules, PREVIOUS);
  const [kept] = all(OLD).filter((aside) => versionIn(join(aside, PACKAGE)) !== undefined);
  if (versionIn(folder) === undefined) {
    const [fresh] = all(NEW)
      .map((made) => join(made, 'lib', 'node_modules', PACKAGE))
      .filter((made) => versionIn(made) !== undefined);
    if (kept !== undefined && versionIn(previous) !== undefined) arrive(place, previous, join(kept, PACKAGE));
    else if (fresh !== undefined && versionIn(previous) !== undefined) arrive(place, fresh, previous);
    else if (versionIn(previous) !== undefined) arrive(place, previous, previous);
  }
  if (versionIn(folder) !== undefined) pointTo(place, folder);
  if (kept !== undefined && !existsSync(previous)) putBack(modules, kept);
  for (const path of [...all(NEW), ...all(OLD)]) rmSync(path, { recursive: true, force: true });
}

/** The present version, aside until now, becomes the previous one. */
function putBack(modules: string, aside: string): void {
  renameSync(join(aside, PACKAGE), join(modules, PREVIOUS));
  rmSync(aside, { recursive: true, force: true });
}

/** Nobody may take what is left of a version for the whole of it. */
function discard({ modules }: GlobalPlace, folder: string): void {
  if (!existsSync(folder)) return;
  const aside = mkdtempSync(join(modules, NEW));
  move(folder, join(aside, basename(folder)));
  rmSync(aside, { recursive: true, force: true });
}

/**
 * Puts `next` into the place of the present version, which goes to `kept`; on failure everything is where it was. Two renames leave a
 * moment without a package: the command leads past it, to a version that stays where it is meanwhile.
 */
function exchange(place: GlobalPlace, next: string, kept: string): void {
  const { folder } = place;
  try {
    pointTo(place, next);
    try {
      move(folder, kept);
    } catch (fault) {
      pointTo(place, folder);
      throw fault;
    }
    try {
      arrive(place, next, kept);
    } catch (fault) {
      renameSync(kept, folder);
      pointTo(place, folder);
      throw fault;
    }
  } catch (fault) {
    throw errors.create('INSTALLATION_READ_ONLY', { folder, reason: messageOf(fault) }, fault);
  }
}

/** The second half of an exchange: the present version lies at `kept` already. */
function arrive(place: GlobalPlace, next: string, kept: string): void {
  pointTo(place, kept);
  move(next, place.folder);
  pointTo(place, place.folder);
}

/** What lies in a layer of a container's image cannot be renamed; a copy of it can. */
function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'EXDEV') throw fault;
    try {
      cpSync(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    } catch (second) {
      rmSync(to, { recursive: true, force: true });
      throw second;
    }
    rmSync(from, { recursive: true });
  }
}
