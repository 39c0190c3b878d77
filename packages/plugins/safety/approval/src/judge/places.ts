/** Where a path leads, and what that means for whoever reads, writes or deletes it. Needs no parser. */
import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isBelow, isInside } from '@tenon/host';
import { onMachine, type Places } from '@tenon/sandbox/api';
import type { Tier } from '../api.ts';
import type { Finding } from './finding.ts';
import { DEVICES_WITHOUT_EFFECT, GENERATED_FOLDERS, OWN_SECRETS, SYSTEM_FOLDERS } from './place-lists.ts';
import { testsOf } from './protected-paths.ts';

/** What is known about a machine and the workspace on it. */
export interface Surroundings {
  /** The folder that may be changed without asking. */
  readonly workspace: string;
  readonly home: string;
  /** Folders for temporary files. */
  readonly temporary: readonly string[];
  /** Folders of Tenon itself: whoever writes there could answer its own questions. */
  readonly own: readonly string[];
  /** The protected places of this installation. */
  readonly places: Places;
  /** Folders of skills and plugins that the user has installed, as real paths: what is there may be read and run. */
  readonly installed?: readonly string[];
  /** The folder with the user's grammars of programs. */
  readonly grammars?: string;
}

/** Where a path leads. */
export type Place =
  | 'harmless-device'
  | 'device'
  | 'socket'
  | 'own'
  | 'own-secret'
  | 'secret'
  | 'private'
  | 'protected'
  | 'system'
  | 'root'
  | 'installed'
  | 'workspace-root'
  | 'generated'
  | 'workspace'
  | 'temporary-root'
  | 'temporary'
  | 'outside'
  | 'unknown';

/** What is done to a path. `-tree` means everything below it too. */
export type Touch = 'read' | 'write' | 'delete' | 'delete-tree' | 'change-tree' | 'move' | 'link';

/** Tiers by what is done, then by where; places that are not listed have the tier of `outside`. */
const TIERS: Readonly<Record<Touch, Partial<Record<Place, Tier>> & { readonly outside: Tier }>> = {
  read: { outside: 0, secret: 2, private: 2, 'own-secret': 2, device: 2, socket: 2 },
  write: {
    outside: 2,
    'harmless-device': 0,
    device: 3,
    own: 3,
    installed: 3,
    'own-secret': 3,
    system: 3,
    workspace: 1,
    generated: 1,
    temporary: 1,
    'workspace-root': 1,
    'temporary-root': 1,
  },
  delete: {
    outside: 2,
    device: 3,
    own: 3,
    installed: 3,
    'own-secret': 3,
    secret: 3,
    system: 3,
    root: 3,
    workspace: 1,
    generated: 1,
    temporary: 1,
  },
  'delete-tree': { outside: 3, workspace: 2, generated: 1, temporary: 1 },
  'change-tree': { outside: 3, workspace: 2, 'workspace-root': 2, generated: 1, temporary: 1 },
  // A link to the outside would make later writes look as if they stayed inside.
  link: { outside: 2, workspace: 0, 'workspace-root': 0, generated: 0, temporary: 0, 'temporary-root': 0 },
  move: {
    outside: 2,
    device: 3,
    own: 3,
    installed: 3,
    'own-secret': 3,
    secret: 3,
    system: 3,
    root: 3,
    'workspace-root': 3,
    workspace: 1,
    generated: 1,
    temporary: 1,
  },
};

const VERBS: Readonly<Record<Touch, string>> = {
  read: 'reads',
  write: 'writes to',
  delete: 'deletes',
  'delete-tree': 'deletes everything in',
  'change-tree': 'changes the rights of everything in',
  move: 'moves away',
  link: 'makes a link to',
};

const NAMES: Readonly<Record<Place, string>> = {
  'harmless-device': 'a device without effect',
  device: 'a device',
  socket: 'the network',
  own: "Tenon's own files",
  'own-secret': "Tenon's own credentials",
  secret: 'a place for credentials',
  private: 'a private place',
  protected: 'a protected place',
  system: 'the system',
  root: 'a folder that holds everything else',
  installed: 'a skill or plugin of the user',
  'workspace-root': 'the whole workspace',
  generated: 'the workspace',
  workspace: 'the workspace',
  'temporary-root': 'all temporary files',
  temporary: 'a temporary folder',
  outside: 'a place outside of the workspace',
  unknown: 'a place that is only known when it runs',
};

/** What touching a path amounts to; `path` is undefined when it cannot be known. */
export function touch(kind: Touch, path: string | undefined, world: Surroundings): Finding {
  const places =
    path === undefined ? (['unknown'] as const) : [...placesOf(path, world), ...placesInside(kind, path, world)];
  const tiers = TIERS[kind];
  const [worst, tier] = places
    .map((place) => [place, tiers[place] ?? tiers.outside] as const)
    .reduce((left, right) => (right[1] > left[1] ? right : left));
  const where = path === undefined ? NAMES.unknown : `${shortPath(path, world)} (${NAMES[worst]})`;
  const reason = tier === 0 ? '' : `${VERBS[kind]} ${where}`;
  if (path === undefined) return { tier, reason, ...(tier === 2 && { unclear: true as const }) };
  const changes = tier > 1 && kind !== 'read' && kind !== 'link';
  return {
    tier,
    reason,
    path,
    ...(changes && { changes: true as const }),
    ...(worst === 'socket' && { trait: 'network' as const }),
  };
}

/**
 * Whoever moves or deletes a folder does so to the protected places in it: `mv .github .gh2`, an edit, and back again would change
 * `.github/mcp.json` unseen. Places of one name need no such care, because they are found in every folder.
 */
function placesInside(kind: Touch, path: string, world: Surroundings): readonly Place[] {
  if (kind === 'read' || kind === 'write' || kind === 'link' || !isBelow(path, world.workspace)) return [];
  const inner = testsOf(world.places).protectedBelow(path.slice(world.workspace.length));
  return inner.some((name) => kind === 'move' || existsSync(join(path, name))) ? ['protected'] : [];
}

/** What reading everything below a folder amounts to, beyond reading the folder; undefined when it is nothing. The path may be a glob. */
export function lookThrough(path: string, world: Surroundings): Finding | undefined {
  const folder = realPath(existsSync(path) ? path : path.replace(/(?:^|\/)[^/]*[*?[{].*$/s, '') || '/');
  const inHome = world.places.secrets.filter((place) => place.startsWith('~/'));
  const secrets = onMachine(inHome, world.home).filter((place) => existsSync(place));
  // A workspace may itself lie in a folder of Tenon: worktrees do.
  const own = world.own.filter((place) => existsSync(place) && !isInside(world.workspace, place));
  if (![...secrets, ...own].some((place) => isInside(realPath(place), folder))) return undefined;
  const reason = `looks through everything in ${shortPath(path, world)} (there are credentials)`;
  return { tier: 2, reason, path };
}

/** The places of a path as it is written and as symbolic links lead it. */
export function placesOf(path: string, world: Surroundings): readonly Place[] {
  const real = realPath(path);
  const realWorld = { ...world, workspace: realPath(world.workspace) };
  const places = real === path ? [placeOf(path, world)] : [placeOf(path, world), placeOf(real, realWorld)];
  // Passwords of the machine are a part of the machine, too.
  return (places.includes('secret') || places.includes('private')) && isSystem(path) ? [...places, 'system'] : places;
}

/** The place of an absolute path. */
function placeOf(path: string, world: Surroundings): Place {
  const { workspace, home, temporary, own, installed = [] } = world;
  const { isSecret, isPrivate, isProtected } = testsOf(world.places);
  if (path === '/dev' || path.startsWith('/dev/')) return deviceOf(path);
  const inWorkspace = isInside(path, workspace);
  if (!inWorkspace && installed.some((folder) => isInside(path, folder))) {
    if (OWN_SECRETS.test(basename(path))) return 'own-secret';
    return isSecret(path, home) ? 'secret' : 'installed';
  }
  // A workspace may itself lie in a folder of Tenon or of another agent: worktrees do.
  const owner = own.find((folder) => isInside(path, folder) && !(inWorkspace && isInside(workspace, folder)));
  if (owner !== undefined) return OWN_SECRETS.test(basename(path)) ? 'own-secret' : 'own';
  if (/(^|\/)\.tenon\/policy\.ya?ml$/i.test(path)) return 'own';
  if (isSecret(path, home)) return 'secret';
  // A workspace may itself lie in a folder of another agent.
  if (!inWorkspace && isPrivate(path, home)) return 'private';
  if (isProtected(path, inWorkspace ? path.slice(workspace.length) : path, home)) return 'protected';
  if (path === workspace) return isInside(home, workspace) ? 'root' : 'workspace-root';
  if (path === '/') return 'system';
  if (isInside(home, path) || isInside(workspace, path)) return 'root';
  if (inWorkspace) {
    const isGenerated = path
      .slice(workspace.length + 1)
      .split('/')
      .some((name) => GENERATED_FOLDERS.test(name));
    return isGenerated ? 'generated' : 'workspace';
  }
  if (temporary.includes(path)) return 'temporary-root';
  if (temporary.some((folder) => isTemporary(path, folder, world))) return 'temporary';
  return isSystem(path) ? 'system' : 'outside';
}

/** Where the home or the workspace lies in a folder for temporary files, what lies beside it there is not temporary. */
function isTemporary(path: string, folder: string, { workspace, home }: Surroundings): boolean {
  if (!isInside(path, folder)) return false;
  const entry = (inner: string) => inner.slice(folder.length).split('/')[1];
  return ![workspace, home].some((own) => isBelow(own, folder) && entry(own) === entry(path));
}

function isSystem(path: string): boolean {
  return SYSTEM_FOLDERS.some((folder) => isInside(path, folder));
}

function deviceOf(path: string): Place {
  if (/^\/dev\/(tcp|udp)\//.test(path)) return 'socket';
  return DEVICES_WITHOUT_EFFECT.test(path) ? 'harmless-device' : 'device';
}

export { isInside };

/** The path without symbolic links, as far as it exists. */
export function realPath(path: string, depth = 0): string {
  const missing: string[] = [];
  for (let current = path; ; current = dirname(current)) {
    try {
      return join(realpathSync(current), ...missing);
    } catch {
      // A link to what is not there yet: who writes to it makes what it leads to.
      const target = linkTarget(current);
      if (target !== undefined && depth < MAX_LINKS) return join(realPath(target, depth + 1), ...missing);
      // Not there or not to be read: what is above it decides.
      if (dirname(current) === current) return path;
      missing.unshift(basename(current));
    }
  }
}

const MAX_LINKS = 20;

function linkTarget(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? resolve(dirname(path), readlinkSync(path)) : undefined;
  } catch {
    return undefined; // Nothing is there.
  }
}

/** The absolute path of what somebody wrote. */
export function absolutePath(given: string, cwd: string, home: string): string {
  if (given === '~' || given.startsWith('~/')) return resolve(home, given.slice(2));
  return resolve(cwd, given);
}

function shortPath(path: string, { workspace, home }: Surroundings): string {
  if (path === workspace) return '.';
  if (isInside(path, workspace)) return path.slice(workspace.length + 1);
  return path !== home && isInside(path, home) ? `~${path.slice(home.length)}` : path;
}
