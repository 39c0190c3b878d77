/** Writes the files of a plugin into a fresh folder. Every origin goes through here and through the guard. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, mkdir, open, readdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type FileRecord, sha256, sortFiles } from './file-list.ts';
import { type EntryHead, TreeGuard, type TreeLimits } from './tree-guard.ts';

/** An entry with its bytes; those of a link are where it leads. */
export interface TreeEntry extends EntryHead {
  readonly bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** What is written, and to where. */
export interface WriteOptions {
  /** Names the tree in complaints. */
  readonly what: string;
  readonly limits: TreeLimits;
  readonly signal: AbortSignal;
}

const FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const MAX_LINK_BYTES = 1_024;

/** Writes all entries below `folder`, which must be new and empty, and gives their list. */
export async function writeTree(
  entries: AsyncIterable<TreeEntry>,
  folder: string,
  { what, limits, signal }: WriteOptions,
): Promise<FileRecord[]> {
  const guard = new TreeGuard(what, limits);
  const files: FileRecord[] = [];
  const links: { path: string; target: string }[] = [];
  const made = new Set<string>();
  for await (const entry of entries) {
    signal.throwIfAborted();
    guard.add(entry);
    if (entry.kind === 'link') {
      const target = await linkTarget(entry, guard);
      guard.link(entry.path, target);
      links.push({ path: entry.path, target });
      files.push({ path: entry.path, mode: 'link', size: Buffer.byteLength(target), sha256: sha256(target) });
      continue;
    }
    const file = join(folder, entry.path);
    if (!made.has(dirname(file))) await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    made.add(dirname(file));
    files.push(await writeFile(entry, file, guard));
  }
  guard.close();
  // Links come last, so that nothing is ever written through one.
  for (const { path, target } of links) {
    await mkdir(dirname(join(folder, path)), { recursive: true, mode: 0o700 });
    await symlink(target, join(folder, path));
  }
  return sortFiles(files);
}

async function writeFile(entry: TreeEntry, file: string, guard: TreeGuard): Promise<FileRecord> {
  const { path, executable, size: announced } = entry;
  const hash = createHash('sha256');
  const handle = await open(file, FLAGS, 0o600);
  let size = 0;
  try {
    for await (const chunk of entry.bytes) {
      size += chunk.length;
      // What was announced has been counted by the guard; more than that would slip past the limits.
      if (size > announced) guard.refuse(`"${path}" is larger than announced`);
      hash.update(chunk);
      await handle.write(chunk);
    }
    if (size !== announced) guard.refuse(`"${path}" is smaller than announced`);
    // Read-only: a program that writes beside itself should fail loudly instead of looking like tampering later.
    await handle.chmod(executable ? 0o555 : 0o444);
  } finally {
    await handle.close();
  }
  return { path, mode: executable ? 'program' : 'file', size, sha256: hash.digest('hex') };
}

async function linkTarget({ path, size, bytes }: TreeEntry, guard: TreeGuard): Promise<string> {
  if (size > MAX_LINK_BYTES) guard.refuse(`the link "${path}" is too long`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
  } catch {
    return guard.refuse(`the link "${path}" is not valid Unicode`);
  }
}

/** Takes write permission from all folders of a tree, or gives it back so that it can be removed. */
export async function setFoldersWritable(folder: string, writable: boolean): Promise<void> {
  if (writable) await chmod(folder, 0o700);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await setFoldersWritable(join(folder, entry.name), writable);
  }
  if (!writable) await chmod(folder, 0o555);
}
