/** What is inside of archives: lists of folders, and files like any other. */
import { type Archive, type ArchiveEntry, kindOf } from '@tenon/documents/api';
import type { ToolResult } from '@tenon/tools/api';
import { errors } from '../errors.ts';
import { byteText } from '@tenon/wording';
import { HEAD_BYTES, isBinary } from './file-bytes.ts';
import { displayOf, presentBytes } from './present.ts';
import { listResult, type Reading, type Subject, subjectResult } from './reading.ts';
import { splitSelector } from './selector.ts';
import { MAX_MEMORY_BYTES, streamResultOf } from './text-result.ts';

const LISTED = 500;
/** A document or an archive inside of the archive is unpacked into memory. */
const MAX_INNER_BYTES = 64 * 1024 * 1024;
const MAX_NESTING = 3;

/** Shows what `inner` names: `` and `:dir` a list, `:file`, `:file:10-20`, `:other.zip:file`. */
export async function archiveView(
  reading: Reading,
  subject: Subject,
  source: string | Uint8Array,
  inner: string,
  depth = 1,
): Promise<ToolResult> {
  const archive = await (await reading.host.archives()).open(source, reading);
  try {
    if (archive.kind === 'gz') return await readEntry(reading, withInner(subject, inner), archive, archive.entries[0]);
    return await readInner(reading, subject, archive, inner.replace(/^:/, ''), depth);
  } finally {
    await archive.close();
  }
}

/** A single packed file has no names inside, so that what stands behind it is a selector. */
function withInner(subject: Subject, inner: string): Subject {
  const { path, selector } = splitSelector(`x${inner}`);
  if (path === 'x') return inner === '' ? subject : { ...subject, selector };
  throw errors.create('FILE_TOOLS_NOT_IN_ARCHIVE', { name: inner.slice(1), path: subject.shownPath, hint: '' });
}

async function readInner(
  reading: Reading,
  subject: Subject,
  archive: Archive,
  inner: string,
  depth: number,
): Promise<ToolResult> {
  const whole = findInside(archive, inner);
  if (whole) return show(reading, inside(subject, inner), archive, whole);
  const { path: colon, selector } = splitSelector(`x:${inner}`);
  const name = colon.replace(/^x:?/, '');
  const content = findInside(archive, name);
  if (content) return show(reading, { ...inside(subject, name), selector }, archive, content);
  for (const { index } of inner.matchAll(/:/g)) {
    const other = findInside(archive, inner.slice(0, index));
    if (!other || isList(other) || depth >= MAX_NESTING) continue;
    const bytes = await unpack(archive, other, MAX_INNER_BYTES, reading.signal);
    return archiveView(reading, inside(subject, other.name), bytes, inner.slice(index), depth + 1);
  }
  return recover(reading, { ...subject, selector }, archive, name);
}

/** `dir/a.ts` that is not there may be the end of exactly one name that is. */
async function recover(reading: Reading, subject: Subject, archive: Archive, name: string): Promise<ToolResult> {
  const wanted = `/${name.replace(/^(?:\.{0,2}\/)+/, '')}`;
  const similar = archive.entries.filter((entry) => entry.kind === 'file' && `/${entry.name}`.endsWith(wanted));
  const [only] = similar;
  if (only && similar.length === 1) {
    const note = `Path '${name}' not found; resolved to '${only.name}' via suffix match`;
    return readEntry(
      reading,
      { ...inside(subject, only.name), selector: subject.selector, notes: [note] },
      archive,
      only,
    );
  }
  const names = similar.slice(0, 5).map((entry) => entry.name);
  const hint = names.length > 0 ? ` Several end like it: ${names.join(', ')}.` : '';
  throw errors.create('FILE_TOOLS_NOT_IN_ARCHIVE', { name, path: subject.shownPath, hint });
}

function inside(subject: Subject, name: string): Subject {
  return name === '' ? subject : { ...subject, shownPath: `${subject.shownPath}:${name}` };
}

/** An entry, or the names in a folder. Folders need no entry of their own. */
function findInside(archive: Archive, given: string): ArchiveEntry | readonly string[] | undefined {
  const name = given.replace(/^(?:\.?\/)+/, '').replace(/\/+$/, '');
  const entry = archive.entries.find((candidate) => candidate.name === name);
  if (entry && entry.kind !== 'folder') return entry;
  const prefix = name === '' ? '' : `${name}/`;
  const children = new Map<string, string>();
  for (const archiveEntry of archive.entries) {
    if (!archiveEntry.name.startsWith(prefix)) continue;
    const [child = '', ...rest] = archiveEntry.name.slice(prefix.length).split('/');
    if (child === '') continue;
    if (rest.length > 0 || archiveEntry.kind === 'folder') children.set(child, `${child}/`);
    else
      children.set(child, archiveEntry.kind === 'link' ? `${child}  link` : `${child}  ${byteText(archiveEntry.size)}`);
  }
  if (children.size === 0 && !entry && name !== '') return undefined;
  return [...children].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line);
}

function isList(found: ArchiveEntry | readonly string[]): found is readonly string[] {
  return Array.isArray(found);
}

async function show(
  reading: Reading,
  subject: Subject,
  archive: Archive,
  found: ArchiveEntry | readonly string[],
): Promise<ToolResult> {
  if (!isList(found)) return readEntry(reading, subject, archive, found);
  const noted = { ...subject, notes: [...(subject.notes ?? []), ...archive.notes] };
  const details = { isDirectory: true };
  if (found.length === 0) return subjectResult(noted, '(empty directory)', { details });
  const limits = found.length > LISTED ? { limits: { resultLimit: LISTED } } : {};
  return listResult(noted, found, LISTED, { details, meta: limits });
}

async function readEntry(
  reading: Reading,
  subject: Subject,
  archive: Archive,
  entry: ArchiveEntry | undefined,
): Promise<ToolResult> {
  if (!entry || entry.kind === 'link') {
    throw errors.create('FILE_TOOLS_NOT_IN_ARCHIVE', {
      name: entry?.name ?? '',
      path: subject.shownPath,
      hint: entry ? ' It is a link, which has no content of its own.' : '',
    });
  }
  const pieces = archive.read(entry, reading.signal)[Symbol.asyncIterator]();
  const held: Buffer[] = [];
  let size = 0;
  const takeUntil = async (bytes: number): Promise<boolean> => {
    while (size < bytes) {
      const { value, done } = await pieces.next();
      if (done === true) return true;
      held.push(value);
      size += value.length;
    }
    return false;
  };
  try {
    await takeUntil(HEAD_BYTES);
    const head = Buffer.concat(held);
    const display = displayOf(kindOf(entry.name, head), subject.selector.raw);
    const isText = display === 'text';
    if (isText && isBinary(head)) {
      throw errors.create('FILE_TOOLS_BINARY', { path: subject.shownPath, size: byteText(entry.size) });
    }
    if (await takeUntil(isText ? MAX_MEMORY_BYTES : MAX_INNER_BYTES)) {
      const bytes = Buffer.concat(held);
      if (display === 'archive') return await archiveView(reading, subject, bytes, '');
      return await presentBytes(reading, subject, bytes, entry);
    }
    if (!isText) throw errors.create('FILE_TOOLS_BINARY', { path: subject.shownPath, size: byteText(entry.size) });
    const rest = { [Symbol.asyncIterator]: () => pieces };
    const all = (async function* () {
      yield* held.splice(0);
      yield* rest;
    })();
    return await streamResultOf(reading, subject, all, { bytes: entry.size, isEditable: false });
  } finally {
    await pieces.return?.();
  }
}

async function unpack(archive: Archive, entry: ArchiveEntry, maxBytes: number, signal: AbortSignal): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of archive.read(entry, signal)) {
    size += piece.length;
    if (size > maxBytes) throw errors.create('FILE_TOOLS_BINARY', { path: entry.name, size: byteText(entry.size) });
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
