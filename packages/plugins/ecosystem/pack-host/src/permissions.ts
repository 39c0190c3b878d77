/** What a pack may touch: checked when its manifest is read, told in plain words, and compared when it changes. */
import { createHash } from 'node:crypto';
import type { Permissions, TenonError } from '@tenon/kernel';
import { usesProblem } from './boundary/reach.ts';
import { consentText } from './boundary/table.ts';
import { parseNetPermission } from './net-rules.ts';
import { errors } from './errors.ts';

/** Whom a complaint about permissions is about. */
export interface PermissionOwner {
  readonly plugin: string;
  readonly file: string;
}

/** A path permission, taken apart. */
export interface PathPermission {
  readonly base: 'workspace' | 'home' | 'root';
  /** Below the base, without leading or trailing slashes; empty for the base itself. */
  readonly path: string;
  /** Whether everything below belongs to it. */
  readonly tree: boolean;
}

const FORBIDDEN_ENV = /^(?:NODE_|LD_|DYLD_|TENON_|BASH_ENV$|ENV$|IFS$|SHELLOPTS$|PYTHON|PERL5|RUBYOPT$|GIT_)/;

/** Every permission that cannot be granted, each with what to write instead. */
export function checkPermissions(permissions: Permissions, owner: PermissionOwner): TenonError[] {
  const problems: TenonError[] = [];
  const check = (
    key: string,
    values: readonly string[] | undefined,
    problem: (value: string) => Complaint | undefined,
  ) => {
    for (const value of values ?? []) {
      const complaint = problem(value);
      if (complaint)
        problems.push(
          errors.create('PACK_HOST_PERMISSION_INVALID', { ...owner, key: `permissions.${key}`, value, ...complaint }),
        );
    }
  };
  const path = (value: string) => {
    const parsed = parsePathPermission(value);
    return 'reason' in parsed ? parsed : undefined;
  };
  check('fs.read', permissions.fs?.read, path);
  check('fs.write', permissions.fs?.write, path);
  check('net', permissions.net, (value) => {
    const parsed = parseNetPermission(value);
    return 'reason' in parsed ? parsed : undefined;
  });
  check('exec', permissions.exec, execProblem);
  check('env', permissions.env, envProblem);
  check('uses', permissions.uses, usesProblem);
  return problems;
}

interface Complaint {
  readonly reason: string;
  readonly instead: string;
}

/** Takes a path permission apart: `./` is the workspace, `~/` the home folder, a trailing `/**` means the whole tree. */
export function parsePathPermission(value: string): PathPermission | Complaint {
  const instead = 'Write a path, or a path followed by `/**`; `./` is the workspace and `~/` the home folder.';
  const tree = value === './**' || value === '~/**' || value === '/**' || value.endsWith('/**');
  const plain = tree ? value.slice(0, -3) || (value.startsWith('/') ? '/' : '') : value;
  if (/[*?[\]{}!\0]/.test(plain)) return { reason: 'only a trailing `/**` may stand for other names', instead };
  const match = /^(\.|~|)(?:\/(.*))?$/.exec(plain);
  if (!match) return { reason: 'it is not a path from `./`, `~/` or `/`', instead };
  const [, start, rest = ''] = match;
  const parts = rest.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) return { reason: 'it climbs with `..`', instead };
  const base = start === '.' ? 'workspace' : start === '~' ? 'home' : 'root';
  if (base === 'root' && parts.length === 0)
    return { reason: 'it is the whole machine', instead: 'Name the folders that the pack works with.' };
  if (base === 'root' && ['proc', 'sys', 'dev'].includes(parts[0] ?? '')) {
    return {
      reason: 'it shows the machine, not files',
      instead: 'Leave it out; isolated packs have a /proc and /dev of their own.',
    };
  }
  return { base, path: parts.join('/'), tree };
}

function execProblem(value: string): Complaint | undefined {
  const instead = 'Name a program as it is found in PATH, for example "git".';
  if (value.includes('/')) return { reason: 'it is a path', instead };
  return /^[\w.+-]+$/.test(value) ? undefined : { reason: 'it is not the name of a program', instead };
}

/** What is wrong with the name of a variable for a pack, if anything. */
export function envProblem(value: string): Complaint | undefined {
  if (!/^[A-Za-z_]\w*$/.test(value))
    return { reason: 'it is not the name of a variable', instead: 'Name one variable, for example "EDITOR".' };
  if (!FORBIDDEN_ENV.test(value)) return undefined;
  return {
    reason: 'it changes how programs run',
    instead: 'Leave it out; take such values from a setting of the pack.',
  };
}

/** What the permissions mean, one plain sentence each; an empty list means that the pack can only compute. */
export function describePermissions(permissions: Permissions = {}): string[] {
  const { fs = {}, net = [], exec = [], env = [], uses = [] } = permissions;
  return [
    ...(fs.read ?? []).map((path) => `read ${pathWords(path)}`),
    ...(fs.write ?? []).map((path) => `read and change ${pathWords(path)}${exceptWords(path)}`),
    ...net.map((host) => `send requests to ${netWords(host)}`),
    ...exec.map((command) => `run the program ${command}`),
    ...env.map((name) => `see the environment variable ${name}`),
    ...uses.map((id) => consentText(id) ?? `use "${id}"`),
  ];
}

function pathWords(value: string): string {
  const parsed = parsePathPermission(value);
  if ('reason' in parsed) return value;
  const { base, path, tree } = parsed;
  const place = { workspace: 'the folder you work in', home: 'your home folder', root: '' }[base];
  if (path === '') return `everything in ${place}`;
  const name = base === 'root' ? `/${path}` : `"${path}" in ${place}`;
  return tree ? `everything in ${name}` : name;
}

/** What stays unchanged although everything may be changed. */
function exceptWords(value: string): string {
  const parsed = parsePathPermission(value);
  const isWorkspace = !('reason' in parsed) && parsed.base === 'workspace' && parsed.path === '';
  return isWorkspace ? ' but the settings there of Tenon, git, agents and editors' : '';
}

function netWords(value: string): string {
  const parsed = parseNetPermission(value);
  if ('reason' in parsed) return value;
  const { host, port, wildcard, isPrivate } = parsed;
  const name = `${wildcard ? 'any host under ' : ''}${host}${port === undefined ? '' : `, port ${port}`}`;
  return isPrivate ? `${name} (also inside your own network)` : name;
}

/** A fingerprint of a set of permissions: equal sets have equal ones, in whatever order they are written. */
export function permissionsHash(permissions: Permissions = {}): string {
  return createHash('sha256').update(flatten(permissions).sort().join('\n')).digest('hex').slice(0, 32);
}

/** The permissions that are in `wanted` but not in `granted`. */
export function addedPermissions(granted: Permissions = {}, wanted: Permissions = {}): Permissions {
  const known = new Set(flatten(granted));
  const fresh = (kind: string, values: readonly string[] = []) =>
    values.filter((value) => !known.has(`${kind} ${value}`));
  const read = fresh('read', wanted.fs?.read);
  const write = fresh('write', wanted.fs?.write);
  const rest = {
    net: fresh('net', wanted.net),
    exec: fresh('exec', wanted.exec),
    env: fresh('env', wanted.env),
    uses: fresh('uses', wanted.uses),
  };
  return {
    ...((read.length > 0 || write.length > 0) && { fs: { read, write } }),
    ...Object.fromEntries(Object.entries(rest).filter(([, values]) => values.length > 0)),
  };
}

function flatten(permissions: Permissions): string[] {
  const { fs = {}, net = [], exec = [], env = [], uses = [] } = permissions;
  const kinds = { read: fs.read ?? [], write: fs.write ?? [], net, exec, env, uses };
  return Object.entries(kinds).flatMap(([kind, values]) => values.map((value) => `${kind} ${value}`));
}
