/** How discoverers read: bounded, as UTF-8, never following what is no regular file, and remembered while nothing changes. */
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { service, type TenonError } from '@tenon/kernel';
import type { Document, DocumentCache } from './document-cache.ts';
import { errors } from './errors.ts';
import type { DataFormat, ParsedText } from './formats.ts';
import type { LinkGuard } from './links.ts';
import { type ProjectFolders, projectFolders } from './project-folders.ts';
import { look, reasonOf, type Stamp } from './stamps.ts';

/** What people write. */
export const TEXT_LIMIT = 1024 * 1024;
/** What tools write for themselves, such as `~/.claude.json`. */
export const STATE_LIMIT = 8 * 1024 * 1024;
const ENTRY_LIMIT = 5_000;
const WALK_COUNTS_MS = 500;

/** A thing that was read, or why it was not; neither when it is not there. */
export interface Reading<T> {
  readonly value?: T;
  readonly problem?: TenonError;
  /** The same for two paths that lead to the same file. */
  readonly identity?: string;
}

/** One entry of a folder. */
export interface FolderEntry {
  readonly name: string;
  readonly path: string;
  /** What it is, where that is known without looking at it: links are not followed yet. */
  readonly type?: 'file' | 'folder';
}

/** Reads the files of sources. */
export interface SourceFiles {
  look(path: string): { readonly stamp?: Stamp; readonly problem?: TenonError };
  /** The entries of a folder, sorted by name. */
  list(folder: string): Promise<Reading<readonly FolderEntry[]>>;
  text(path: string, limit?: number): Promise<Reading<string>>;
  /** Markdown with frontmatter. `head` leaves the body out, for those who do not need it yet. */
  markdown(path: string, part?: 'whole' | 'head'): Promise<Reading<Document>>;
  data(path: string, format: DataFormat, limit?: number): Promise<Reading<unknown>>;
  /** The folders of a project. */
  project(cwd: string, home: string): ProjectFolders;
  /** Why a path of the project with this root is not followed; undefined where it may be. */
  linkProblem(path: string, root: string): Promise<TenonError | undefined>;
}

/** Reads the files of sources, for the plugins of families. */
export const sourceFiles = service<SourceFiles>('source-files');

interface Remembered {
  readonly version: string;
  readonly reading: Reading<unknown>;
}

/** Makes the reader that all families share. */
export function createSourceFiles(cache: DocumentCache, linkProblem: LinkGuard): SourceFiles {
  const memory = new Map<string, Remembered>();
  let walked: { readonly key: string; readonly at: number; readonly project: ProjectFolders } | undefined;

  /** Gives what is remembered about a path while its version stays, and reads it anew otherwise. */
  async function remembered<T>(
    way: string,
    path: string,
    type: 'file' | 'folder',
    read: (stamp: Stamp) => Reading<T> | Promise<Reading<T>>,
  ): Promise<Reading<T>> {
    const { stamp, problem } = look(path);
    if (problem) return { problem };
    if (!stamp) return {};
    // A sandbox holds the names of files that must not come into being with empty folders: nothing is there.
    if (type === 'file' && stamp.type === 'folder' && isEmpty(path)) return {};
    if (stamp.type !== type) {
      const code = type === 'file' ? 'DISCOVERY_NOT_A_FILE' : 'DISCOVERY_NOT_A_FOLDER';
      return { problem: errors.create(code, { file: path }) };
    }
    const key = `${way} ${path}`;
    const entry = memory.get(key);
    if (entry?.version === stamp.version) return entry.reading as Reading<T>;
    const reading = { ...(await read(stamp)), identity: stamp.identity };
    memory.set(key, { version: stamp.version, reading });
    return reading;
  }

  const text = (path: string, limit = TEXT_LIMIT): Promise<Reading<string>> =>
    remembered('text', path, 'file', (stamp) => readText(path, stamp, limit));

  return {
    look,
    text,
    linkProblem,
    project(cwd, home) {
      // Every family asks for every kind, one right after the other.
      const key = `${home}\n${cwd}`;
      if (walked?.key !== key || Date.now() - walked.at > WALK_COUNTS_MS)
        walked = { key, at: Date.now(), project: projectFolders(cwd, home) };
      return walked.project;
    },
    list: (folder) => remembered('list', folder, 'folder', () => readFolder(folder)),
    markdown: (path, part = 'whole') =>
      remembered(`markdown ${part}`, path, 'file', async (stamp) => {
        const key = `${part} ${path}`;
        const cached = cache.get(key, stamp.version);
        const read: Reading<Document> = cached ? { value: cached } : await readMarkdown(path, stamp, part);
        const { value } = read;
        if (!value) return read;
        if (!cached) cache.set(key, stamp.version, stamp.changedAt, value);
        const { problem: reason } = value;
        return reason === undefined
          ? { value }
          : { value, problem: errors.create('DISCOVERY_FRONTMATTER', { file: path, reason }) };
      }),
    data: (path, format, limit = TEXT_LIMIT) =>
      remembered(`data ${format}`, path, 'file', async (stamp) => {
        const read = readText(path, stamp, limit);
        if (read.value === undefined) return { ...(read.problem && { problem: read.problem }) };
        const parsed = await parseData(read.value, format);
        if ('value' in parsed) return parsed;
        return { problem: errors.create('DISCOVERY_SYNTAX', { file: path, reason: parsed.problem }) };
      }),
  };
}

function isEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch {
    return false; // It cannot be listed, and whoever reads it says why.
  }
}

/** Most JSON has no comments, and then no library is needed. */
async function parseData(text: string, format: DataFormat): Promise<ParsedText> {
  if (format === 'json') {
    try {
      return { value: JSON.parse(text) as unknown };
    } catch {
      // Comments, trailing commas, or damage: the lenient reader knows.
    }
  }
  return (await import('./formats.ts')).parseText(text, format);
}

async function readMarkdown(path: string, stamp: Stamp, part: 'whole' | 'head'): Promise<Reading<Document>> {
  const { value: text, problem } = readText(path, stamp, TEXT_LIMIT);
  if (text === undefined) return problem ? { problem } : {};
  if (!/^\uFEFF?---/.test(text)) return { value: { data: {}, body: part === 'head' ? '' : text.trim() } };
  const { splitFrontmatter } = await import('./frontmatter.ts');
  const document = splitFrontmatter(text);
  return { value: part === 'head' ? { ...document, body: '' } : document };
}

function readFolder(folder: string): Reading<readonly FolderEntry[]> {
  let names: FolderEntry[];
  try {
    names = readdirSync(folder, { withFileTypes: true }).map((entry) => ({
      name: entry.name,
      path: join(folder, entry.name),
      ...(entry.isDirectory() ? { type: 'folder' } : entry.isFile() ? { type: 'file' } : {}),
    }));
  } catch (fault) {
    return { problem: errors.create('DISCOVERY_UNREADABLE', { file: folder, reason: reasonOf(fault) }, fault) };
  }
  const value = names.sort((a, b) => (a.name < b.name ? -1 : 1)).slice(0, ENTRY_LIMIT);
  if (names.length <= ENTRY_LIMIT) return { value };
  return { value, problem: errors.create('DISCOVERY_TOO_MANY', { file: folder, limit: ENTRY_LIMIT }) };
}

function readText(path: string, { size }: Stamp, limit: number): Reading<string> {
  const tooLarge = (bytes: number) => errors.create('DISCOVERY_TOO_LARGE', { file: path, size: bytes, limit });
  if (size > limit) return { problem: tooLarge(size) };
  let bytes: Buffer;
  try {
    bytes = readBytes(path, limit + 1);
  } catch (fault) {
    return { problem: errors.create('DISCOVERY_UNREADABLE', { file: path, reason: reasonOf(fault) }, fault) };
  }
  // It may have grown since, or be one of those files whose size is not known.
  if (bytes.length > limit) return { problem: tooLarge(bytes.length) };
  try {
    return { value: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch (fault) {
    return { problem: errors.create('DISCOVERY_NOT_TEXT', { file: path }, fault) };
  }
}

/**
 * Reads at most `limit` bytes, synchronously for the same reason as `look`. Does not wait for a writer where a pipe took the
 * file's place.
 */
function readBytes(path: string, limit: number): Buffer {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const { size } = fstatSync(file);
    const chunks: Buffer[] = [];
    for (let total = 0; total < limit;) {
      const room = Math.min(limit - total, Math.max(size - total + 1, 4096));
      const chunk = Buffer.allocUnsafe(room);
      const length = readSync(file, chunk, 0, room, null);
      if (length === 0) break;
      chunks.push(chunk.subarray(0, length));
      total += length;
    }
    return Buffer.concat(chunks);
  } finally {
    closeSync(file);
  }
}
