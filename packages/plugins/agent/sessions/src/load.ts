/**
 * Opens a session file as it is: sound, of an older version, or damaged. The original is never replaced by less than it held:
 * - a torn last line stays where it is, and the next entry begins on a line of its own;
 * - lines that are no entries are passed over and reported;
 * - an entry whose parent is missing follows the entry before it;
 * - without a usable header, or in an old version, a sound copy is made; the original stays beside it.
 */
import { copyFile, open, rename, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { messageOf } from '@tenon/kernel';
import { headerLine } from './backend.ts';
import { SESSION_VERSION, type SessionHeader } from './entries.ts';
import { EntryTree } from './entry-tree.ts';
import { errors } from './errors.ts';
import { type LineScan, parseObject, scanLines } from './line-index.ts';
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
  const version = versionOf(scan.header);
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
  const lost = await writeUpgraded(original, file, { header, scan, version: version ?? SESSION_VERSION });
  const what =
    version === undefined
      ? 'its header was unusable and was made anew'
      : `it was of version ${version} and was brought up to date`;
  const unread = lost > 0 ? `, also for ${lost} lines that cannot be read` : '';
  return indexed(file, header, await scanFile(file), [
    `${what}; the original is kept as ${basename(original)}${unread}`,
  ]);
}

/** The version that a header names; nothing when it has no usable one. The first version named none. */
function versionOf(header: LineScan['header']): number | undefined {
  const version = header && (header['version'] ?? 1);
  return typeof version === 'number' && Number.isInteger(version) && version > 0 ? version : undefined;
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
      if ((fault as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw errors.create('SESSION_WRITE_FAILED', { file: target, reason: messageOf(fault) }, fault);
    }
  }
}

/**
 * Writes the entries of `from` in today's form to `to`, which is replaced only when all of them are written. Gives how many
 * lines look like entries and are none.
 */
async function writeUpgraded(
  from: string,
  to: string,
  { header, scan, version }: { header: SessionHeader; scan: LineScan; version: number },
): Promise<number> {
  const temporary = `${to}.upgrading`;
  let lost = 0;
  try {
    await rm(temporary, { force: true });
    const source = await open(from, 'r');
    // Where the new file cannot be made, the old one must not stay open.
    const out = await open(temporary, 'wx', 0o600).catch(async (fault: unknown) => {
      await source.close();
      throw fault;
    });
    try {
      await out.appendFile(headerLine(header));
      const migrate = upgrade(version);
      for (const { offset, length } of scan.lines) {
        const line = Buffer.alloc(length);
        await source.read(line, 0, length, offset);
        const entry = parseObject(line);
        if (entry) await out.appendFile(`${JSON.stringify(migrate(entry as OldEntry))}\n`);
        else lost++;
      }
      await out.sync();
    } finally {
      await Promise.all([source.close(), out.close()]);
    }
    const written = (await scanFile(temporary)).lines.length;
    const read = scan.lines.length - lost;
    if (written !== read) throw new Error(`${read} entries were read, but ${written} arrived in the new file`);
    await rename(temporary, to);
    return lost;
  } catch (fault) {
    await rm(temporary, { force: true });
    throw errors.create('SESSION_WRITE_FAILED', { file: temporary, reason: messageOf(fault) }, fault);
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
