/** A folder as a short tree: newest first, with sizes and ages. */
import type { Stats } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { byteText } from '@tenon/wording';

const PER_FOLDER = 12;
/** Looking at every entry's time is only worth it while there are not too many. */
const MAX_TIMED = 1000;
/** More names are counted, but not kept. */
const MAX_KEPT = 100_000;
/** Shown, but not looked into: what is inside is not the project. */
const CLOSED = new Set(['.git', 'node_modules', 'target', 'dist', '.venv', '__pycache__']);

interface Entry {
  readonly name: string;
  readonly stats: Stats | undefined;
  readonly isFolder: boolean;
}

/** A rendered tree. */
export interface FolderTree {
  readonly lines: readonly string[];
  /** Entries of the folder itself that come after the last line. */
  readonly left: number;
  /** Entries of folders inside that are not shown. */
  readonly hidden: number;
}

/** Renders a folder two levels deep, up to a number of lines. */
export async function folderTree(
  path: string,
  {
    maxLines,
    signal,
    now = Date.now(),
  }: { readonly maxLines: number; readonly signal: AbortSignal; readonly now?: number },
): Promise<FolderTree> {
  const lines: string[] = [];
  const { entries, count } = await entriesOf(path, signal);
  let hidden = 0;
  let shown = 0;
  for (const entry of entries) {
    if (lines.length >= maxLines) break;
    signal.throwIfAborted();
    shown++;
    lines.push(entryLine(entry, now));
    if (!entry.isFolder || CLOSED.has(entry.name)) continue;
    hidden += await addInner(join(path, entry.name), lines, signal, now);
  }
  return { lines, left: count - shown, hidden };
}

/** Adds the start of a folder inside and gives how many entries were left out. */
async function addInner(folder: string, lines: string[], signal: AbortSignal, now: number): Promise<number> {
  let listing: Listing;
  try {
    listing = await entriesOf(folder, signal);
  } catch (fault) {
    signal.throwIfAborted();
    if ((fault as NodeJS.ErrnoException).code === undefined) throw fault;
    lines.push('  (cannot be read)');
    return 0;
  }
  const { entries, count } = listing;
  for (const entry of entries.slice(0, PER_FOLDER)) lines.push(`  ${entryLine(entry, now)}`);
  if (count <= PER_FOLDER) return 0;
  lines.push(`  … ${count - PER_FOLDER} more`);
  return count - PER_FOLDER;
}

interface Listing {
  readonly entries: readonly Entry[];
  readonly count: number;
}

async function entriesOf(folder: string, signal: AbortSignal): Promise<Listing> {
  const named: Entry[] = [];
  let count = 0;
  for await (const entry of await opendir(folder, { bufferSize: 1024 })) {
    if (count % 10_000 === 0) signal.throwIfAborted();
    if (++count <= MAX_KEPT) named.push({ name: entry.name, isFolder: entry.isDirectory(), stats: undefined });
  }
  const byName = (a: Entry, b: Entry) => (a.name < b.name ? -1 : 1);
  if (named.length > MAX_TIMED) return { entries: named.sort(byName), count };
  const timed = await Promise.all(
    named.map(async (entry): Promise<Entry> => ({ ...entry, stats: await statsOf(join(folder, entry.name)) })),
  );
  const age = ({ stats }: Entry) => stats?.mtimeMs ?? 0;
  return { entries: timed.sort((a, b) => age(b) - age(a) || byName(a, b)), count };
}

/** An entry may vanish between the listing and the look at it; it is shown without its facts then. */
function statsOf(path: string): Promise<Stats | undefined> {
  return lstat(path).catch(() => undefined);
}

function entryLine({ name, stats, isFolder }: Entry, now: number): string {
  if (isFolder) return `${name}/`;
  if (stats?.isSymbolicLink()) return `${name}  link`;
  return stats ? `${name}  ${byteText(stats.size)}  ${ageText(now - stats.mtimeMs)}` : name;
}

function ageText(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes}m ago`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)}h ago`;
  return `${Math.floor(minutes / (24 * 60))}d ago`;
}
