/**
 * Opens a session file as it is: sound, of an older version, or damaged. The original is never replaced by less than it held:
 * - a torn last line stays where it is, and the next entry begins on a line of its own;
 * - lines that are no entries are passed over and reported;
 * - an entry whose parent is missing follows the entry before it;
 * - without a usable header, or in an old version, a sound copy is made; the original stays beside it.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { copyFile, open, rename, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import { finished } from 'node:stream/promises';
import { messageOf } from '@tenon/kernel';
import { headerLine } from './backend.ts';
import { SESSION_VERSION, type SessionHeader } from './entries.ts';
import { EntryTree } from './entry-tree.ts';
import { errors } from './errors.ts';
import { type LineScan, scanLines } from './line-index.ts';
import { type OldEntry, upgrade } from './migrate.ts';

/** A session file that was read. */
export interface LoadedFile {
  readonly file: string;
  readonly header: SessionHeader;
  readonly scan: LineScan;
  readonly tree: EntryTree;
  readonly leafId: string | null;
  readonly repairs: readonly string[];
}

/** Reads a session file. With `repair`, what cannot be used in place is brought into order beside the original. */
export async function loadFile(file: string, options: { repair: boolean; cwd: string }): Promise<LoadedFile> {
  const scan = await scanFile(file);
  const version = scan.header ? Number(scan.header['version'] ?? 1) : undefined;
  if (version !== undefined && version > SESSION_VERSION) {
    throw errors.create('SESSION_TOO_NEW', { file, version, known: SESSION_VERSION });
  }
  if (scan.lines.length === 0 && !scan.header) {
    throw errors.create('SESSION_UNREADABLE', { file, reason: 'it holds neither a session header nor any entry' });
  }
  const header = headerOf(scan, file, options.cwd);
  const isUsable = version === SESSION_VERSION && typeof scan.header?.['id'] === 'string';
  if (isUsable || !options.repair) return indexed(file, header, scan, []);
  const original = await setAside(file, version);
  await writeUpgraded(original, file, header, version ?? SESSION_VERSION);
  const what =
    version === undefined
      ? 'its header was unusable and was made anew'
      : `it was of version ${version} and was brought up to date`;
  return indexed(file, header, await scanFile(file), [`${what}; the original is kept as ${basename(original)}`]);
}

async function scanFile(file: string): Promise<LineScan> {
  try {
    const handle = await open(file, 'r');
    try {
      return await scanLines(handle);
    } finally {
      await handle.close();
    }
  } catch (fault) {
    const missing = (fault as NodeJS.ErrnoException).code === 'ENOENT';
    throw missing
      ? errors.create('SESSION_NOT_FOUND', { session: file }, fault)
      : errors.create('SESSION_UNREADABLE', { file, reason: messageOf(fault) }, fault);
  }
}

function headerOf(scan: LineScan, file: string, cwd: string): SessionHeader {
  const raw = scan.header ?? {};
  const text = (key: string) => (typeof raw[key] === 'string' ? raw[key] : undefined);
  const named = /^(.*)_([0-9A-Za-z-]+)\.jsonl$/.exec(basename(file));
  return {
    ...raw,
    type: 'session',
    version: SESSION_VERSION,
    id: text('id') ?? named?.[2] ?? basename(file, '.jsonl'),
    timestamp: text('timestamp') ?? new Date(0).toISOString(),
    cwd: text('cwd') ?? cwd,
  };
}

/** The original under another name in the same folder; a listing does not show it. */
async function setAside(file: string, version: number | undefined): Promise<string> {
  const suffix = version === undefined ? 'damaged' : `v${version}`;
  for (let attempt = 0; ; attempt++) {
    const target = `${file}.${suffix}${attempt === 0 ? '' : `-${attempt}`}`;
    try {
      // A copy that must not exist yet: the original keeps its name until the new file is complete.
      await copyFile(file, target, 1);
      return target;
    } catch (fault) {
      if ((fault as NodeJS.ErrnoException).code !== 'EEXIST') throw fault;
    }
  }
}

/** Writes the entries of `from` in today's form to `to`, which is replaced only when all of them are written. */
async function writeUpgraded(from: string, to: string, header: SessionHeader, version: number): Promise<void> {
  const temporary = `${to}.upgrading`;
  const out = createWriteStream(temporary, { mode: 0o600, flush: true });
  try {
    out.write(headerLine(header));
    const migrate = upgrade(version);
    let read = 0;
    let written = 0;
    for await (const line of createInterface({ input: createReadStream(from), crlfDelay: Number.POSITIVE_INFINITY })) {
      const entry = parseEntry(line);
      if (!entry) continue;
      read++;
      if (!out.write(`${JSON.stringify(migrate(entry))}\n`))
        await new Promise<void>((resolve) => out.once('drain', () => resolve()));
    }
    out.end();
    await finished(out);
    const check = await scanFile(temporary);
    written = check.lines.length;
    if (written !== read) throw new Error(`${read} entries were read, but ${written} arrived in the new file`);
    await rename(temporary, to);
  } catch (fault) {
    out.destroy();
    await rm(temporary, { force: true });
    throw errors.create('SESSION_UNREADABLE', { file: to, reason: messageOf(fault) }, fault);
  }
}

function parseEntry(line: string): OldEntry | undefined {
  try {
    const value: unknown = JSON.parse(line);
    const isEntry = typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
    return isEntry && value.type !== 'session' ? (value as OldEntry) : undefined;
  } catch {
    return undefined; // Counted as garbage by the scan.
  }
}

function indexed(file: string, header: SessionHeader, scan: LineScan, repairs: readonly string[]): LoadedFile {
  const tree = new EntryTree();
  const allRepairs = [...repairs];
  let previous: string | null = null;
  let orphans = 0;
  let doubles = 0;
  for (const line of scan.lines) {
    const isKnown: boolean = line.parentId === null || tree.get(line.parentId) !== undefined;
    if (line.id === '' || tree.get(line.id)) {
      doubles++;
      continue;
    }
    if (!isKnown) orphans++;
    tree.add(isKnown ? line : { ...line, parentId: previous });
    previous = line.id;
  }
  if (scan.tornTail && scan.garbage.length > 0)
    allRepairs.push('its last line was cut off, as by a crash; it stays in the file and is passed over');
  else if (scan.garbage.length > 0) allRepairs.push(`${scan.garbage.length} lines are no entries and are passed over`);
  if (orphans > 0) allRepairs.push(`${orphans} entries whose parent is missing follow the entry before them`);
  if (doubles > 0) allRepairs.push(`${doubles} entries without an id of their own are passed over`);
  return { file, header, scan, tree, leafId: previous, repairs: allRepairs };
}
