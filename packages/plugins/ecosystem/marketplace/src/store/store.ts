/**
 * Where installed plugins are: each content in a folder named by its fingerprint, written once and never changed. A version is
 * switched by changing one line of a lock file, and the version before stays where it is.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@tenon/kernel';
import { readText, replaceFile } from '@tenon/state-files';
import { errors } from '../errors.ts';
import { contentHash, type FileRecord } from '../tree/file-list.ts';
import { setFoldersWritable } from '../tree/write-tree.ts';
import type { Definition } from './definition.ts';
import { type Tampering, verifyTree } from './verify.ts';

/** An installed content: what the user has looked at and accepted. */
export interface Sealed {
  readonly definition: Definition;
  readonly files: readonly FileRecord[];
  readonly acceptedAt: string;
}

const MAX_RECORD = 32 * 1024 * 1024;
const STAGING_HOURS = 24;

/** All installed contents of a user. */
export class Store {
  readonly #root: string;
  readonly #stamps: string;

  /** `data` is what must not be lost, `cache` what can be made again. */
  constructor(data: string, cache: string) {
    this.#root = data;
    this.#stamps = join(cache, 'verified');
  }

  /** The folder of a content, there or not. */
  folderOf(content: string): string {
    return join(this.#root, 'store', hexOf(content));
  }

  #recordOf(content: string): string {
    return `${this.folderOf(content)}.json`;
  }

  /** A new folder to write a plugin into, on the same file system as the store. */
  async stage(): Promise<string> {
    const folder = join(this.#root, 'staging', `${Date.now()}-${process.pid}-${randomBytes(6).toString('hex')}`);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return folder;
  }

  /** Throws a staged folder away. */
  async discard(folder: string): Promise<void> {
    await removeTree(folder);
  }

  /** What was accepted under this fingerprint; nothing when it is not here. A record that does not fit its name is refused. */
  async read(content: string): Promise<Sealed | undefined> {
    const file = this.#recordOf(content);
    const text = await readText(file, MAX_RECORD);
    if (text === undefined) return undefined;
    try {
      const sealed = JSON.parse(text) as Sealed;
      const actual = contentHash(sealed.definition, sealed.files);
      if (actual !== content) throw new Error(`its fingerprint is ${actual}`);
      return sealed;
    } catch (fault) {
      throw errors.create('MARKETPLACE_LOCK_INVALID', { file, reason: messageOf(fault) }, fault);
    }
  }

  /** Whether the files are still what was accepted. */
  async verify(
    content: string,
    sealed: Sealed,
    options: { full?: boolean; signal?: AbortSignal } = {},
  ): Promise<readonly Tampering[]> {
    return verifyTree(this.folderOf(content), sealed.files, join(this.#stamps, hexOf(content)), options);
  }

  /** Moves a staged folder to its place. Its record is written last: without it the content does not count. */
  async put(staged: string, definition: Definition, files: readonly FileRecord[], now: string): Promise<string> {
    const content = contentHash(definition, files);
    const folder = this.folderOf(content);
    await mkdir(join(this.#root, 'store'), { recursive: true, mode: 0o700 });
    const sealed: Sealed = { definition, files, acceptedAt: now };
    if (existsSync(folder)) {
      const isWhole = (await this.verify(content, sealed, { full: true })).length === 0;
      if (isWhole) await removeTree(staged);
      else {
        // What was tampered with goes out of the way first; a crash in between leaves it missing, which is said and put right.
        await removeTree(folder);
        await rename(staged, folder);
      }
    } else await rename(staged, folder);
    await setFoldersWritable(folder, false);
    await replaceFile(this.#recordOf(content), `${JSON.stringify(sealed)}\n`);
    return content;
  }

  /** Removes contents that nothing refers to, and what crashed installations left. Gives the folders that are gone. */
  async collect(live: ReadonlySet<string>): Promise<string[]> {
    const kept = new Set([...live].map(hexOf));
    const gone: string[] = [];
    for (const name of await namesIn(join(this.#root, 'store'))) {
      const hex = name.replace(/\.json$/, '');
      if (kept.has(hex) || !/^[0-9a-f]{64}$/.test(hex)) continue;
      const path = join(this.#root, 'store', name);
      if (name === hex) {
        gone.push(path);
        await removeTree(path);
        await rm(join(this.#stamps, hex), { force: true });
      } else await rm(path, { force: true });
    }
    for (const name of await namesIn(join(this.#root, 'staging'))) {
      const path = join(this.#root, 'staging', name);
      const [started = '0', pid = '0'] = name.split('-');
      const isOld = Date.now() - Number(started) > STAGING_HOURS * 3_600_000;
      if (isOld || !isRunning(Number(pid))) await removeTree(path);
    }
    return gone;
  }
}

function hexOf(content: string): string {
  const hex = /^sha256-([0-9a-f]{64})$/.exec(content)?.[1];
  if (hex === undefined)
    throw errors.create('MARKETPLACE_LOCK_INVALID', {
      file: 'A lock file',
      reason: `"${content}" is not a fingerprint`,
    });
  return hex;
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((fault: NodeJS.ErrnoException) => {
    if (fault.code === 'ENOENT') return [];
    throw fault;
  });
}

async function removeTree(folder: string): Promise<void> {
  const isFolder = await lstat(folder).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (isFolder) await setFoldersWritable(folder, true);
  await rm(folder, { recursive: true, force: true });
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (fault) {
    return (fault as NodeJS.ErrnoException).code === 'EPERM';
  }
}
