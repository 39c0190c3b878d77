/** Finds the file that a reader means. */
import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@tenon/kernel';
import type { Accelerators } from '@tenon/native';
import { errors } from '../errors.ts';
import { cleanPath, displayPath, resolvePath } from '../paths.ts';
import { type Selector, splitSelector } from './selector.ts';

const SUFFIX_TIMEOUT_MS = 5000;
const SHOWN_CANDIDATES = 5;

/** What was found. */
export interface Located {
  /** Absolute. */
  readonly path: string;
  readonly stats: Stats;
  readonly selector: Selector;
  /** Set when only the end of the path fitted. */
  readonly suffixResolution?: { readonly from: string; readonly to: string };
}

/** Splits off the selector and finds the file; a path that does not exist may be the unique end of one that does. */
export async function locate(
  given: string,
  cwd: string,
  scan: () => Promise<Accelerators['scan']>,
  signal: AbortSignal,
): Promise<Located> {
  const cleaned = cleanPath(given);
  const split = splitSelector(cleaned);
  // A file may really be called `notes:12`.
  const whole = split.path === cleaned ? undefined : await statsOf(resolvePath(cwd, cleaned));
  if (whole) return { path: resolvePath(cwd, cleaned), stats: whole, selector: { raw: false } };
  const { selector } = split;
  const path = resolvePath(cwd, split.path);
  const stats = await statsOf(path);
  if (stats) return { path, stats, selector };
  const to = await uniqueSuffix(split.path, cwd, await scan(), signal);
  const found = await statsOf(join(cwd, to));
  if (!found) throw errors.create('FILE_TOOLS_NOT_FOUND', { path: split.path });
  return {
    path: join(cwd, to),
    stats: found,
    selector,
    suffixResolution: { from: split.path, to },
  };
}

async function statsOf(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') return undefined;
    throw errors.create('FILE_TOOLS_UNREADABLE', { path, reason: code ?? messageOf(fault) }, fault);
  }
}

async function uniqueSuffix(
  given: string,
  cwd: string,
  scan: Accelerators['scan'],
  signal: AbortSignal,
): Promise<string> {
  const notFound = (cause?: unknown) => errors.create('FILE_TOOLS_NOT_FOUND', { path: given }, cause);
  const inside = displayPath(cwd, resolvePath(cwd, given));
  const suffix = inside.replace(/^(?:\.{1,2}\/|\/)+/, '').replaceAll(/[*?[\]{}!\\]/g, String.raw`\$&`);
  if (suffix === '' || suffix === '.') throw notFound();
  try {
    const { matches, total } = await scan.glob({
      path: cwd,
      pattern: `**/${suffix}`,
      hidden: true,
      limit: SHOWN_CANDIDATES,
      timeoutMs: SUFFIX_TIMEOUT_MS,
      signal,
    });
    const [only] = matches;
    if (!only) throw notFound();
    if (total === 1) return only.path;
    const candidates = matches.map(({ path }) => path).concat(total > matches.length ? ['…'] : []);
    throw errors.create('FILE_TOOLS_AMBIGUOUS', { path: given, candidates });
  } catch (fault) {
    // A tree too large to look through in time: the path is simply not found.
    if (fault instanceof DOMException && fault.name === 'TimeoutError') throw notFound(fault);
    throw fault;
  }
}
