import type { Stats } from 'node:fs';
import { cp, readdir, rm, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { randomName } from '@tenon/host';
import { messageOf } from '@tenon/kernel';
import { Artifacts } from './artifacts.ts';
import type { NewSession, Session, SessionStore, SessionSummary } from './api.ts';
import { type Backend, FileBackend, MemoryBackend } from './backend.ts';
import { BlobStore } from './blobs.ts';
import { leaveBreadcrumb, readBreadcrumb, terminalId } from './breadcrumb.ts';
import { prunedIn, SESSION_VERSION, type SessionEntry, type SessionHeader } from './entries.ts';
import { EntryTree } from './entry-tree.ts';
import { errors } from './errors.ts';
import { folderFor, listSessions } from './listing.ts';
import { loadFile } from './load.ts';
import { type FsyncPolicy, TreeSession } from './tree-session.ts';

/** Where sessions are kept and how. */
export interface StoreOptions {
  /** Holds `sessions` and `blobs`. */
  readonly dataFolder: string;
  /** Holds `terminals`. */
  readonly stateFolder: string;
  readonly fsync: FsyncPolicy;
  persist(session: string, entry: SessionEntry): Promise<SessionEntry>;
}

/** Sessions in files. */
export class FileSessionStore implements SessionStore {
  readonly #options: StoreOptions;
  readonly #sessions: string;
  readonly #blobs: BlobStore;

  constructor(options: StoreOptions) {
    this.#options = options;
    this.#sessions = join(options.dataFolder, 'sessions');
    this.#blobs = new BlobStore(join(options.dataFolder, 'blobs'));
  }

  get #terminals(): string {
    return join(this.#options.stateFolder, 'terminals');
  }

  async create(options: NewSession): Promise<Session> {
    const header = newHeader(options);
    const file = options.file ?? this.#fileFor(header);
    return this.#begin(header, file, { makeFolder: true, isPart: options.file !== undefined });
  }

  #begin(header: SessionHeader, file: string, options: { makeFolder: boolean; isPart?: boolean }): Session {
    const backend = async (current: SessionHeader) => {
      const made = await FileBackend.create(file, this.#blobs, current, options);
      if (!options.isPart) await this.#note(current.cwd, file);
      return made;
    };
    return this.#session({ header, file, backend, tree: new EntryTree(), leafId: null, repairs: [] });
  }

  async openOrCreate(idOrFile: string, { cwd }: { cwd: string }): Promise<Session> {
    if (!isPath(idOrFile)) return this.open(idOrFile);
    const file = resolve(cwd, idOrFile);
    const stats = await statsOf(file);
    if (stats && (stats.size > 0 || stats.isDirectory())) return this.open(file);
    if (!file.endsWith('.jsonl')) throw errors.create('SESSION_FILE_NAME', { file: idOrFile });
    // A folder that is not there is more likely a slip than a wish.
    if (!(await statsOf(dirname(file)))?.isDirectory()) throw errors.create('SESSION_NO_FOLDER', { file: idOrFile });
    return this.#begin(newHeader({ cwd }), file, { makeFolder: false });
  }

  inMemory(options: { cwd: string; parentSession?: string }): Session {
    const artifacts = new Artifacts(join(this.#options.stateFolder, 'artifacts', randomName(8)));
    const parts = { header: newHeader(options), tree: new EntryTree(), leafId: null, repairs: [], file: undefined };
    return new TreeSession({
      ...parts,
      backend: new MemoryBackend(),
      artifacts,
      fsync: 'never',
      persist: (entry) => Promise.resolve(entry),
    });
  }

  async open(idOrFile: string, options: { readOnly?: boolean } = {}): Promise<Session> {
    const writable = !options.readOnly;
    const loaded = await loadFile(await this.#find(idOrFile), { repair: writable, cwd: process.cwd() });
    const { file, header } = loaded;
    const backend = await FileBackend.open(file, this.#blobs, loaded.scan, writable);
    try {
      if (writable) await this.#note(header.cwd, file);
      return this.#session({ ...loaded, backend });
    } catch (fault) {
      await backend.close();
      throw fault;
    }
  }

  #session(parts: {
    header: SessionHeader;
    file: string;
    backend: Backend | ((header: SessionHeader) => Promise<Backend>);
    tree: EntryTree;
    leafId: string | null;
    repairs: readonly string[];
  }): Session {
    const { fsync, persist } = this.#options;
    const artifacts = new Artifacts(parts.file.replace(/\.jsonl$/, ''));
    const { header, file, backend, tree, leafId, repairs } = parts;
    return new TreeSession({
      header,
      file,
      backend,
      tree,
      leafId,
      repairs,
      artifacts,
      fsync,
      persist: (entry) => persist(header.id, entry),
    });
  }

  #fileFor({ id, cwd, timestamp }: SessionHeader): string {
    return join(folderFor(this.#sessions, cwd), `${timestamp.replace(/[:.]/g, '-')}_${id}.jsonl`);
  }

  async #note(cwd: string, file: string): Promise<void> {
    const terminal = terminalId();
    if (terminal === undefined) return;
    // Where this cannot be written, `--continue` takes the newest session of the folder: no reason to keep nothing at all.
    await leaveBreadcrumb(this.#terminals, terminal, cwd, file).catch(() => undefined);
  }

  async #find(idOrFile: string): Promise<string> {
    if (idOrFile.trim() === '') throw errors.create('SESSION_ID_EMPTY');
    if (isPath(idOrFile)) return resolve(idOrFile);
    const matches = (await this.list()).filter(({ id }) => id.startsWith(idOrFile));
    const exact = matches.find(({ id }) => id === idOrFile);
    const [only, second] = exact ? [exact] : matches;
    if (!only) throw errors.create('SESSION_NOT_FOUND', { session: idOrFile });
    if (second) throw errors.create('SESSION_AMBIGUOUS', { session: idOrFile, matches: matches.map(({ id }) => id) });
    return only.file;
  }

  async continueRecent(cwd: string): Promise<Session | undefined> {
    const terminal = terminalId();
    const noted = terminal === undefined ? undefined : await readBreadcrumb(this.#terminals, terminal, cwd);
    const candidates = await listSessions([folderFor(this.#sessions, cwd)]);
    const wanted = candidates.find(({ file }) => file === noted) ?? candidates[0];
    return wanted && this.open(wanted.file);
  }

  async fork(session: Session, options: { entryId?: string; cwd?: string } = {}): Promise<Session> {
    await session.flush();
    const parentSession = session.file ?? session.id;
    const copy = await this.create({ cwd: options.cwd ?? session.header.cwd, parentSession });
    const source = options.entryId === undefined ? session.entries() : copyablePath(session, options.entryId);
    // Ids are made anew, so references between entries have to follow.
    const renamed = new Map<string, string>();
    for (const entry of source) {
      const { type, id, parentId, timestamp: _written, ...body } = entry;
      copy.moveTo(parentId === null ? null : (renamed.get(parentId) ?? null));
      renamed.set(id, await copy.append(type, rewritten(body, renamed) as never));
    }
    const leaf = options.entryId ?? session.leafId;
    copy.moveTo(leaf === null ? null : (renamed.get(leaf) ?? null));
    await relabel(session, copy, renamed, options.entryId !== undefined);
    if (session.header.title) await copy.setTitle(session.header.title, session.header.titleSource ?? 'auto');
    if (session.file && copy.file)
      await copyFolder(session.file.replace(/\.jsonl$/, ''), copy.file.replace(/\.jsonl$/, ''));
    await copy.flush();
    return copy;
  }

  async list(options: { cwd?: string; limit?: number } = {}): Promise<readonly SessionSummary[]> {
    const folders = options.cwd === undefined ? await this.#allFolders() : [folderFor(this.#sessions, options.cwd)];
    return listSessions(folders, options.limit);
  }

  async #allFolders(): Promise<string[]> {
    const names = await readdir(this.#sessions).catch((fault: NodeJS.ErrnoException) => {
      if (fault.code === 'ENOENT') return [];
      throw fault;
    });
    return names.map((name) => join(this.#sessions, name));
  }

  async remove(idOrFile: string): Promise<void> {
    const file = await this.#find(idOrFile);
    await rm(file);
    await rm(file.replace(/\.jsonl$/, ''), { recursive: true, force: true });
  }
}

function isPath(idOrFile: string): boolean {
  return isAbsolute(idOrFile) || idOrFile.includes('/') || idOrFile.endsWith('.jsonl');
}

async function statsOf(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (fault) {
    if (['ENOENT', 'ENOTDIR'].includes((fault as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw errors.create('SESSION_UNREADABLE', { file: path, reason: messageOf(fault) }, fault);
  }
}

function newHeader(options: Omit<NewSession, 'file'>): SessionHeader {
  const { cwd, parentSession, id = randomName(8) } = options;
  const timestamp = new Date().toISOString();
  return {
    type: 'session',
    version: SESSION_VERSION,
    id,
    timestamp,
    cwd,
    ...(parentSession !== undefined && { parentSession }),
  };
}

/** The branch that ends at an entry, without its labels: they are set anew on the copies. */
function copyablePath(session: Session, entryId: string): SessionEntry[] {
  if (!session.entry(entryId)) throw errors.create('SESSION_ENTRY_UNKNOWN', { session: session.id, entry: entryId });
  const path: SessionEntry[] = [];
  let parentId: string | null = null;
  for (const entry of session.branch(entryId)) {
    if (entry.type === 'label') continue;
    path.push({ ...entry, parentId } as SessionEntry);
    parentId = entry.id;
  }
  return path;
}

function rewritten(body: Record<string, unknown>, renamed: ReadonlyMap<string, string>): Record<string, unknown> {
  const copy = { ...body };
  for (const key of ['firstKeptEntryId', 'fromId', 'targetId']) {
    const id = copy[key];
    if (typeof id === 'string') copy[key] = renamed.get(id) ?? id;
  }
  const pruned = prunedIn({ type: 'custom', ...body } as SessionEntry);
  if (pruned.length > 0) {
    const results = pruned.map(({ entryId, tokens }) => ({ entryId: renamed.get(entryId) ?? entryId, tokens }));
    copy['data'] = { results };
  }
  return copy;
}

async function relabel(
  from: Session,
  to: Session,
  renamed: ReadonlyMap<string, string>,
  wanted: boolean,
): Promise<void> {
  if (!wanted) return;
  for (const [id, label] of from.labels()) {
    const targetId = renamed.get(id);
    if (targetId !== undefined) await to.append('label', { targetId, label });
  }
}

async function copyFolder(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true }).catch((fault: NodeJS.ErrnoException) => {
    if (fault.code !== 'ENOENT') throw fault;
  });
}
