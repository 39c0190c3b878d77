/** What is installed, by scope: the user's lock file, and that of a project, which is meant to be committed. */
import { join } from 'node:path';
import { messageOf } from '@tenon/kernel';
import { readText, replaceFile, versionedJson, type WriteOptions } from '@tenon/state-files';
import { parseId } from '../catalogue/names.ts';
import { errors } from '../errors.ts';
import type { Definition } from './definition.ts';
import { type Pin, pinProblem } from './pins.ts';

/** For all projects, or for one. */
export type Scope = 'user' | 'project';

/** One version of a plugin. */
export interface LockedVersion {
  readonly version: string;
  /** The fingerprint of its content. */
  readonly content: string;
  readonly pin: Pin;
  readonly installedAt: string;
  /** The key that it was signed with. */
  readonly key?: string;
  /** Its id as a pack, if it is one. */
  readonly pack?: string;
  /** What it is; part of the fingerprint, and needed to make sure of it on another machine. */
  readonly definition: Definition;
}

/** An installed plugin. */
export interface Locked extends LockedVersion {
  /** The version before the last upgrade. */
  readonly previous?: LockedVersion;
}

/** The content of a lock file. */
export interface LockFile {
  readonly plugins: Readonly<Record<string, Locked>>;
  /** Plugins that the user switched off, in every scope. Only in the user's file. */
  readonly disabled?: readonly string[];
  /** Lock files of projects that this machine has installed from. Only in the user's file. */
  readonly projects?: readonly string[];
}

const VERSION = 1;
const MAX_BYTES = 4 * 1024 * 1024;

/** The file of a scope; `folder` is the data folder or a project's .tenon folder. */
export function lockFileIn(folder: string, scope: Scope): string {
  return scope === 'user' ? join(folder, 'plugins', 'lock.json') : join(folder, 'plugins.lock.json');
}

/** A project's file is committed and read by others, but a link in it does not decide which file is written. */
export function writeOptions(scope: Scope): WriteOptions {
  return scope === 'user' ? {} : { mode: 0o644, folderMode: 0o755, followLinks: false };
}

/** Reads a lock file; an absent one is empty. A damaged one is an error: treating it as empty would lose what is installed. */
export async function readLock(file: string): Promise<LockFile> {
  const text = await readText(file, MAX_BYTES);
  if (text === undefined) return { plugins: {} };
  try {
    const { plugins, disabled = [], projects = [] } = versionedJson<LockFile>(text, VERSION, 'plugins');
    for (const [id, locked] of Object.entries(plugins)) {
      const problem = lockedProblem(id, locked) ?? (locked.previous && lockedProblem(id, locked.previous));
      if (problem !== undefined) throw new Error(`"${id}": ${problem}`);
    }
    if (![disabled, projects].every((list) => Array.isArray(list) && list.every((item) => typeof item === 'string')))
      throw new Error('"disabled" and "projects" must be lists of texts');
    return { plugins, disabled, projects };
  } catch (fault) {
    throw errors.create('MARKETPLACE_LOCK_INVALID', { file, reason: messageOf(fault) }, fault);
  }
}

function lockedProblem(id: string, locked: unknown): string | undefined {
  const { marketplace } = parseId(id);
  if (marketplace === undefined) return 'its marketplace is missing';
  if (typeof locked !== 'object' || locked === null) return 'it is not an object';
  const { version, content, installedAt, pin, key, pack, definition } = locked as Partial<
    Record<keyof Locked, unknown>
  >;
  if (typeof version !== 'string' || version.length > 100 || /\p{C}/u.test(version)) return 'it has no version';
  if (typeof content !== 'string' || !/^sha256-[0-9a-f]{64}$/.test(content)) return 'it has no fingerprint';
  if (typeof installedAt !== 'string') return 'it has no date';
  if (![key, pack].every((value) => value === undefined || typeof value === 'string'))
    return 'its key or pack is not text';
  if (typeof definition !== 'object' || definition === null) return 'it has no definition';
  if ((definition as Definition).id !== id) return 'its definition is of another plugin';
  // Whatever it leads to must have the fingerprint, so that files of this machine do no harm.
  return pinProblem(pin, 'local');
}

/** Writes a lock file. Call it under the lock of the store. */
export async function writeLock(file: string, scope: Scope, lock: LockFile): Promise<void> {
  const plugins = Object.fromEntries(Object.entries(lock.plugins).sort(([a], [b]) => (a < b ? -1 : 1)));
  const own = scope === 'user' ? { disabled: lock.disabled ?? [], projects: lock.projects ?? [] } : {};
  const text = `${JSON.stringify({ version: VERSION, plugins, ...own }, null, 2)}\n`;
  await replaceFile(file, text, writeOptions(scope));
}
