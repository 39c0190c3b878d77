/** A folder that addresses cannot lead out of: not by names, and not by links that lie in it. */
import { constants, type Dirent, type Stats } from 'node:fs';
import { lstat, mkdir, open, readdir, realpath } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { isInside } from '@tenon/host';
import { messageOf } from '@tenon/kernel';
import { stageFile } from '@tenon/state-files';
import type { UrlContent } from './api.ts';
import { addressOf } from './address.ts';
import { errors } from './errors.ts';

/** The most that is read into memory; the file behind the address has the rest. */
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_LISTED = 500;
const MAX_DEPTH = 8;

/** A file that was found in a folder. */
export interface FoundFile {
  readonly segments: readonly string[];
  readonly path: string;
  readonly bytes: number;
  readonly modified: number;
}

/**
 * The path for an address, with links followed as far as they stay inside. What does not exist yet has a path too.
 * `segments` come from an address that was checked.
 */
export async function pathInside(root: string, segments: readonly string[], url: string): Promise<string> {
  const base = await realpath(root).catch(absent);
  if (base === undefined) return join(root, ...segments);
  let at = base;
  for (const [index, segment] of segments.entries()) {
    const next = join(at, segment);
    const stats = await statsOf(next, url);
    if (!stats) return join(next, ...segments.slice(index + 1));
    if (stats.isSymbolicLink()) {
      // A link that leads nowhere could be made to lead anywhere by whoever writes through it.
      const real = await realpath(next).catch(() => undefined);
      if (real === undefined || !isInside(real, base)) throw errors.create('URLS_OUTSIDE', { url });
      at = real;
    } else {
      at = next;
    }
  }
  return at;
}

async function statsOf(path: string, url: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw errors.create('URLS_UNREADABLE', { url, reason: code ?? messageOf(fault), file: path }, fault);
  }
}

/** What is at an address: a file's content, `undefined` when nothing is there, `folder` when it is a folder. */
export async function readInside(
  root: string,
  segments: readonly string[],
  url: string,
): Promise<UrlContent | 'folder' | undefined> {
  const path = await pathInside(root, segments, url);
  const stats = await statsOf(path, url);
  if (!stats) return undefined;
  if (stats.isDirectory()) return 'folder';
  return readFileContent(path, url);
}

/** The content of a file, as text where it is text. */
export async function readFileContent(path: string, url: string): Promise<UrlContent> {
  const refuse = (reason: string, fault?: unknown) =>
    errors.create('URLS_UNREADABLE', { url, reason, file: path }, fault);
  let file;
  try {
    // A pipe must not block, and the last name must not have become a link meanwhile.
    file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (fault) {
    throw refuse((fault as NodeJS.ErrnoException).code ?? messageOf(fault), fault);
  }
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw refuse('it is not a regular file');
    const bytes = Buffer.alloc(Math.min(stats.size, MAX_BYTES));
    let filled = 0;
    while (filled < bytes.length) {
      const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return asContent(bytes.subarray(0, filled), path, stats.size);
  } finally {
    await file.close();
  }
}

function asContent(bytes: Buffer, path: string, size: number): UrlContent {
  const type = contentTypeOf(path);
  const notes =
    size > bytes.length
      ? [`Only the first ${sizeText(bytes.length)} of ${sizeText(size)} are here; all of it: ${path}`]
      : [];
  const more = { file: path, ...(notes.length > 0 && { notes }) };
  if (!isText(bytes, size > bytes.length)) {
    const contentType = type.startsWith('text/') ? 'application/octet-stream' : type;
    return { content: `[${basename(path)}: ${contentType}, ${sizeText(size)}]`, bytes, contentType, ...more };
  }
  return { content: bytes.toString('utf8'), contentType: type, ...more };
}

/** A text that was cut may end within a character. */
function isText(bytes: Buffer, isCut: boolean): boolean {
  if (bytes.subarray(0, 8192).includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut });
    return true;
  } catch {
    return false; // Not UTF-8: given as bytes.
  }
}

/** Replaces a file as a whole: readers see the old content or the new. */
export async function writeInside(
  root: string,
  segments: readonly string[],
  url: string,
  content: string,
): Promise<string> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  const path = await pathInside(root, segments, url);
  const refuse = (reason: string, fault?: unknown) =>
    errors.create('URLS_UNREADABLE', { url, reason, file: path }, fault);
  if ((await statsOf(path, url))?.isDirectory()) throw refuse('it is a folder');
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await (await stageFile(path, content, { mode: 0o600, flush: false })).commit();
    return path;
  } catch (fault) {
    throw refuse((fault as NodeJS.ErrnoException).code ?? messageOf(fault), fault);
  }
}

/** The files below an address, in order of their paths. Links are not followed, temporary files are left out. */
export async function filesInside(
  root: string,
  segments: readonly string[],
  url: string,
): Promise<{ readonly files: readonly FoundFile[]; readonly isCut: boolean }> {
  const files: FoundFile[] = [];
  let isCut = false;
  const walk = async (folder: string, names: readonly string[]): Promise<void> => {
    const entries: Dirent[] = (await readdir(folder, { withFileTypes: true }).catch(absent)) ?? [];
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (files.length >= MAX_LISTED) return void (isCut = true);
      const path = join(folder, entry.name);
      const inner = [...names, entry.name];
      if (entry.isDirectory() && inner.length - segments.length < MAX_DEPTH) await walk(path, inner);
      const stats = entry.isFile() && !/^\..*\.tmp$/.test(entry.name) ? await lstat(path).catch(absent) : undefined;
      if (stats) files.push({ segments: inner, path, bytes: stats.size, modified: stats.mtimeMs });
    }
  };
  await walk(await pathInside(root, segments, url), segments);
  return { files, isCut };
}

/** A listing with one address per line. */
export function listingText(
  scheme: string,
  { files, isCut }: { readonly files: readonly FoundFile[]; readonly isCut: boolean },
  describe: (file: FoundFile) => string = ({ bytes }) => sizeText(bytes),
): string {
  const rows = files.map((file) => [addressOf(scheme, file.segments), describe(file)] as const);
  const width = Math.min(60, Math.max(0, ...rows.map(([address]) => address.length)));
  const lines = rows.map(([address, text]) => `${address.padEnd(width)}  ${text}`.trimEnd());
  return [...lines, ...(isCut ? [`… only the first ${MAX_LISTED} are listed`] : [])].join('\n');
}

function absent(fault: NodeJS.ErrnoException): undefined {
  if (fault.code === 'ENOENT' || fault.code === 'ENOTDIR') return undefined;
  throw fault;
}

const TYPES: Readonly<Record<string, string>> = {
  '.md': 'text/markdown',
  '.json': 'application/json',
  '.html': 'text/html',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.pdf': 'application/pdf',
};

function contentTypeOf(path: string): string {
  return TYPES[extname(path).toLowerCase()] ?? 'text/plain';
}

/** A size as people write it. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes}B`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)}KB` : `${(bytes / 1024 / 1024).toFixed(1)}MB`;
}
