/** Where a write goes: a file, a place inside of an archive or a database, a URL. */
import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { isInside } from '@tenon/host';
import { kindOf } from '@tenon/documents/api';
import { inProject, type Places, placeTest } from '@tenon/sandbox/api';
import { errors } from '../errors.ts';
import { absolutePath, cleanPath, displayPath, resolvePath, unwrapPath } from '@tenon/tools/api';
import { readHead, refuseSpecial } from '../read/file-bytes.ts';
import { realPlace } from '../real-place.ts';
import { displayOf } from '../read/present.ts';
import { splitPath } from '../read/selector.ts';
import { isUrl } from '../read/url-view.ts';

/** Tables are not written into a database that is not there; a file `new.db:table` is never meant. */
const DATABASE_NAME = /\.(?:db|sqlite3?)$/i;
const ARCHIVE_NAME = /\.(?:zip|tar|tgz|tar\.gz)$/i;
/** What a write is about. */
export type Destination =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'file'; readonly path: string; readonly stats: Stats | undefined }
  | { readonly kind: 'archive' | 'database'; readonly path: string; readonly inner: string };

/** Finds out what is meant: the one reading of paths for all that changes something. */
export async function destinationOf(given: string, cwd: string): Promise<Destination> {
  const cleaned = cleanPath(given);
  if (isUrl(cleaned)) return { kind: 'url', url: cleaned };
  const path = resolvePath(cwd, given);
  const stats = await statsOf(path, cwd);
  await refuseBlanks(given, cwd, stats && path);
  const literal = unwrapPath(given);
  const container = stats ? undefined : await containerOf(literal, cwd);
  if (!stats && !container && literal.endsWith('/')) throw errors.create('FILE_TOOLS_FOLDER_NAME', { path: literal });
  return container ?? { kind: 'file', path, stats };
}

/**
 * Blanks at the ends of a path are part of the name, or a slip: `x` is never changed in place of ` x`, and no file gets a
 * name that ends with a line break.
 */
async function refuseBlanks(given: string, cwd: string, found: string | undefined): Promise<void> {
  const cleaned = cleanPath(given);
  const literal = unwrapPath(given);
  if (literal === cleaned || cleaned === '') return;
  const isLiteral = found === absolutePath(cwd, given) || found === absolutePath(cwd, literal);
  if (isLiteral) return;
  const meant = found ?? (await containerOf(cleaned, cwd).catch(() => undefined))?.path; // A refusal of it is no match.
  const isSlip = meant !== undefined ? await statsOf(meant, cwd) : /^[\r\n]|[\r\n]$/.test(literal);
  if (!isSlip) return;
  throw errors.create('FILE_TOOLS_BLANKS', { given: JSON.stringify(given), path: JSON.stringify(cleaned) });
}

/** The same for a tool that must not follow silently what leads elsewhere. */
export async function plainDestinationOf(given: string, cwd: string, places: () => Places): Promise<Destination> {
  const destination = await destinationOf(given, cwd);
  if ('path' in destination) refuseElsewhere(destination.path, cwd, places);
  return destination;
}

/** The shortest part in front of a colon that is an archive or a database, or that names an archive to be made. */
async function containerOf(cleaned: string, cwd: string): Promise<Extract<Destination, { inner: string }> | undefined> {
  for (const { index } of cleaned.matchAll(/:/g)) {
    if (index === 0) continue;
    const path = absolutePath(cwd, cleaned.slice(0, index));
    const inner = cleaned.slice(index);
    const stats = await statsOf(path, cwd);
    if (!stats && ARCHIVE_NAME.test(path)) return { kind: 'archive', path, inner };
    if (!stats && DATABASE_NAME.test(path))
      throw errors.create('FILE_TOOLS_NOT_FOUND', { path: displayPath(cwd, path) });
    if (!stats?.isFile()) continue;
    const head = await readHead(path, stats);
    const kind = displayOf(kindOf(path, head), false);
    if (kind === 'archive' || kind === 'database') return { kind, path, inner };
    const isZipInside = head[0] === 0x50 && head[1] === 0x4b;
    if (isZipInside) return { kind: 'archive', path, inner };
    if (splitPath(`x${inner}`).path === 'x') {
      throw errors.create('FILE_TOOLS_WRITE_LINES', { path: displayPath(cwd, path), selector: inner.slice(1) });
    }
  }
  return undefined;
}

async function statsOf(path: string, cwd: string): Promise<Stats | undefined> {
  try {
    const stats = await stat(path);
    refuseSpecial(stats, displayPath(cwd, path));
    return stats;
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code === 'ENOTDIR') {
      const details = { path: displayPath(cwd, path), reason: 'a part of the path is a file, not a folder' };
      throw errors.create('FILE_TOOLS_WRITE_FAILED', { ...details, undone: 'Nothing was changed.' }, fault);
    }
    if (code?.startsWith('FILE_TOOLS_')) throw fault;
    const reason = code ?? String(fault);
    throw errors.create('FILE_TOOLS_UNREADABLE', { path: displayPath(cwd, path), reason }, fault);
  }
}

/**
 * A path inside the working folder that really lies elsewhere, or any path that ends up in a protected place, was hardly
 * meant: the reader of the call, and every rule about paths, sees only the name. The real path can be given instead.
 */
function refuseElsewhere(path: string, cwd: string, places: () => Places): void {
  const real = realPlace(path);
  const root = realPlace(cwd);
  if (real === path || real === join(root, relative(cwd, path))) return;
  const { runsCode, guarded } = places();
  // Whoever can write there can make programs run or open doors.
  const test = placeTest(inProject([...runsCode, ...guarded]), 'anywhere');
  const isNewlyProtected = test.test(relative(root, real)) && !test.test(relative(cwd, path));
  const isOutside = isInside(path, cwd) && !isInside(real, root);
  if (!isNewlyProtected && !isOutside) return;
  const place = isNewlyProtected ? 'which is protected' : 'outside of the working folder';
  throw errors.create('FILE_TOOLS_LEADS_ELSEWHERE', { path: displayPath(cwd, path), real, place });
}
