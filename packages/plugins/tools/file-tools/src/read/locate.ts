/** Finds the file that a reader means. */
import { type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, TenonError } from '@tenon/kernel';
import type { Accelerators } from '@tenon/native';
import { errors } from '../errors.ts';
import { absolutePath, cleanPath, displayPath, pathForms, resolvePath, type TouchCall } from '@tenon/tools/api';
import { type Selector, selectorOf, type SplitPath, splitPath } from './selector.ts';

const SUFFIX_TIMEOUT_MS = 5000;
const SHOWN_CANDIDATES = 5;
/** `a:b:c:d…` is looked up at so many places. */
const MAX_SPLITS = 8;

/** What was found. */
export interface Located {
  /** Absolute. */
  readonly path: string;
  readonly stats: Stats;
  readonly selector: Selector;
  /** What stands behind an archive or a database, with its `:` or `?`; the selector is part of it then. */
  readonly inner: string;
  /** Set when there is no such name with the blanks at its ends. */
  readonly isTrimmed?: true;
  /** Set when only the end of the path fitted. */
  readonly suffixResolution?: { readonly from: string; readonly to: string };
}

/**
 * Splits off what stands behind the path and finds the file. The longest reading wins: a file may really be called
 * `notes:12`. A path that does not exist may be the unique end of one that does.
 */
export async function locate(
  given: string,
  cwd: string,
  scan: () => Promise<Accelerators['scan']>,
  signal: AbortSignal,
): Promise<Located> {
  const literal = locateLiteral(given, cwd);
  if (literal) return { ...literal, selector: selectorOf(literal.split) };
  const cleaned = cleanPath(given);
  const readings = readingsOf(cleaned);
  const accelerator = await scan();
  for (const { inner, ...split } of suffixReadings(readings)) {
    const to = await uniqueSuffix(split.path, cwd, accelerator, signal);
    const existingPath = to === undefined ? undefined : existing(join(cwd, to));
    if (!existingPath || to === undefined) continue;
    return { ...existingPath, selector: selectorOf(split), inner, suffixResolution: { from: split.path, to } };
  }
  throw errors.create('FILE_TOOLS_NOT_FOUND', { path: splitPath(cleaned).path });
}

/** What a reader may mean: the file that is there, else the one whose end fits, else every reading of the text. */
export function touchedByReading(
  given: string,
  cwd: string,
  scan: () => Promise<Accelerators['scan']>,
  { signal, partial = false }: TouchCall,
): readonly string[] | Promise<readonly string[]> {
  const located = locateLiteral(given, cwd);
  if (located) return [located.path];
  const paths = pathForms(given).flatMap((form) => readingsOf(form).map(({ path }) => absolutePath(cwd, path)));
  if (partial) return [resolvePath(cwd, splitPath(cleanPath(given)).path)];
  return locate(given, cwd, scan, signal).then(
    ({ path }) => [path],
    (fault: unknown) => {
      // Nothing is there now. What comes to be there until the call runs was judged.
      if (fault instanceof TenonError) return paths;
      throw fault;
    },
  );
}

interface PathReading extends SplitPath {
  readonly inner: string;
}

/** What is there as it is written, or without what models put around paths. */
function locateLiteral(given: string, cwd: string) {
  for (const form of pathForms(given)) {
    const located = locateReading(readingsOf(form), cwd);
    if (located) return { ...located, ...(form !== given && given !== given.trim() && { isTrimmed: true as const }) };
  }
  return undefined;
}

/** The first reading that is there as it is written. */
function locateReading(readings: readonly PathReading[], cwd: string) {
  for (const { inner, ...split } of readings) {
    const kind = existing(absolutePath(cwd, split.path));
    // Only files have something inside; `folder:x` is no name for anything.
    if (kind && (inner === '' || kind.stats.isFile())) return { ...kind, split, inner };
  }
  return undefined;
}

/** All that a text can mean: a path, a path with a selector, a container with something inside. */
function readingsOf(cleaned: string): PathReading[] {
  const whole = { path: cleaned, raw: false, inner: '' };
  const places = [...cleaned.matchAll(/[:?]/g)].map(({ index }) => index).filter((at) => at > 0);
  const containers = places
    .slice(0, MAX_SPLITS)
    .map((at) => ({ path: cleaned.slice(0, at), raw: false, inner: cleaned.slice(at) }));
  const split = splitPath(cleaned);
  return [whole, ...(split.path === cleaned ? [] : [{ ...split, inner: '' }]), ...containers];
}

/** The readings whose path may be the end of another, likelier ones first, each path once. */
function suffixReadings([whole, ...others]: readonly PathReading[]): PathReading[] {
  const likely = [...others, ...(whole ? [whole] : [])].filter(
    ({ inner, path }) => inner === '' || /\.\w+$/.test(path),
  );
  return likely.filter(({ path }, index) => likely.findIndex((reading) => reading.path === path) === index);
}

/** The file under a path, or under another spelling of it that programs and people use for the same name. */
function existing(path: string): { path: string; stats: Stats } | undefined {
  for (const spelling of new Set([path, ...spellings(path)])) {
    const stats = statsOf(spelling);
    if (stats) return { path: spelling, stats };
  }
  return undefined;
}

/** Blanks escaped for a shell, decomposed letters, curly apostrophes, and the narrow blank of screenshots on a Mac. */
function spellings(path: string): string[] {
  return [
    path.replaceAll('\\ ', ' '),
    path.normalize('NFD'),
    path.normalize('NFC'),
    path.replaceAll("'", '’'),
    path.replaceAll(/ (?=[AP]M\.)/g, '\u202F'),
    path.replaceAll(/ (?=[AP]M\.)/g, '\u202F').normalize('NFD'),
  ];
}

/** At once: approval has just looked at the same path, and most of what is looked for here is there. */
function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') return undefined;
    // A path with a zero byte cannot exist.
    if (code === 'ERR_INVALID_ARG_VALUE') return undefined;
    throw errors.create('FILE_TOOLS_UNREADABLE', { path, reason: code ?? messageOf(fault) }, fault);
  }
}

async function uniqueSuffix(
  given: string,
  cwd: string,
  scan: Accelerators['scan'],
  signal: AbortSignal,
): Promise<string | undefined> {
  const inside = displayPath(cwd, resolvePath(cwd, given));
  const suffix = inside.replace(/^(?:\.{1,2}\/|\/)+/, '').replaceAll(/[*?[\]{}!\\]/g, String.raw`\$&`);
  if (suffix === '' || suffix === '.') return undefined;
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
    if (!only) return undefined;
    if (total === 1) return only.path;
    const candidates = matches.map(({ path }) => path).concat(total > matches.length ? ['…'] : []);
    throw errors.create('FILE_TOOLS_AMBIGUOUS', { path: given, candidates });
  } catch (fault) {
    // A tree too large to look through in time: the path is simply not found.
    if (fault instanceof DOMException && fault.name === 'TimeoutError') return undefined;
    throw fault;
  }
}
