/** What a host process can see and do, as plain paths; made from a pack's permissions, understood by every sandbox. */
import { existsSync, lstatSync, mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { delimiter, isAbsolute, join, sep } from 'node:path';
import type { Permissions } from '@tenon/kernel';
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
}

/** A host process's view of the machine. Paths are absolute and lead through no links. */
export interface HostPolicy {
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** Read-only although they lie inside something writable. */
  readonly protect: readonly string[];
  /** Programs it may start, by path. Empty: it may start none. */
  readonly programs: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly home: string;
  readonly workspace: string;
  readonly memoryMb: number;
}

/** Files in a workspace that make other programs run code. */
const TRIGGERS = ['.tenon', '.git/hooks', '.git/config', '.git/info', '.vscode', '.envrc'];

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
  const guarded = [...TRIGGERS.map((name) => join(workspace, name)), ...place.own].flatMap(real);
  const declared = (permissions.env ?? []).flatMap((name) =>
    source[name] === undefined ? [] : [[name, source[name]] as const],
  );
  const home = real(place.home)[0] ?? place.home;
  return {
    read: [...new Set([...options.always, ...real(place.folder), ...read])],
    write: [...new Set(write)],
    protect: guarded.filter((path) => write.some((root) => isInside(path, root))),
    programs: [...new Set((permissions.exec ?? []).flatMap((command) => findProgram(command, place, source)))],
    env: {
      ...Object.fromEntries(declared),
      PATH: '/usr/local/bin:/usr/bin:/bin',
      HOME: home,
      TMPDIR: '/tmp',
      LANG: 'C.UTF-8',
      TZ: Intl.DateTimeFormat().resolvedOptions().timeZone,
      ...(source['NO_COLOR'] !== undefined && { NO_COLOR: '1' }),
    },
    home,
    workspace,
    memoryMb: options.memoryMb,
  };
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
  if (life === 'write' && parsed.tree && !existsSync(wanted)) mkdirSync(wanted, { recursive: true, mode: 0o700 });
  const [found] = real(wanted);
  if (found === sep) {
    const reason = 'the folder you work in is the whole machine';
    const details = { plugin: place.plugin, file: place.folder, key: `fs.${life}`, value, reason };
    throw errors.create('PACK_HOST_PERMISSION_INVALID', {
      ...details,
      instead: 'Start Tenon in the folder of a project.',
    });
  }
  // A link below the base could have been planted, by this pack even, to be given something else on its next start.
  if (found !== undefined && found !== wanted) {
    throw errors.create('PACK_HOST_PATH_LEADS_AWAY', { plugin: place.plugin, value, real: found });
  }
  return found === undefined ? [] : [found];
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

function isInside(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}
