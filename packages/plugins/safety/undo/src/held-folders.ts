/**
 * Folders of the workspace, held open one inside the other, so that nothing that is written can end up elsewhere: a folder that is
 * swapped for a link while we work is not followed. On Linux every name is looked up in an open folder (`/proc/self/fd`);
 * elsewhere each folder on the way is checked right before it is used.
 */
import { constants, existsSync } from 'node:fs';
import { chmod, type FileHandle, lstat, open, stat } from 'node:fs/promises';
import { bytesOf, nameOf, parentOf, textOf } from './byte-paths.ts';
import { errors } from './errors.ts';

const HAS_PROC = process.platform === 'linux' && existsSync('/proc/self/fd');
/** Linux's O_PATH: a folder that may not be listed can still be held. Node has no name for it. */
const O_PATH = 0o10_000_000;
const HOLD = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const OPEN_AT_MOST = 64;
const ACCESS = 0o700;

interface Held {
  readonly handle: FileHandle | undefined;
  readonly path: Buffer;
}

/** The folders on the way to what is restored. */
export class HeldFolders {
  readonly #root: string;
  readonly #held = new Map<string, Held>();
  /** Folders that were closed to their owner and are open while we work, with the mode that they get back. */
  readonly #unlocked = new Map<string, number>();

  constructor(root: string) {
    this.#root = root;
  }

  /** The path under which a file system call reaches an entry, in its real folder. The folder is opened to its owner if need be. */
  async entry(path: string, isWriting = true): Promise<Buffer> {
    const parent = parentOf(path);
    const folder = await this.#folder(parent);
    if (isWriting) await this.#unlock(parent, folder);
    return Buffer.concat([folder.path, Buffer.from('/'), bytesOf(nameOf(path))]);
  }

  /** A folder gets this mode at the end, whatever it has meanwhile. */
  async setMode(path: string, mode: number): Promise<void> {
    if (this.#unlocked.has(path)) this.#unlocked.set(path, mode);
    else {
      const folder = await this.#folder(path);
      await chmod(folder.path, mode);
    }
  }

  /** Forgets folders below a path: it is about to be removed or replaced. */
  async release(path: string): Promise<void> {
    for (const [name, held] of [...this.#held]) {
      if (name !== path && !name.startsWith(`${path}/`)) continue;
      this.#held.delete(name);
      await held.handle?.close();
    }
    for (const name of [...this.#unlocked.keys()]) {
      if (name === path || name.startsWith(`${path}/`)) this.#unlocked.delete(name);
    }
  }

  /** Gives folders their modes back, innermost first, and lets everything go. */
  async close(): Promise<void> {
    const closed = [...this.#unlocked].sort(([a], [b]) => b.length - a.length);
    this.#unlocked.clear();
    try {
      for (const [path, mode] of closed) await this.setMode(path, mode);
    } finally {
      for (const { handle } of this.#held.values()) await handle?.close();
      this.#held.clear();
    }
  }

  async #unlock(path: string, folder: Held): Promise<void> {
    if (this.#unlocked.has(path)) return;
    // An open folder is named by a link of the system, which is followed here on purpose.
    const { mode } = await stat(folder.path);
    if ((mode & ACCESS) === ACCESS) return;
    this.#unlocked.set(path, mode & 0o7777);
    await chmod(folder.path, (mode & 0o7777) | ACCESS);
  }

  async #folder(path: string): Promise<Held> {
    const known = this.#held.get(path);
    if (known && HAS_PROC) return known;
    if (this.#held.size >= OPEN_AT_MOST) await this.#forgetOthers(path);
    const held = path === '' ? await this.#hold(Buffer.from(this.#root), path) : await this.#below(path);
    // Somebody else may have opened the same folder meanwhile: one of the two is enough.
    const other = this.#held.get(path);
    if (other && HAS_PROC) {
      await held.handle?.close();
      return other;
    }
    this.#held.set(path, held);
    return held;
  }

  async #below(path: string): Promise<Held> {
    const parent = parentOf(path);
    const above = await this.#folder(parent);
    const where = Buffer.concat([above.path, Buffer.from('/'), bytesOf(nameOf(path))]);
    try {
      return await this.#hold(where, path);
    } catch (fault) {
      if ((fault as NodeJS.ErrnoException).code !== 'EACCES') throw fault;
      // The folder above does not let its owner in.
      await this.#unlock(parent, above);
      return this.#hold(where, path);
    }
  }

  async #hold(where: Buffer, path: string): Promise<Held> {
    try {
      if (HAS_PROC) {
        const handle = await open(where, HOLD);
        return { handle, path: Buffer.from(`/proc/self/fd/${handle.fd}`) };
      }
      if ((await lstat(where)).isDirectory()) return { handle: undefined, path: where };
    } catch (fault) {
      const { code } = fault as NodeJS.ErrnoException;
      if (code !== 'ELOOP' && code !== 'ENOTDIR') throw fault;
    }
    throw errors.create('UNDO_UNSAFE_PATH', {
      path: textOf(path),
      reason: 'a folder on the way to it is none any more',
    });
  }

  /** Keeps the folders on the way to a path. */
  async #forgetOthers(path: string): Promise<void> {
    for (const [name, { handle }] of [...this.#held]) {
      if (name === '' || path === name || path.startsWith(`${name}/`)) continue;
      this.#held.delete(name);
      await handle?.close();
    }
  }
}
