/** The folders beside the package: the new version, the previous one, and what an interrupted update has left of them. */
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '@tenon/kernel';
import { withLock } from '@tenon/state-files';
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
    removeLeftovers(modules);
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

/** Puts a new version into the place of the present one, which becomes the previous one. */
export function replace({ modules, folder }: GlobalPlace, next: string): void {
  const previous = join(modules, PREVIOUS);
  rmSync(previous, { recursive: true, force: true });
  exchange(folder, next, previous);
}

/** Exchanges the present version and the previous one. */
export function swap({ modules, folder }: GlobalPlace): void {
  const previous = join(modules, PREVIOUS);
  const aside = mkdtempSync(join(modules, OLD));
  exchange(folder, previous, join(aside, PACKAGE));
  renameSync(join(aside, PACKAGE), previous);
  rmSync(aside, { recursive: true, force: true });
}

/** Whoever was killed has left a version half installed, or one on its way to be the previous one. */
export function removeLeftovers(modules: string): void {
  for (const name of readdirSync(modules)) {
    if (!name.startsWith(NEW) && !name.startsWith(OLD)) continue;
    const kept = join(modules, name, PACKAGE);
    const previous = join(modules, PREVIOUS);
    if (name.startsWith(OLD) && existsSync(join(kept, 'package.json')) && !existsSync(previous))
      renameSync(kept, previous);
    rmSync(join(modules, name), { recursive: true, force: true });
  }
}

/** Puts `next` into the place of `current`, which goes to `kept`; on failure everything is where it was. */
function exchange(current: string, next: string, kept: string): void {
  try {
    move(current, kept);
    try {
      move(next, current);
    } catch (fault) {
      renameSync(kept, current);
      throw fault;
    }
  } catch (fault) {
    throw errors.create('INSTALLATION_READ_ONLY', { folder: current, reason: messageOf(fault) }, fault);
  }
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
