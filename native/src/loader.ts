/**
 * Finds and opens the native addon. It records every path it tried with the reason for passing it over,
 * because "it is slow here" must be answerable by `tenon doctor` without a debugger.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir, userInfo } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Addon } from './addon.ts';

/** Where an addon candidate comes from. */
export type AddonOrigin = 'explicit' | 'package' | 'checkout' | 'cache';

/** One path that the loader tried, and why it did not serve (absent for the one that does). */
export interface AddonAttempt {
  readonly origin: AddonOrigin;
  readonly path: string;
  readonly reason?: string;
  /** True while a build of it is under way. */
  readonly isBeingBuilt?: true;
}

/** The outcome of looking for the addon. */
export interface AddonLookup {
  readonly addon?: Addon;
  readonly path?: string;
  readonly sourceHash?: string;
  readonly attempts: readonly AddonAttempt[];
}

/** What `native/tenon.node.json` says: which sources the addon beside it must come from. */
export interface AddonStamp {
  /** Content hash of the sources that are in the checkout now. */
  readonly hash: string;
  /** Name of the addon's folder in the cache: sources, compiler, target and profile together. */
  readonly key?: string;
  /** Why the last build gave no addon, when it failed. */
  readonly failure?: string;
  /** In the package of the program, which has nothing to build: the hash is for the packages of its platforms. */
  readonly published?: boolean;
  /** A build that is under way, or was when its process ended. */
  readonly building?: { readonly pid: number; readonly crates: string };
}

/** What steers the search; the process environment serves when nothing is given. */
export interface FindAddonOptions {
  /** Use this file and no other (`TENON_ADDON`). */
  readonly addonPath?: string | undefined;
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** Where to start the upward search; the loader's own folder unless a test says otherwise. */
  readonly searchFrom?: string | undefined;
}

const ADDON_FILE = 'tenon.node';
/** May change every file anyway. */
const ROOT = 0;

/** Opens the first usable addon. Never throws: a lookup without `addon` carries the reasons. */
export function findAddon(options: FindAddonOptions = {}): AddonLookup {
  const env = options.env ?? process.env;
  const explicit = options.addonPath ?? env['TENON_ADDON'];
  const searchFrom = options.searchFrom ?? dirname(fileURLToPath(import.meta.url));
  const candidates = explicit ? [explicitCandidate(explicit)] : defaultCandidates(searchFrom, env);

  const attempts: AddonAttempt[] = [];
  for (const candidate of candidates) {
    const { origin, path } = candidate;
    const opened = openCandidate(candidate);
    if (typeof opened === 'string') {
      attempts.push({ origin, path, reason: opened, ...(candidate.isBeingBuilt && { isBeingBuilt: true }) });
      continue;
    }
    attempts.push({ origin, path });
    return { addon: opened.addon, path, sourceHash: opened.sourceHash, attempts };
  }
  return { attempts };
}

/** The folder for everything that can be made again: `$TENON_HOME/cache`, else the user's XDG cache. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  // Relative values are ignored, as the XDG specification says of its own: an addon of the project would be loaded.
  const { TENON_CACHE_DIR: cache, TENON_HOME: own, XDG_CACHE_HOME: xdg } = env;
  if (cache && isAbsolute(cache)) return cache;
  if (own && isAbsolute(own)) return join(own, 'cache');
  if (xdg && isAbsolute(xdg)) return join(xdg, 'tenon');
  const home = [env['HOME'], homedir()].find((folder) => folder && isAbsolute(folder)) ?? userInfo().homedir;
  return join(home, '.cache', 'tenon');
}

interface Candidate {
  readonly origin: AddonOrigin;
  readonly path: string;
  /** The hash that the addon must report; undefined where the user vouches for the file. */
  readonly expectedHash?: string | undefined;
  /** A reason known before the file is opened. */
  readonly refused?: string | undefined;
  readonly isBeingBuilt?: boolean;
}

function explicitCandidate(path: string): Candidate {
  return { origin: 'explicit', path: resolve(path) };
}

function defaultCandidates(searchFrom: string, env: NodeJS.ProcessEnv): Candidate[] {
  const home = findNativePackage(searchFrom);
  const stamp = home && readStamp(join(home, `${ADDON_FILE}.json`));
  const expectedHash = typeof stamp === 'object' ? stamp.hash : undefined;
  const candidates = packageCandidates(searchFrom, home, expectedHash);
  if (!home) {
    return candidates.length > 0
      ? candidates
      : [{ origin: 'checkout', path: join(searchFrom, ADDON_FILE), refused: 'no @tenon/native package around it' }];
  }
  const path = join(home, ADDON_FILE);
  if (typeof stamp === 'string') {
    candidates.push({ origin: 'checkout', path, refused: stamp });
  } else {
    const origin = stamp?.published === true ? 'package' : 'checkout';
    const building = stamp?.building && isRunning(stamp.building.pid) ? stamp.building : undefined;
    const refused = building ? `being built: ${building.crates}` : whyUnbuilt(path, stamp);
    candidates.push({ origin, path, refused, expectedHash: stamp?.hash, isBeingBuilt: building !== undefined });
    if (stamp?.key) {
      const cached = join(cacheFolder(env), 'native', stamp.key, ADDON_FILE);
      candidates.push({ origin: 'cache', path: cached, refused: whyForeign(cached), expectedHash: stamp.hash });
    }
  }
  return candidates;
}

/** What the one remedy for a missing or unusable addon in a checkout is; set-up and doctor name the same. */
const REMEDY = 'run `npm run setup`';

function whyUnbuilt(path: string, stamp: AddonStamp | undefined): string | undefined {
  if (existsSync(path)) return undefined;
  if (stamp?.published === true)
    return `not part of this package; \`npm install\` brings ${platformPackages().join(' or ')} unless optional packages are left out`;
  return stamp?.failure ? `missing; the last build failed: ${stamp.failure}` : `missing; ${REMEDY}`;
}

/** It runs as a part of this process: in a cache folder that others may write to, a file may be anybody's. Windows has no such owners. */
function whyForeign(path: string): string | undefined {
  const user = process.geteuid?.();
  const owner = statSync(path, { throwIfNoEntry: false })?.uid;
  const isForeign = user !== undefined && owner !== undefined && owner !== user && owner !== ROOT;
  return isForeign ? 'it belongs to another user' : undefined;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Per-platform packages are optional dependencies of a published install, so npm has put at most one there. */
function packageCandidates(
  searchFrom: string,
  home: string | undefined,
  expectedHash: string | undefined,
): Candidate[] {
  const require = createRequire(join(searchFrom, 'resolve.js'));
  const expected = home === undefined ? undefined : readJson(join(home, 'package.json'));
  const candidates: Candidate[] = [];
  for (const name of platformPackages()) {
    let manifest: string;
    try {
      manifest = require.resolve(`${name}/package.json`);
    } catch {
      continue; // Not installed: the normal case in a checkout and on other platforms.
    }
    const installed = readJson(manifest);
    const main = installed?.['main'];
    const path = join(dirname(manifest), typeof main === 'string' ? main : ADDON_FILE);
    const version = expected?.['version'];
    const refused =
      version !== undefined && installed?.['version'] !== version
        ? `stale: @tenon/native is ${String(version)}, ${name} is ${String(installed?.['version'])}; reinstall both`
        : undefined;
    candidates.push({ origin: 'package', path, refused, expectedHash });
  }
  return candidates;
}

/** The names under which this platform's addon may be published. */
export function platformPackages(platform: string = process.platform, arch: string = process.arch): string[] {
  const name = `@tenon/native-${platform}-${arch}`;
  if (platform === 'linux') return [`${name}-gnu`, `${name}-musl`];
  return [platform === 'win32' ? `${name}-msvc` : name];
}

/**
 * The folder of @tenon/native, seen from its sources, from its dist folder or from the built program in a sibling package.
 * The search ends at the repository's root or at a node_modules folder: a `native/` planted further up is not ours.
 */
function findNativePackage(from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    if (readJson(join(folder, 'package.json'))?.['name'] === '@tenon/native') return folder;
    const below = join(folder, 'native');
    if (readJson(join(below, 'package.json'))?.['name'] === '@tenon/native') return below;
    const installed = join(folder, 'node_modules', '@tenon', 'native');
    if (existsSync(join(installed, 'package.json'))) return installed;
    const isRoot = readJson(join(folder, 'package.json'))?.['name'] === 'tenon';
    if (isRoot || basename(folder) === 'node_modules' || dirname(folder) === folder) return undefined;
  }
}

/** Undefined when there is no stamp, a reason when it cannot be used. */
function readStamp(path: string): AddonStamp | string | undefined {
  if (!existsSync(path)) return undefined;
  const stamp = readJson(path);
  if (typeof stamp?.['hash'] !== 'string') return `${path} is damaged; ${REMEDY}`;
  return stamp as unknown as AddonStamp;
}

function readJson(path: string): Record<string, unknown> | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return undefined; // Absent or unreadable: the caller treats both as "not the file we look for".
  }
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** One process may ask several times; an addon is opened once per path. */
const opened = new Map<string, Addon>();

function openCandidate(candidate: Candidate): { addon: Addon; sourceHash: string } | string {
  if (candidate.refused) return candidate.refused;
  if (!existsSync(candidate.path)) return 'file missing';
  let addon: Addon;
  try {
    addon = opened.get(candidate.path) ?? open(candidate.path);
  } catch (error) {
    return `load error: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (typeof addon.sourceHash !== 'function') return 'load error: not an addon of Tenon (it has no sourceHash)';
  opened.set(candidate.path, addon);
  const sourceHash = addon.sourceHash();
  if (candidate.expectedHash !== undefined && candidate.expectedHash !== sourceHash) {
    return `stale: expected ${candidate.expectedHash}, got ${sourceHash}; ${REMEDY}`;
  }
  return { addon, sourceHash };
}

function open(path: string): Addon {
  // `process.dlopen` instead of `require`: it takes any file name, also a `.so` straight from cargo.
  const module = { exports: {} };
  process.dlopen(module, path);
  return module.exports as Addon;
}
