/**
 * Contents by their SHA-256, compressed, one file each. A content is written beside its place and renamed, so that a
 * process that is killed leaves nothing half written; it is checked against its name when it is read.
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { errors } from './errors.ts';

const compress = promisify(deflateRaw);
const expand = promisify(inflateRaw);
/** Fast: a snapshot is taken while somebody waits. */
const COMPRESSION = { level: 1 };

/** The name of a content. */
export function hashOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Contents of one workspace. */
export class BlobStore {
  readonly #folder: string;
  readonly #made = new Set<string>();
  /** Contents that this process knows to be there. */
  readonly #present = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  #place(hash: string): { readonly folder: string; readonly file: string } {
    const folder = join(this.#folder, hash.slice(0, 2));
    return { folder, file: join(folder, hash.slice(2)) };
  }

  /** Stores a content and gives how many bytes that took. With `flush` it survives a power failure. */
  async put(hash: string, content: Uint8Array, flush: boolean): Promise<number> {
    if (await this.has(hash)) return 0;
    const { folder, file } = this.#place(hash);
    if (!this.#made.has(folder)) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      this.#made.add(folder);
    }
    const packed = await compress(content, COMPRESSION);
    const draft = `${file}.${randomBytes(4).toString('hex')}.tmp`;
    try {
      const handle = await open(draft, 'wx', 0o600);
      try {
        await handle.writeFile(packed);
        if (flush) await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(draft, file);
    } catch (fault) {
      // The caller gets the fault of the write; the rest is swept away later.
      await rm(draft, { force: true }).catch(() => undefined);
      // A sweep of another process may have removed the folder.
      this.#made.delete(folder);
      throw fault;
    }
    this.#present.add(hash);
    return packed.length;
  }

  /** Whether a content is there. */
  async has(hash: string): Promise<boolean> {
    if (this.#present.has(hash)) return true;
    const found = await stat(this.#place(hash).file).catch(() => undefined);
    if (found) this.#present.add(hash);
    return found !== undefined;
  }

  /** A content, checked against its name. */
  async get(hash: string): Promise<Buffer> {
    const { file } = this.#place(hash);
    try {
      const content = await expand(await readFile(file));
      if (hashOf(content) === hash) return content;
    } catch (fault) {
      throw errors.create('UNDO_CONTENT_DAMAGED', { file }, fault);
    }
    throw errors.create('UNDO_CONTENT_DAMAGED', { file });
  }

  /** Removes what is not in use, in as many of the 256 folders as asked; gives the bytes that these folders still hold. */
  async sweep(inUse: ReadonlySet<string>, folders: readonly string[]): Promise<number> {
    let bytes = 0;
    for (const name of folders) {
      const folder = join(this.#folder, name);
      for (const rest of await readdir(folder).catch(() => [])) {
        const file = join(folder, rest);
        if (inUse.has(name + rest)) {
          bytes += (await stat(file).catch(() => undefined))?.size ?? 0;
          continue;
        }
        await rm(file, { force: true });
        this.#present.delete(name + rest);
      }
    }
    return bytes;
  }

  /** What a process forgets when another one may have swept. */
  forget(): void {
    this.#present.clear();
    this.#made.clear();
  }
}

/** The names of all folders that a store can have. */
export const BLOB_FOLDERS: readonly string[] = Array.from({ length: 256 }, (_none, index) =>
  index.toString(16).padStart(2, '0'),
);
