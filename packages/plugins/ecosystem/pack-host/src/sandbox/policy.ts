/** What a host process can see and do: from the permissions of a manifest to the description that every sandbox understands. */
import { existsSync, lstatSync, mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, sep } from 'node:path';
import { isBelow, isInside } from '@tenon/host';
import type { Permissions } from '@tenon/kernel';
import { type LaunchPolicy, RESERVED_IN_PROJECT, TRIGGERS_OF_GIT } from '@tenon/sandbox/api';
import { errors } from '../errors.ts';
import { parsePathPermission } from '../permissions.ts';

/** Where a pack runs and for whom. */
export interface PackPlace {
  readonly plugin: string;
  /** The pack's own folder. */
  readonly folder: string;
  readonly workspace: string;
  readonly home: string;
  /** Tenon's own folders: no pack may write there, or it could grant itself more. */
  readonly own: readonly string[];
  /** Names in a folder of a project that make something run. */
  readonly triggers: readonly string[];
}

/** A host process's view of the machine, and its environment. */
export interface HostPolicy {
  readonly policy: LaunchPolicy;
  readonly env: Readonly<Record<string, string>>;
  /** Permissions to write one file that does not exist. A sandbox shows files, not names, so the pack cannot make it. */
  readonly absent: readonly string[];
}

/** Megabytes of a pack's folders for temporary files. */
const SCRATCH_MB = 64;

/** Makes the policy of a pack. `always` are the paths that every host needs to run at all. */
export function policyOf(
  permissions: Permissions,
  place: PackPlace,
  options: { always: readonly string[]; memoryMb: number; env?: NodeJS.ProcessEnv },
): HostPolicy {
  const source = options.env ?? process.env;
  const grant = (value: string, life: 'read' | 'write') => grantedPath(value, life, place);
  const read = (permissions.fs?.read ?? []).flatMap((value) => grant(value, 'read'));
  const write = (permissions.fs?.write ?? []).flatMap((value) => grant(value, 'write'));
  const workspace = realpathSync(place.workspace);
  // What another plugin's sandbox protects in a workspace also counts where a pack may write to a folder of it.
  const triggers = [workspace, ...write]
    .flatMap((folder) => triggersIn(folder, place.triggers))
    .filter((path) => write.some((root) => isBelow(path, root)));
  const own = place.own.flatMap(real).filter((path) => write.some((root) => isInside(path, root)));
  const protect = [...new Set([...triggers, ...own])];
  const reserved = join(workspace, RESERVED_IN_PROJECT);
  const isReservedOpen = write.some((root) => isBelow(reserved, root)) && !isThere(reserved);
  const declared = (permissions.env ?? []).flatMap((name) =>
    source[name] === undefined ? [] : [[name, source[name]] as const],
  );
  const home = real(place.home)[0] ?? place.home;
  const readable = [...new Set([...options.always, ...real(place.folder), ...read])];
  const writable = [...new Set([...write, ...protect.flatMap((path) => foldersAround(path, write))])];
  const isWorkspaceSeen = [...readable, ...writable].includes(workspace);
  return {
    policy: {
      system: 'node',
      programs: [...new Set((permissions.exec ?? []).flatMap((command) => findProgram(command, place, source)))],
      read: readable,
      write: writable,
      protect,
      reserved: isReservedOpen ? [reserved] : [],
      hidden: [],
      workspace,
      emptyHome: home,
      cwd: isWorkspaceSeen ? workspace : '/tmp',
      limits: { memoryMb: options.memoryMb, scratchMb: SCRATCH_MB },
      whenPartial: 'refuse',
    },
    absent: (permissions.fs?.write ?? []).filter((value) => grant(value, 'write').length === 0),
    env: {
      ...Object.fromEntries(declared),
      PATH: '/usr/local/bin:/usr/bin:/bin',
      HOME: home,
      LANG: 'C.UTF-8',
      TZ: Intl.DateTimeFormat().resolvedOptions().timeZone,
      ...(source['NO_COLOR'] !== undefined && { NO_COLOR: '1' }),
    },
  };
}

/** The files and folders directly in `folder` that make Tenon, git, an agent or an editor run code. Only what exists. */
function triggersIn(folder: string, names: readonly string[]): string[] {
  const git = join(folder, '.git');
  const ofGit = isFolder(git) ? TRIGGERS_OF_GIT.map((name) => join(git, name)) : [git];
  // A link cannot be mounted over; what it leads to is protected instead.
  return [...names.map((name) => join(folder, name)), ...ofGit].flatMap(real);
}

/**
 * The folders between a protected path and the writable root that holds it. Mounted over themselves they cannot be renamed,
 * so that nobody moves `.git` aside, hooks and all, and makes another.
 */
function foldersAround(path: string, roots: readonly string[]): string[] {
  const around: string[] = [];
  for (let folder = dirname(path); roots.some((root) => isBelow(folder, root)); folder = dirname(folder)) {
    around.push(folder);
  }
  return around;
}

function grantedPath(value: string, life: 'read' | 'write', place: PackPlace): string[] {
  const parsed = parsePathPermission(value);
  if ('reason' in parsed)
    throw errors.create('PACK_HOST_PERMISSION_INVALID', {
      plugin: place.plugin,
      file: place.folder,
      key: `fs.${life}`,
      value,
      ...parsed,
    });
  const base = { workspace: place.workspace, home: place.home, root: sep }[parsed.base];
  const wanted = join(realpathSync(base), parsed.path);
  // A mount of its own would win over the read-only one of the folder around it.
  if (life === 'write' && place.own.flatMap(real).some((folder) => isInside(wanted, folder))) {
    const reason = 'it lies in a folder of Tenon itself, where a pack could allow itself more';
    const details = { plugin: place.plugin, file: place.folder, key: `fs.${life}`, value, reason };
    throw errors.create('PACK_HOST_PERMISSION_INVALID', { ...details, instead: 'Name a folder outside of it.' });
  }
  if (life === 'write' && parsed.tree && !existsSync(wanted)) mkdirSync(wanted, { recursive: true, mode: 0o700 });
  const [realPath] = real(wanted);
  if (realPath === sep) {
    const reason = 'the folder you work in is the whole machine';
    const details = { plugin: place.plugin, file: place.folder, key: `fs.${life}`, value, reason };
    throw errors.create('PACK_HOST_PERMISSION_INVALID', {
      ...details,
      instead: 'Start Tenon in the folder of a project.',
    });
  }
  // A link below the base could have been planted, by this pack even, to be given something else on its next start.
  if (realPath !== undefined && realPath !== wanted) {
    throw errors.create('PACK_HOST_PATH_LEADS_AWAY', { plugin: place.plugin, value, real: realPath });
  }
  return realPath === undefined ? [] : [realPath];
}

/** A program and, for scripts, what interprets it. Programs inside the workspace do not count: a repository could bring them. */
function findProgram(command: string, place: PackPlace, env: NodeJS.ProcessEnv, depth = 0): string[] {
  const folders = (env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !isInside(folder, place.workspace));
  const path = isAbsolute(command)
    ? command
    : folders.map((folder) => join(folder, command)).find((file) => existsSync(file));
  const [target] = path === undefined ? [] : real(path);
  if (path === undefined || target === undefined)
    throw errors.create('PACK_HOST_EXEC_MISSING', { plugin: place.plugin, command });
  const links = lstatSync(path).isSymbolicLink() ? [path, target] : [path];
  const [, interpreter, argument] = /^#!\s*(\S+)(?:\s+(\S+))?/.exec(firstLine(target)) ?? [];
  if (interpreter === undefined || depth > 2) return links;
  const named =
    interpreter.endsWith('/env') && argument !== undefined ? findProgram(argument, place, env, depth + 1) : [];
  return [...links, ...findProgram(interpreter, place, env, depth + 1), ...named];
}

function firstLine(file: string): string {
  return readFileSync(file).subarray(0, 256).toString('latin1').split('\n', 1)[0] ?? '';
}

/** The real path, or nothing for what does not exist. */
function real(path: string): string[] {
  try {
    return [realpathSync(path)];
  } catch {
    return []; // Absent or out of reach: there is nothing to show to the pack.
  }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
