/** What a confined program sees and may change, as plain paths; made from profile, settings and request. */
import { lstatSync } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { messageOf } from '@tenon/kernel';
import type { ClosedPath, ConfinementRequest, Profile } from './api.ts';
import { errors } from './errors.ts';
import { gitPlaces, kindOf, NOTHING } from './git-folder.ts';
import { lookedAt } from './held-places.ts';
import type { LaunchPolicy } from './mechanisms/launch-policy.ts';
import { extraPaths, foldersAround, isInside, real } from './paths.ts';
import { SHOWN_AGAIN, SOCKET_FOLDERS } from './places/fixed-places.ts';
import { inProject, onMachine, type Places } from './places/protected-places.ts';
import type { SandboxSettings } from './generated/settings.ts';

/** Where Tenon and the user are at home. */
export interface Surroundings {
  readonly home: string;
  /** Tenon's own folders. */
  readonly own: readonly string[];
  places(): Places;
  /** Folders of skills and plugins that the user has installed; they are shown whatever is hidden around them. */
  programFolders?(cwd: string): Promise<readonly string[]>;
}

/** A profile in a workspace: everything can be read but what is hidden, nothing changed but what is writable. */
export interface ProfilePolicy extends LaunchPolicy {
  readonly profile: Exclude<Profile, 'full'>;
  /** What the profile promises and cannot hold, in words. */
  readonly notes: readonly string[];
}

/** Makes the policy. */
export async function policyOf(
  request: ConfinementRequest & { readonly profile: Exclude<Profile, 'full'> },
  settings: SandboxSettings,
  { home, own, places, programFolders }: Surroundings,
): Promise<ProfilePolicy> {
  const { profile } = request;
  const { secrets: keys, private: accounts, runsCode } = places();
  const workspace = await realFolder(request.cwd);
  if (profile === 'workspace-write' && isTooWide(workspace, home)) {
    throw errors.create('SANDBOX_WORKSPACE_TOO_WIDE', { folder: workspace });
  }
  const named = (paths: readonly string[]) => paths.map((path) => absolute(path, home, workspace)).flatMap(real);
  const readable = named(settings.readable);
  const asked = extraPaths(request);
  const extra = { ...asked, read: [...asked.read, ...((await programFolders?.(workspace)) ?? [])] };
  const secrets = [
    ...onMachine([...keys, ...accounts], home),
    ...SOCKET_FOLDERS,
    ...own,
    ...settings.hidden.map((path) => absolute(path, home, workspace)),
  ].flatMap(real);
  const secret = new Set(secrets);
  const hidden = [...new Set([...secrets, ...(await socketsOfDaemons(workspace))])].filter(
    // A folder that holds the workspace is hidden around it; the workspace itself never is.
    (path) =>
      path !== workspace && ![...readable, ...extra.read, ...extra.write].some((shown) => isInside(path, shown)),
  );
  const changing = profile === 'workspace-write';
  const git = changing ? await gitPlaces(workspace) : NOTHING;
  const triggers = await workspaceTriggers(workspace, inProject(runsCode));
  const commits = settings.git === 'commit';
  const unheld = new Set(request.unheld?.map((name) => join(workspace, name)));
  const isHeldHere = (path: string) => !unheld.has(path);
  const closed = await closedPaths(request.closed ?? []);
  return {
    profile,
    workspace,
    system: 'all',
    programs: 'any',
    emptyHome: undefined,
    whenPartial: 'narrow',
    tracing: request.tracing,
    read: [...SHOWN_AGAIN.flatMap(real), ...readable, ...(changing ? [] : [workspace]), ...extra.read],
    write: [
      ...(changing
        ? [workspace, ...(commits ? git.write : []), ...named(settings.writable), ...named(settings.added)]
        : []),
      ...extra.write,
    ],
    protect: [
      ...(changing ? [...triggers.protect, ...(commits ? git.protect : git.write.concat(git.protect))] : []),
      ...closed.protect,
    ],
    hidden: hidden.flatMap((path) => {
      // A socket may be gone since it was listed; there is nothing to hide then.
      const found = lstatSync(path, { throwIfNoEntry: false });
      return found ? [{ path, directory: found.isDirectory(), fleeting: !secret.has(path) }] : [];
    }),
    reserved: [
      ...(changing ? [...triggers.reserved.filter(isHeldHere), ...(commits ? git.reserved : [])] : []),
      ...closed.reserved,
    ],
    reservedFiles: [...(changing && commits ? git.files : []), ...closed.files],
    passing: git.passing,
    notes: [...triggers.links, ...closed.links].map((path) => `${path} is a link and cannot be protected`),
  };
}

/** Folders in which all programs keep their sockets and scripts (`tmux`, `ssh-agent`, Tenon itself). */
const TEMPORARY = ['/tmp', '/var/tmp', '/dev/shm'];

/** The whole machine, the home of the user with everything that starts programs on login, or a folder for everybody's files is no workspace. */
export function isTooWide(workspace: string, home: string): boolean {
  return [home, ...TEMPORARY].some((path) => isInside(real(path)[0] ?? path, workspace));
}

async function realFolder(folder: string): Promise<string> {
  try {
    const path = await realpath(folder);
    if (!(await stat(path)).isDirectory()) throw new Error('it is not a folder');
    return path;
  } catch (fault) {
    throw errors.create('SANDBOX_FOLDER_MISSING', { folder, reason: messageOf(fault) }, fault);
  }
}

function absolute(path: string, home: string, workspace: string): string {
  if (path === '~' || path.startsWith('~/')) return join(home, path.slice(1));
  return isAbsolute(path) ? path : join(workspace, path);
}

async function workspaceTriggers(workspace: string, names: readonly string[]) {
  const entries = await Promise.all(
    names.map(async (name) => {
      const path = join(workspace, name);
      const { found: kind, held } = await lookedAt(path, () => kindOf(path));
      // Another sandbox may hold the name just now; this one must hold it, too, or it would be free when that one ends.
      return {
        name,
        kind: kind === 'folder' && held ? undefined : kind,
        isLinked: await isLinked(path, workspace),
      };
    }),
  );
  const paths = (wanted: readonly unknown[]) =>
    entries.filter(({ kind }) => wanted.includes(kind)).map(({ name }) => name);
  return {
    protect: paths(['folder', 'file']).map((name) => join(workspace, name)),
    links: paths(['other']),
    // Below a link nothing can be held: what it leads to is not the workspace's.
    reserved: entries
      .filter(({ kind, isLinked }) => kind === undefined && !isLinked)
      .map(({ name }) => join(workspace, name)),
  };
}

/** What a request wants unchanged. Its folders may be links; it is held where they lead. */
async function closedPaths(wanted: readonly ClosedPath[]) {
  const found = await Promise.all(
    wanted.map(async ({ path: named, text }) => {
      const path = join(real(dirname(named))[0] ?? dirname(named), basename(named));
      const { found: kind, held } = await lookedAt(path, () => kindOf(path));
      return { path, text, kind: held ? undefined : kind };
    }),
  );
  const missing = found.filter(({ kind }) => kind === undefined);
  return {
    protect: found.filter(({ kind }) => kind === 'file' || kind === 'folder').map(({ path }) => path),
    links: found.filter(({ kind }) => kind === 'other').map(({ path }) => path),
    reserved: missing.filter(({ text }) => text === undefined).map(({ path }) => path),
    files: missing.flatMap(({ path, text }) => (text === undefined ? [] : [{ path, text }])),
  };
}

/** Whether a folder between a path and the workspace is a link, or no folder at all. */
async function isLinked(path: string, workspace: string): Promise<boolean> {
  const kinds = await Promise.all(foldersAround(path, [workspace]).map(kindOf));
  return kinds.some((kind) => kind === 'file' || kind === 'other');
}

/**
 * Sockets that programs of this machine listen on. A read-only file system does not keep anybody from connecting to them,
 * so those outside of the workspace are hidden one by one.
 */
async function socketsOfDaemons(workspace: string): Promise<string[]> {
  if (process.platform !== 'linux') return [];
  const table = await readFile('/proc/net/unix', 'utf8').catch(() => '');
  const paths = table.split('\n').flatMap((line) => /\s(\/.+)$/.exec(line)?.[1] ?? []);
  const away = new Set(paths.flatMap(real).filter((path) => !isInside(path, workspace) && !isInside(path, '/tmp')));
  return [...away].filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isSocket());
}
