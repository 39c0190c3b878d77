/** Where this Tenon is, and who put it there. */
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { posix, win32 } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf } from '@tenon/kernel';
import { errors } from './errors.ts';

/** The package of the program. */
export const PACKAGE = 'tenon-agent';
/** Beside the package: npm leaves names with a dot alone. */
export const PREVIOUS = `.${PACKAGE}-previous`;

/** How Tenon got here. */
export type Place =
  | { readonly kind: 'clone'; readonly folder: string }
  | { readonly kind: 'sdk'; readonly folder: string; readonly name: string }
  | { readonly kind: 'npx'; readonly folder: string }
  | { readonly kind: 'elsewhere'; readonly folder: string }
  | GlobalPlace;

/** Installed with `npm install -g`. All that it needs is below its own folder, so that a version can be kept and put back whole. */
export interface GlobalPlace {
  readonly kind: 'global';
  /** The package itself. */
  readonly folder: string;
  /** The `node_modules` that it is in. */
  readonly modules: string;
  /** What `npm prefix -g` says. */
  readonly prefix: string;
  /** The command that people type. */
  readonly command: string;
  readonly version: string;
}

/** What is looked at; tests give their own. */
export interface Sight {
  readonly platform: NodeJS.Platform;
  exists(path: string): boolean;
  /** A package.json, or undefined where there is none. */
  manifest(path: string): { readonly name?: unknown; readonly version?: unknown } | undefined;
}

const HERE: Sight = { platform: process.platform, exists: existsSync, manifest: readManifest };

/** Looks from a file of the program upward. */
export function findPlace(start: string = fileURLToPath(import.meta.url), sight: Sight = HERE): Place {
  const { dirname, join, basename, sep } = sight.platform === 'win32' ? win32 : posix;
  for (let folder = dirname(start); ; folder = dirname(folder)) {
    const manifest = sight.manifest(join(folder, 'package.json'));
    const name = manifest?.name;
    if (name === PACKAGE) return installed(folder, String(manifest?.version));
    if (name === '@tenon/sdk' && basename(dirname(dirname(folder))) === 'node_modules')
      return { kind: 'sdk', folder, name };
    if (name === 'tenon' || dirname(folder) === folder) return { kind: 'clone', folder };
  }

  function installed(folder: string, version: string): Place {
    const parts = folder.split(sep);
    if (parts.includes('_npx')) return { kind: 'npx', folder };
    // An exchange of versions was killed: what runs lies beside its place, or below a folder there.
    const aside = parts.findIndex((part) => part.startsWith(`.${PACKAGE}-`));
    if (aside > 0) return installed(join(parts.slice(0, aside).join(sep), PACKAGE), version);
    const modules = dirname(folder);
    const isWindows = sight.platform === 'win32';
    const prefix = isWindows ? dirname(modules) : dirname(dirname(modules));
    const command = isWindows ? join(prefix, 'tenon.cmd') : join(prefix, 'bin', 'tenon');
    const isGlobal =
      basename(modules) === 'node_modules' &&
      (isWindows || basename(dirname(modules)) === 'lib') &&
      sight.exists(command);
    return isGlobal ? { kind: 'global', folder, modules, prefix, command, version } : { kind: 'elsewhere', folder };
  }
}

/** Says so before anything is asked or fetched for an installation that this user cannot change. */
export function refuseReadOnly({ modules, folder }: GlobalPlace): void {
  try {
    for (const path of [modules, folder]) accessSync(path, constants.W_OK);
  } catch (fault) {
    throw errors.create('INSTALLATION_READ_ONLY', { folder: modules, reason: messageOf(fault) }, fault);
  }
}

function readManifest(path: string): { readonly name?: unknown; readonly version?: unknown } | undefined {
  if (!existsSync(path)) return undefined;
  const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
  return typeof value === 'object' && value !== null ? value : undefined;
}
