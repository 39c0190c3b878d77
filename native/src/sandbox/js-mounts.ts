/** The twin of crates/sandbox/src/mounts.rs: which paths a wrapped command sees, from shallow to deep. */
import type { RawCommandPolicy } from './addon.ts';
import { NativeError } from '../task.ts';

/** What stands at a path. */
export type Entry =
  | { readonly kind: 'read' | 'write' | 'proc' | 'dev' | 'tmp' }
  | { readonly kind: 'deny'; readonly directory: boolean }
  | { readonly kind: 'link'; readonly target: string };

/** A path in normal form and what stands there. */
export interface Mount {
  readonly path: string;
  readonly entry: Entry;
}

/** The mounts of a policy, shallow before deep, each path once; deny wins over write, write over read. */
export function mounts(policy: RawCommandPolicy): Mount[] {
  const table = new Map<string, Entry>();
  if (policy.proc) table.set('/proc', { kind: 'proc' });
  if (policy.dev) table.set('/dev', { kind: 'dev' });
  if (policy.tmp) table.set('/tmp', { kind: 'tmp' });
  for (const { path, target } of policy.links) {
    if (target.includes('\0')) throw nulInArgument(target);
    table.set(normal(path), { kind: 'link', target });
  }
  for (const path of policy.read) table.set(normal(path), { kind: 'read' });
  for (const path of policy.write) table.set(normal(path), { kind: 'write' });
  for (const { path, directory } of policy.deny) table.set(normal(path), { kind: 'deny', directory });
  return [...table].map(([path, entry]) => ({ path, entry })).toSorted((a, b) => depth(a.path) - depth(b.path));
}

/** The entry that decides about `path`: its nearest listed ancestor, or itself. */
export function deciding(table: readonly Mount[], path: string): Mount | undefined {
  return table.findLast((mount) => covers(mount.path, path));
}

/** Whether `inner` is `outer` or lies beneath it. Both are in normal form. */
export function covers(outer: string, inner: string): boolean {
  return outer === '/' || inner === outer || inner.startsWith(`${outer}/`);
}

/** The normal form of an absolute path; `..` is refused, because its meaning depends on links. */
export function normal(path: string): string {
  if (!path.startsWith('/')) throw badPath(path, 'is not absolute; resolve it first');
  if (path.includes('\0')) throw badPath(path, 'contains NUL; no file can have that name');
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw badPath(path, "contains '..'; resolve it first");
  return `/${parts.join('/')}`;
}

/** Refuses a command without a program or with NUL. */
export function checkCommand(command: readonly string[]): void {
  if (!command[0]) throw failure('there is no command to run; give at least the program');
  const bad = command.find((part) => part.includes('\0'));
  if (bad !== undefined) throw nulInArgument(bad);
}

/** The error for a text that cannot be an argument. */
export function nulInArgument(text: string): NativeError {
  return failure(`"${text}" contains NUL and cannot be an argument`);
}

/** An expected failure, of the same type that the addon's adapter throws. */
export function failure(message: string): NativeError {
  return new NativeError('failure', message);
}

function badPath(path: string, problem: string): NativeError {
  return failure(`policy path "${path}" ${problem}`);
}

function depth(path: string): number {
  return path === '/' ? 0 : path.split('/').length - 1;
}
