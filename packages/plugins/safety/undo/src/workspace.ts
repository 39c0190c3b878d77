/** One workspace: its snapshots, the calls that are running, and the records of those that ran. */
import { createHash } from 'node:crypto';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive, replaceFile, thisProcess, withLock } from '@tenon/state-files';
import { BlobStore } from './blob-store.ts';
import type { Change } from './entry.ts';
import { errors } from './errors.ts';
import { sweepStore } from './expiry.ts';
import { FolderWatch } from './folder-watch.ts';
import { type GitFacts, isSameGit, readGitFacts } from './git-facts.ts';
import { type CallRecord, composed, countsOf, type RecordHead, Records } from './records.ts';
import { type KeepingRules, takeSnapshot, type SnapshotOutcome } from './snapshot.ts';
import { TreeIndex } from './tree-index.ts';

/** How a workspace is kept. */
export interface WorkspaceOptions extends KeepingRules {
  readonly keepDays: number;
}

/** What is known of a call before it runs. */
export type NewCall = Pick<
  RecordHead,
  'kind' | 'tool' | 'title' | 'session' | 'callId' | 'madeFor' | 'only' | 'undoes'
>;

/** A call that runs. */
export interface OpenCall {
  readonly id: number;
  /** Files that were not kept when it began. */
  readonly pending: number;
}

/** How often calls end between two sweeps. */
const SWEEP_EVERY = 16;

/** The folder of a workspace's store. */
export function storeFolder(state: string, root: string): string {
  return join(state, 'undo', createHash('sha256').update(root).digest('hex').slice(0, 24));
}

/** The store of one workspace, shared with other processes by a lock. */
export class Workspace {
  readonly root: string;
  readonly folder: string;
  readonly blobs: BlobStore;
  readonly records: Records;
  readonly #except: readonly string[];
  readonly #options: WorkspaceOptions;
  #index: TreeIndex | undefined;
  /** Tells whether another process wrote the index since. */
  #indexStamp = '';
  #ended = 0;
  readonly #watch: FolderWatch;

  constructor(root: string, folder: string, except: readonly string[], options: WorkspaceOptions) {
    this.root = root;
    this.folder = folder;
    this.blobs = new BlobStore(join(folder, 'objects'));
    this.records = new Records(join(folder, 'records'));
    this.#except = except;
    this.#options = options;
    this.#watch = new FolderWatch(root);
  }

  /** Ends what runs beside calls. */
  close(): void {
    this.#watch.close();
  }

  get indexCopies(): string {
    return join(this.folder, 'git-index');
  }

  /** The index as of the last snapshot. */
  get index(): TreeIndex {
    return this.#index ?? TreeIndex.empty();
  }

  /** Runs with the workspace's lock. */
  async locked<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    return withLock(join(this.folder, 'store'), work, signal ? { signal } : {});
  }

  /** Takes a snapshot and books what changed since the last one to the calls that run. The caller holds the lock. */
  async refresh(deadline?: number): Promise<SnapshotOutcome> {
    const last = await this.#load();
    const place = {
      root: this.root,
      except: this.#except,
      blobs: this.blobs,
      rules: this.#options,
      watch: this.#watch,
    };
    const outcome = await takeSnapshot(place, last, deadline);
    if (outcome.isCut) {
      // Which files a walk that was cut short has seen is chance; nothing can be said about the others.
      const reason = `it has more than ${this.#options.maxFiles} files and folders (\`undo.maxFiles\`)`;
      throw errors.create('UNDO_NO_WORKSPACE', { folder: this.root, reason });
    }
    if (outcome.changes.length > 0) await this.#book(outcome.changes);
    if (outcome.isNew) await this.#save(outcome.index);
    return outcome;
  }

  /** Keeps what the call could change. The caller holds the lock. */
  async begin(call: NewCall, deadline?: number): Promise<OpenCall> {
    await this.closeInterrupted();
    const { pending } = await this.refresh(deadline);
    const git = await readGitFacts(this.root, this.indexCopies);
    const id = await this.records.nextId();
    await this.records.write({
      ...call,
      version: 1,
      id,
      state: 'open',
      at: new Date().toISOString(),
      process: thisProcess(),
      ...countsOf([]),
      ...(git && { git: { before: git } }),
      changes: [],
    });
    return { id, pending };
  }

  /** Writes down what the call changed; a call that changed nothing leaves no record. The caller holds the lock. */
  async end(id: number, deadline?: number): Promise<CallRecord | undefined> {
    await this.refresh(deadline);
    const ended = await this.#close(id, 'done');
    this.#ended += 1;
    if (this.#ended % SWEEP_EVERY === 1) await this.sweep();
    return ended;
  }

  async #close(id: number, state: 'done' | 'interrupted'): Promise<CallRecord | undefined> {
    const record = await this.records.read(id);
    if (record?.state !== 'open') return record;
    const after = record.git && (await readGitFacts(this.root, this.indexCopies));
    const isGitSame = isSameGit(record.git?.before, after);
    if (record.changes.length === 0 && isGitSame) {
      await this.records.remove(id);
      return undefined;
    }
    const { process: _process, git, ...rest } = record;
    const moved: { git?: { before: GitFacts; after?: GitFacts } } =
      git && !isGitSame ? { git: { before: git.before, ...(after && { after }) } } : {};
    const ended: CallRecord = { ...rest, state, ...countsOf(record.changes), ...moved };
    await this.records.write(ended);
    return ended;
  }

  /** Calls whose process ended before they did: what changed until now is theirs, as far as anybody knows. */
  async closeInterrupted(): Promise<void> {
    const open = (await this.records.heads()).filter(({ state }) => state === 'open');
    const dead = open.filter(({ process: mark }) => !mark || !isAlive(mark));
    if (dead.length === 0) return;
    await this.refresh();
    for (const { id } of dead) await this.#close(id, 'interrupted');
  }

  async #book(changes: readonly Change[]): Promise<void> {
    const open = (await this.records.heads()).filter(({ state }) => state === 'open');
    for (const { id, only } of open) {
      // What runs beside an edit, such as a formatter that a hook starts, belongs to it; only another call does not.
      const own = only && open.length > 1 ? changes.filter(({ path }) => concerns(path, only)) : changes;
      const record = own.length > 0 ? await this.records.read(id) : undefined;
      if (!record) continue;
      const shared = open.length > 1 || record.shared === true;
      await this.records.write({ ...record, changes: composed(record.changes, own), ...(shared && { shared }) });
    }
  }

  /** Removes what has expired; `everything` looks at all contents at once. The caller holds the lock. */
  async sweep(everything = false): Promise<void> {
    const bytes = await sweepStore(this, this.#options, everything || this.index.storedBytes > this.#options.maxBytes);
    if (bytes !== undefined) {
      this.#index = this.index.withStoredBytes(bytes);
      await this.#save(this.#index);
    }
  }

  async #load(): Promise<TreeIndex> {
    const stamp = await this.#stamp();
    if (this.#index && stamp === this.#indexStamp) return this.#index;
    this.blobs.forget();
    const content = await readFile(this.#indexFile).catch(() => undefined);
    // The watch tells what happened since this process looked, and the index is another's.
    this.#watch.close();
    this.#index = (content && TreeIndex.fromBuffer(content)) ?? TreeIndex.empty();
    this.#indexStamp = stamp;
    if (!content) await this.#describe();
    return this.#index;
  }

  async #save(index: TreeIndex): Promise<void> {
    this.#index = index;
    // Not flushed: after a power failure everything is read again, which costs time and loses nothing.
    await replaceFile(this.#indexFile, index.toBuffer(), { flush: false, followLinks: false });
    this.#indexStamp = await this.#stamp();
  }

  /** Says which folder the store is of, for `tenon undo` in a folder below it. */
  async #describe(): Promise<void> {
    await writeFile(join(this.folder, 'workspace.json'), `${JSON.stringify({ root: this.root })}\n`, { mode: 0o600 });
  }

  get #indexFile(): string {
    return join(this.folder, 'index');
  }

  async #stamp(): Promise<string> {
    const found = await stat(this.#indexFile, { bigint: true }).catch(() => undefined);
    return found ? [found.ino, found.size, found.mtimeNs, found.ctimeNs].join(' ') : '';
  }
}

/** Whether a path is one of those that a call declared, lies below one, or is a folder on the way to one. */
function concerns(path: string, only: readonly string[]): boolean {
  return only.some((own) => path === own || path.startsWith(`${own}/`) || own.startsWith(`${path}/`));
}
