/** Whether the files of an installed plugin are still those that were installed. */
import { createHash } from 'node:crypto';
import { type BigIntStats, createReadStream, lstatSync, readdirSync } from 'node:fs';
import { readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { readText, replaceFile } from '@tenon/state-files';
import { type FileRecord, sha256 } from '../tree/file-list.ts';

/** A file that is not what was installed. */
export interface Tampering {
  readonly path: string;
  readonly what: 'changed' | 'missing' | 'added';
}

/** A file that changed while its time was taken could have the same time afterwards; those of the last moments do not count. */
const TOO_NEW_NS = 2_000_000_000n;

interface Found {
  readonly path: string;
  readonly stats: BigIntStats;
}

/**
 * Compares a folder with the list of what was installed. `stampFile` keeps what the file system said when everything was last
 * read: while it says the same (sizes, times, inodes, modes), nothing is read again.
 */
export async function verifyTree(
  folder: string,
  files: readonly FileRecord[],
  stampFile: string,
  options: { readonly full?: boolean; readonly signal?: AbortSignal } = {},
): Promise<readonly Tampering[]> {
  const differences: Found[] = [];
  try {
    // A link in its place would lead to files that others can change.
    if (lstatSync(folder).isDirectory()) walk(folder, '', differences);
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'ENOENT') throw fault;
    return files.map(({ path }) => ({ path, what: 'missing' }));
  }
  const stamp = stampOf(differences);
  if (options.full !== true && (await readText(stampFile, 1_024)) === stamp) return [];
  const tampering = await compare(folder, files, differences, options.signal);
  if (tampering.length === 0) await keepStamp(stampFile, stamp, differences);
  return tampering;
}

/** Done synchronously: ten thousand looks take some ten milliseconds this way, and half a second by way of the thread pool. */
function walk(root: string, below: string, found: Found[]): void {
  for (const entry of readdirSync(join(root, below), { withFileTypes: true })) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) walk(root, path, found);
    else found.push({ path, stats: lstatSync(join(root, path), { bigint: true }) });
  }
}

function stampOf(found: readonly Found[]): string {
  const lines = found.map(
    ({ path, stats: { size, mtimeNs, ctimeNs, ino, mode } }) =>
      `${path}\0${size} ${mtimeNs} ${ctimeNs} ${ino} ${mode}\n`,
  );
  return sha256(lines.sort().join(''));
}

/** That it cannot be kept costs time and nothing else. */
async function keepStamp(file: string, stamp: string, found: readonly Found[]): Promise<void> {
  const now = BigInt(Date.now()) * 1_000_000n;
  if (found.some(({ stats }) => now - stats.ctimeNs < TOO_NEW_NS)) return;
  await replaceFile(file, stamp, { flush: false }).catch(() => undefined);
}

async function compare(
  folder: string,
  files: readonly FileRecord[],
  found: readonly Found[],
  signal: AbortSignal | undefined,
): Promise<Tampering[]> {
  const installed = new Map(files.map((file) => [file.path, file]));
  const tampering: Tampering[] = [];
  for (const { path, stats } of found) {
    signal?.throwIfAborted();
    const file = installed.get(path);
    installed.delete(path);
    if (file === undefined) tampering.push({ path, what: 'added' });
    else if (!(await isSame(join(folder, path), file, stats))) tampering.push({ path, what: 'changed' });
  }
  for (const path of installed.keys()) tampering.push({ path, what: 'missing' });
  return tampering.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function isSame(
  path: string,
  { mode, size, sha256: expected }: FileRecord,
  stats: BigIntStats,
): Promise<boolean> {
  if (mode === 'link') return stats.isSymbolicLink() && sha256(await readlink(path)) === expected;
  if (!stats.isFile() || stats.size !== BigInt(size)) return false;
  if (((stats.mode & 0o111n) !== 0n) !== (mode === 'program')) return false;
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex') === expected;
}

/** What was found, in words. */
export function tamperingText(tampering: readonly Tampering[]): string {
  const shown = tampering.slice(0, 5).map(({ path, what }) => `${path} was ${what === 'missing' ? 'removed' : what}`);
  const more = tampering.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}
