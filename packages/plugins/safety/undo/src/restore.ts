/** Carries a plan out: deletes first, then folders, files and links, permissions of folders last. */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, lstat, mkdir, open, rename, rm, rmdir, symlink, unlink } from 'node:fs/promises';
import { messageOf } from '@tenon/kernel';
import type { BlobStore } from './blob-store.ts';
import { ancestorsOf, bytesOf, parentOf } from './byte-paths.ts';
import { packStat } from './content-reader.ts';
import { type Entry, PackedStat } from './entry.ts';
import { HeldFolders } from './held-folders.ts';
import type { Operation } from './restore-plan.ts';

/** A path that could not be put back. */
export interface Failure {
  readonly path: string;
  readonly reason: string;
}

/** What was done. */
export interface Restored {
  readonly done: readonly Operation[];
  readonly failed: readonly Failure[];
}

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
/** Set-user-id and the like are never put back: a file must not get rights that nobody looked at. */
const PLAIN_MODE = 0o777;

/** Carries out operations in a workspace. One that fails leaves its path as it is and does not stop the others. */
export async function restore(
  root: string,
  operations: readonly Operation[],
  { blobs, force }: { readonly blobs: BlobStore; readonly force: boolean },
): Promise<Restored> {
  const work = new Restoring(root, blobs, force);
  const deepestFirst = operations.toSorted((a, b) => depth(b.path) - depth(a.path) || (a.path < b.path ? 1 : -1));
  const outermostFirst = deepestFirst.toReversed();
  try {
    for (const operation of deepestFirst)
      if (isInTheWay(operation)) await work.attempt(operation, () => work.remove(operation));
    for (const operation of outermostFirst) if (operation.to) await work.attempt(operation, () => work.put(operation));
    for (const operation of deepestFirst)
      if (operation.to?.kind === 'folder') await work.attempt(operation, () => work.mode(operation));
  } finally {
    await work.folders.close();
  }
  const failed = [...work.failed].map(([path, reason]) => ({ path, reason }));
  return { done: operations.filter(({ path }) => !work.failed.has(path)), failed };
}

const depth = (path: string) => path.split('/').length;

/** Whether what stands there has to go first: a file that is replaced by a file does not. */
function isInTheWay({ from, to }: Operation): boolean {
  if (!from) return false;
  return !to || (from.kind === 'folder') !== (to.kind === 'folder');
}

class Restoring {
  readonly folders: HeldFolders;
  readonly failed = new Map<string, string>();
  readonly #blobs: BlobStore;
  readonly #force: boolean;

  constructor(root: string, blobs: BlobStore, force: boolean) {
    this.folders = new HeldFolders(root);
    this.#blobs = blobs;
    this.#force = force;
  }

  async attempt({ path }: Operation, step: () => Promise<void>): Promise<void> {
    if (this.failed.has(path)) return;
    try {
      await step();
    } catch (fault) {
      this.failed.set(path, reasonOf(fault));
    }
  }

  async remove({ path, from }: Operation): Promise<void> {
    const where = await this.folders.entry(path);
    await this.#checkUnchanged(where, from);
    if (from?.kind === 'folder') {
      await this.folders.release(path);
      await rmdir(where);
    } else await unlink(where);
  }

  async put({ path, from, to }: Operation): Promise<void> {
    if (!to) return;
    if (ancestorsOf(path).some((folder) => this.failed.has(folder)))
      throw new Error('its folder could not be restored');
    if (to.kind === 'folder') {
      if (from?.kind !== 'folder') await mkdir(await this.folders.entry(path), { mode: 0o700 });
      return;
    }
    await this.#makeParents(path);
    const where = await this.folders.entry(path);
    const isReplacing = from !== undefined && from.kind !== 'folder';
    await this.#checkUnchanged(where, isReplacing ? from : undefined);
    // Only the permissions differ.
    if (from?.kind === 'file' && to.kind === 'file' && from.hash !== undefined && from.hash === to.hash) {
      return chmodFile(where, to.mode & PLAIN_MODE);
    }
    const draft = await this.folders.entry(draftBeside(path));
    try {
      if (to.target !== undefined) await symlink(bytesOf(to.target), draft);
      else await this.#writeFile(draft, to);
      await rename(draft, where);
    } catch (fault) {
      // The caller gets the first fault; that the draft could not be removed either is not news.
      await rm(draft, { force: true }).catch(() => undefined);
      throw fault;
    }
  }

  async mode({ path, to }: Operation): Promise<void> {
    if (to) await this.folders.setMode(path, to.mode & PLAIN_MODE);
  }

  async #writeFile(draft: Buffer, { hash = '', mode }: Entry): Promise<void> {
    const content = await this.#blobs.get(hash);
    const handle = await open(draft, NEW_FILE, 0o600);
    try {
      await handle.writeFile(content);
      await handle.chmod(mode & PLAIN_MODE);
      await handle.sync();
    } finally {
      await handle.close();
    }
  }

  /** A folder that no record names, because it was there all the time until somebody removed it. */
  async #makeParents(path: string): Promise<void> {
    const parent = parentOf(path);
    if (parent === '') return;
    try {
      await this.folders.entry(path);
    } catch (fault) {
      if ((fault as NodeJS.ErrnoException).code !== 'ENOENT') throw fault;
      await this.#makeParents(parent);
      await mkdir(await this.folders.entry(parent), { mode: 0o755 });
    }
  }

  /** Nobody may have touched it since the plan was made. */
  async #checkUnchanged(where: Buffer, expected: Entry | undefined): Promise<void> {
    if (this.#force) return;
    const found = await lstat(where, { bigint: true }).catch((fault: NodeJS.ErrnoException) => {
      if (fault.code === 'ENOENT') return undefined;
      throw fault;
    });
    if (!found && !expected) return;
    const now = found && new PackedStat(packStat(found, 0), 0);
    const isSame =
      now !== undefined &&
      expected !== undefined &&
      now.kind === expected.kind &&
      (expected.stamp === undefined || isSameContent(now.stamp, expected.stamp));
    if (!isSame) throw new Error('it was changed a moment ago');
  }
}

/** Compares all but the time of change: that moves when another name of the same file is replaced. */
function isSameContent(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left, 'base64'), Buffer.from(right, 'base64')];
  return a.subarray(0, 16).equals(b.subarray(0, 16)) && a.subarray(24).equals(b.subarray(24));
}

function draftBeside(path: string): string {
  const parent = parentOf(path);
  const name = `.tenon-undo-${randomBytes(6).toString('hex')}.tmp`;
  return parent === '' ? name : `${parent}/${name}`;
}

/** Sets the permissions of a file that is no link; on Linux a link that took its place is not followed. */
async function chmodFile(where: Buffer, mode: number): Promise<void> {
  if (process.platform !== 'linux') return chmod(where, mode);
  const handle = await open(where, 0o10_000_000 | constants.O_NOFOLLOW);
  try {
    if (!(await handle.stat()).isFile()) throw new Error('it is no longer a file');
    await chmod(`/proc/self/fd/${handle.fd}`, mode);
  } finally {
    await handle.close();
  }
}

function reasonOf(fault: unknown): string {
  const { code } = fault as NodeJS.ErrnoException;
  if (code === 'ENOTEMPTY' || code === 'EEXIST') return 'the folder still holds files that are not kept';
  return messageOf(fault);
}
