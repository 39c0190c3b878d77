/** Where the lines of a session are: in a file, or in memory. */
import { readSync } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf, TenonError } from '@tenon/kernel';
import { makeFolders } from '@tenon/state-files';
import type { BlobStore } from './blobs.ts';
import type { SessionEntry, SessionHeader } from './entries.ts';
import { errors } from './errors.ts';
import { claimFile } from './file-claim.ts';
import { type CheckedEntry, checkEntry } from './entry-check.ts';
import type { TreeNode } from './entry-tree.ts';
import { parseObject } from './line-index.ts';

/** Keeps and gives back entries. Writes come one after the other. */
export interface Backend {
  readonly file: string | undefined;
  /** `keep` is false for passes over everything: they must not push out what is in use. */
  read(node: TreeNode, keep?: boolean): SessionEntry | undefined;
  /** What turned out to be incomplete when it was read, as sentences. */
  readonly problems: readonly string[];
  /** Resolves when the system has the line: a crash of this process cannot lose it. */
  append(entry: SessionEntry): Promise<{ readonly offset: number; readonly length: number }>;
  writeHeader(header: SessionHeader): Promise<void>;
  /** Resolves when the disk has everything. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Entries that live as long as the process. */
export class MemoryBackend implements Backend {
  readonly file = undefined;
  readonly problems = [];
  readonly #entries = new Map<string, SessionEntry>();

  read({ id }: TreeNode): SessionEntry | undefined {
    return this.#entries.get(id);
  }

  append(entry: SessionEntry): Promise<{ offset: number; length: number }> {
    this.#entries.set(entry.id, entry);
    return Promise.resolve({ offset: 0, length: 0 });
  }

  writeHeader(): Promise<void> {
    return Promise.resolve();
  }

  sync(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Room for a title to be set later without writing the file anew. */
const HEADER_BYTES = 1_024;
/** How many entries a problem names. */
const SHOWN_ENTRIES = 5;
/** How many entries are kept parsed. */
const CACHED_ENTRIES = 256;

/** The header as its line, padded with spaces, which JSON ignores. */
export function headerLine(header: SessionHeader, bytes = HEADER_BYTES): Buffer {
  const text = Buffer.from(JSON.stringify(header));
  return Buffer.concat([text, Buffer.alloc(Math.max(0, bytes - text.length), ' '), Buffer.from('\n')]);
}

/** A session file: appended to, never rewritten. Only the padded header line is written in place. */
export class FileBackend implements Backend {
  readonly file: string;
  readonly #blobs: BlobStore;
  readonly #cache = new Map<string, SessionEntry>();
  /** References whose bytes are gone, with the entry in which each was found first. */
  readonly #missing = new Map<string, string>();
  /** Entries that are not as they should be, and what is wrong with them. */
  readonly #damaged = new Map<string, string>();
  #handle: FileHandle | undefined;
  #release: (() => void) | undefined;
  #size = 0;
  #headerBytes = HEADER_BYTES;
  #needsBreak = false;
  #dirty = false;

  private constructor(file: string, blobs: BlobStore) {
    this.file = file;
    this.#blobs = blobs;
  }

  /** A file that does not exist yet, or holds nothing. It comes into being with its header. */
  static async create(
    file: string,
    blobs: BlobStore,
    header: SessionHeader,
    options: { readonly makeFolder: boolean },
  ): Promise<FileBackend> {
    const backend = new FileBackend(file, blobs);
    await backend.#guard(async () => {
      if (options.makeFolder) await makeFolders(dirname(file), 0o700);
      await backend.#claimed(true, () => openEmpty(file));
      try {
        await backend.#write(headerLine(header));
      } catch (fault) {
        await backend.#letGo();
        throw fault;
      }
    });
    return backend;
  }

  /** A file that was read before. `writable` claims it. */
  static async open(
    file: string,
    blobs: BlobStore,
    scan: { readonly bytes: number; readonly headerLength: number; readonly tornTail: boolean },
    writable: boolean,
  ): Promise<FileBackend> {
    const backend = new FileBackend(file, blobs);
    const opening = () => backend.#claimed(writable, async () => open(file, writable ? 'r+' : 'r'));
    await (writable ? backend.#guard(opening) : opening());
    backend.#size = scan.bytes;
    backend.#headerBytes = scan.headerLength;
    backend.#needsBreak = scan.tornTail;
    return backend;
  }

  /** Opens the file; a claim does not outlive the attempt. */
  async #claimed(writable: boolean, opening: () => Promise<FileHandle>): Promise<void> {
    if (writable) this.#release = claimFile(this.file);
    try {
      this.#handle = await opening();
    } catch (fault) {
      this.#release?.();
      throw fault;
    }
  }

  read(node: TreeNode, keep = true): SessionEntry | undefined {
    const cached = this.#cache.get(node.id);
    if (cached || !this.#handle) return cached;
    const line = Buffer.alloc(node.length);
    readSync(this.#handle.fd, line, 0, node.length, node.offset);
    const parsed = parseObject(line);
    const { entry, wrong } = parsed ? this.#checked(parsed, node) : { entry: undefined, wrong: ['all of it'] };
    if (wrong.length > 0) this.#damaged.set(node.id, `${wrong.join(', ')}${entry ? '' : '; it is passed over'}`);
    if (keep && entry) this.#remember(entry);
    return entry;
  }

  #checked(parsed: Record<string, unknown>, { id, type, parentId }: TreeNode): CheckedEntry {
    try {
      const whole = this.#blobs.resolve({ ...parsed, type, id, parentId }, (reference) => {
        if (!this.#missing.has(reference)) this.#missing.set(reference, id);
      });
      return checkEntry(whole);
    } catch (fault) {
      // Nested so deeply that it cannot be walked through: nothing that Tenon wrote.
      if (fault instanceof RangeError) return { entry: undefined, wrong: ['all of it'] };
      throw fault;
    }
  }

  get problems(): readonly string[] {
    return [...this.#damage(), ...this.#gone()];
  }

  #damage(): readonly string[] {
    const { size } = this.#damaged;
    if (size === 0) return [];
    const shown = [...this.#damaged].slice(0, SHOWN_ENTRIES).map(([id, what]) => `${id}: ${what}`);
    const entries = size === 1 ? 'an entry is damaged' : `${size} entries are damaged`;
    return [`${entries} (${shown.join('. ')}${size > SHOWN_ENTRIES ? '. …' : ''}); the file is left as it is`];
  }

  #gone(): readonly string[] {
    const { size } = this.#missing;
    if (size === 0) return [];
    const what = size === 1 ? 'the file of a text or image is' : `the files of ${size} texts or images are`;
    const entries = [...new Set(this.#missing.values())];
    const where = entries.length > SHOWN_ENTRIES ? [...entries.slice(0, SHOWN_ENTRIES), '…'] : entries;
    return [
      `${what} gone from ${this.#blobs.folder} (entry ${where.join(', ')}); the model is told that it is missing`,
    ];
  }

  #remember(entry: SessionEntry): void {
    const [oldest] = this.#cache.keys();
    if (this.#cache.size >= CACHED_ENTRIES && oldest !== undefined) this.#cache.delete(oldest);
    this.#cache.set(entry.id, entry);
  }

  append(entry: SessionEntry): Promise<{ offset: number; length: number }> {
    return this.#guard(async () => {
      // Always in this order: it is what lets a reader find its way without parsing whole lines.
      const { type, id, parentId, timestamp, ...body } = this.#blobs.externalize(entry);
      const line = Buffer.from(`${JSON.stringify({ type, id, parentId, timestamp, ...body })}\n`);
      // What a crash left of the last line stays where it is; the next line must not be glued to it.
      if (this.#needsBreak) await this.#write(Buffer.from('\n'));
      this.#needsBreak = false;
      const offset = this.#size;
      await this.#write(line);
      this.#remember(entry);
      return { offset, length: line.length - 1 };
    });
  }

  async #write(bytes: Buffer): Promise<void> {
    this.#dirty = true;
    for (let done = 0; done < bytes.length;) {
      const { bytesWritten } = await this.#open().write(bytes, done, bytes.length - done, this.#size + done);
      done += bytesWritten;
    }
    this.#size += bytes.length;
  }

  writeHeader(header: SessionHeader): Promise<void> {
    return this.#guard(async () => {
      let fitted = header;
      // A header that was written without padding, or a very long title: keep as much of the title as there is room for.
      while (headerLine(fitted, 0).length - 1 > this.#headerBytes && fitted.title) {
        fitted = { ...fitted, title: fitted.title.slice(0, -8).trimEnd() };
      }
      const line = headerLine(fitted, this.#headerBytes);
      if (line.length - 1 !== this.#headerBytes) return;
      await this.#open().write(line, 0, line.length, 0);
      this.#dirty = true;
    });
  }

  #open(): FileHandle {
    if (this.#handle && this.#release) return this.#handle;
    throw new Error(this.#handle ? 'it was opened for reading only' : 'it is closed');
  }

  async #guard<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (fault) {
      if (!(fault instanceof TenonError)) throw this.#failed(this.file, messageOf(fault), fault);
      // Beside the file there are its lock and its blobs: what matters to the user is that the session is not kept.
      if (fault.code !== 'STATE_FILE_UNWRITABLE') throw fault;
      throw this.#failed(String(fault.details?.['file'] ?? this.file), String(fault.details?.['reason']), fault);
    }
  }

  #failed(file: string, reason: string, fault: unknown): TenonError {
    return errors.create('SESSION_WRITE_FAILED', { file, reason }, fault);
  }

  sync(): Promise<void> {
    return this.#guard(async () => {
      if (!this.#dirty || !this.#handle) return;
      await this.#handle.datasync();
      this.#dirty = false;
    });
  }

  async close(): Promise<void> {
    try {
      await this.sync();
    } finally {
      await this.#letGo();
    }
  }

  async #letGo(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
    this.#release?.();
    this.#release = undefined;
  }
}

/** Opens a file for writing that must be new, or at least empty. */
async function openEmpty(file: string): Promise<FileHandle> {
  try {
    return await open(file, 'wx+', 0o600);
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'EEXIST' || (await stat(file)).size > 0) throw fault;
    return open(file, 'r+');
  }
}
