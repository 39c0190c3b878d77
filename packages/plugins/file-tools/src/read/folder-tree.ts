/** A folder as a short tree: newest first, with sizes and ages. */
import type { Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { byteText } from '../tool-output.ts';

const MAX_DEPTH = 2;
const PER_FOLDER = 12;
/** Looking at every entry's time is only worth it while there are not too many. */
const MAX_TIMED = 1000;
const MAX_ROOT = 500;
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
  /** Entries that were left out. */
  readonly hidden: number;
}

/** Renders a folder two levels deep. */
export async function folderTree(path: string, now: number = Date.now()): Promise<FolderTree> {
  const lines: string[] = [];
  let hidden = 0;
  const walk = async (folder: string, depth: number): Promise<void> => {
    const entries = await entriesOf(folder, depth === 0);
    if (!entries) return void lines.push(`${'  '.repeat(depth)}(cannot be read)`);
    const limit = depth === 0 ? MAX_ROOT : PER_FOLDER;
    const indent = '  '.repeat(depth);
    for (const entry of entries.slice(0, limit)) {
      lines.push(`${indent}${entryLine(entry, now)}`);
      if (entry.isFolder && depth + 1 < MAX_DEPTH && !CLOSED.has(entry.name)) {
        await walk(join(folder, entry.name), depth + 1);
      }
    }
    if (entries.length > limit) {
      hidden += entries.length - limit;
      lines.push(`${indent}… ${entries.length - limit} more`);
    }
  };
  await walk(path, 0);
  return { lines, hidden };
}

async function entriesOf(folder: string, isRoot: boolean): Promise<Entry[] | undefined> {
  const found = await readdir(folder, { withFileTypes: true }).catch((fault: unknown) => {
    if (isRoot) throw fault;
    return undefined;
  });
  if (!found) return undefined;
  const named = found.map((entry) => ({ name: entry.name, isFolder: entry.isDirectory(), stats: undefined }));
  if (named.length > MAX_TIMED) return named.sort((a, b) => (a.name < b.name ? -1 : 1));
  const timed = await Promise.all(
    named.map(async (entry): Promise<Entry> => ({ ...entry, stats: await statsOf(join(folder, entry.name)) })),
  );
  const age = ({ stats }: Entry) => stats?.mtimeMs ?? 0;
  return timed.sort((a, b) => age(b) - age(a) || (a.name < b.name ? -1 : 1));
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
