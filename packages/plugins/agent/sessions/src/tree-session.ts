import { randomName } from '@tenon/host';
import type { SessionsSettings } from './generated/settings.ts';
import type { Artifacts } from './artifacts.ts';
import type { Session } from './api.ts';
import type { Backend } from './backend.ts';
import { type BranchStep, buildContext } from './context.ts';
import type { EntryBodies, EntryPlace, EntryType, SessionContext, SessionEntry, SessionHeader } from './entries.ts';
import type { EntryTree, TreeNode } from './entry-tree.ts';
import { errors } from './errors.ts';

/** When entries are forced to the disk. */
export type FsyncPolicy = SessionsSettings['fsync'];

/** What a session is made of. */
export interface SessionParts {
  readonly header: SessionHeader;
  readonly tree: EntryTree;
  readonly leafId: string | null;
  readonly repairs: readonly string[];
  /** Made when the first message comes: a session in which nothing was said leaves no file. */
  readonly backend: Backend | ((header: SessionHeader) => Promise<Backend>);
  readonly file: string | undefined;
  readonly artifacts: Artifacts;
  readonly fsync: FsyncPolicy;
  /** Changes an entry on its way to the disk. */
  persist(entry: SessionEntry): Promise<SessionEntry>;
}

/** An open session over any backend. */
export class TreeSession implements Session {
  readonly file: string | undefined;
  #header: SessionHeader;
  #leafId: string | null;
  readonly #tree: EntryTree;
  readonly #parts: SessionParts;
  readonly #labels = new Map<string, string>();
  /** Entries that wait for the first message. */
  #waiting: SessionEntry[] = [];
  #backend: Backend | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #failure: unknown;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#header = parts.header;
    this.#tree = parts.tree;
    this.#leafId = parts.leafId;
    this.file = parts.file;
    if (typeof parts.backend !== 'function') this.#backend = parts.backend;
    for (const node of this.#tree.nodes()) if (node.type === 'label') this.#applyLabel(this.#read(node));
  }

  get id(): string {
    return this.#header.id;
  }

  get header(): SessionHeader {
    return this.#header;
  }

  get repairs(): readonly string[] {
    return [...this.#parts.repairs, ...(this.#backend?.problems ?? [])];
  }

  get leafId(): string | null {
    return this.#leafId;
  }

  #read(node: TreeNode, keep = true): SessionEntry | undefined {
    return this.#waiting.find(({ id }) => id === node.id) ?? this.#backend?.read(node, keep);
  }

  entry(id: string): SessionEntry | undefined {
    const node = this.#tree.get(id);
    return node && this.#read(node);
  }

  *entries(): Iterable<SessionEntry> {
    for (const node of this.#tree.nodes()) {
      const entry = this.#read(node, false);
      if (entry) yield entry;
    }
  }

  branch(fromId: string | null = this.#leafId): readonly SessionEntry[] {
    return fromId === null ? [] : this.#tree.path(fromId).flatMap((node) => this.#read(node) ?? []);
  }

  *walk(fromId: string | null = this.#leafId): Iterable<SessionEntry> {
    const path = fromId === null ? [] : this.#tree.path(fromId);
    for (let node = path.pop(); node; node = path.pop()) {
      const entry = this.#read(node, false);
      if (entry) yield entry;
    }
  }

  path(fromId: string | null = this.#leafId): readonly EntryPlace[] {
    return fromId === null ? [] : this.#tree.path(fromId).map(({ id, type, parentId }) => ({ id, type, parentId }));
  }

  children(id: string | null): readonly SessionEntry[] {
    return this.#tree.children(id).flatMap((node) => this.#read(node) ?? []);
  }

  labels(): ReadonlyMap<string, string> {
    return this.#labels;
  }

  context(leafId: string | null = this.#leafId): SessionContext {
    const path = leafId === null ? [] : this.#tree.path(leafId);
    return buildContext(
      path.map((node): BranchStep => ({ id: node.id, type: node.type, read: () => this.#read(node) })),
    );
  }

  append<T extends EntryType>(type: T, body: EntryBodies[T]): Promise<string> {
    const id = this.#freshId();
    const timestamp = new Date().toISOString();
    // Place in the tree and leaf are fixed now; the writing happens in the order of the calls.
    const entry = { type, id, parentId: this.#leafId, timestamp, ...body } as unknown as SessionEntry;
    this.#tree.add({ type, id, parentId: this.#leafId, offset: -1, length: 0 });
    this.#waiting.push(entry);
    this.#leafId = id;
    if (entry.type === 'label') this.#applyLabel(entry);
    const written = this.#queue.then(() => this.#write(entry));
    this.#queue = written.catch(() => undefined); // The failure is kept and told to every later caller.
    return written.then(() => id);
  }

  async #write(entry: SessionEntry): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      if (!this.#backend) {
        const speaks = entry.type === 'message' || entry.type === 'custom_message';
        if (!speaks || typeof this.#parts.backend !== 'function') return;
        this.#backend = await this.#parts.backend(this.#header);
      }
      for (const waiting of [...this.#waiting]) {
        await this.#writeOne(this.#backend, waiting);
        if (waiting === entry) break;
      }
      if (this.#parts.fsync === 'always') await this.#backend.sync();
    } catch (fault) {
      this.#failure = fault;
      throw fault;
    }
  }

  async #writeOne(backend: Backend, entry: SessionEntry): Promise<void> {
    const masked = await this.#parts.persist(entry);
    const place = await backend.append({ ...masked, id: entry.id, parentId: entry.parentId } as SessionEntry);
    this.#tree.place(entry.id, place);
    this.#waiting = this.#waiting.filter((other) => other !== entry);
  }

  #applyLabel(entry: SessionEntry | undefined): void {
    if (entry?.type !== 'label') return;
    if (entry.label === undefined) this.#labels.delete(entry.targetId);
    else this.#labels.set(entry.targetId, entry.label);
  }

  #freshId(): string {
    for (;;) {
      const id = randomName(4);
      if (!this.#tree.get(id)) return id;
    }
  }

  moveTo(entryId: string | null): void {
    if (entryId !== null && !this.#tree.get(entryId)) {
      throw errors.create('SESSION_ENTRY_UNKNOWN', { session: this.id, entry: entryId });
    }
    this.#leafId = entryId;
  }

  async setTitle(title: string, source: 'auto' | 'user'): Promise<void> {
    this.#header = { ...this.#header, title, titleSource: source };
    const header = this.#header;
    const written = this.#queue.then(() => this.#backend?.writeHeader(header));
    this.#queue = written.catch(() => undefined); // told to the caller below
    await written;
  }

  putArtifact(name: string, content: string | Uint8Array): Promise<string> {
    return this.#parts.artifacts.put(name, content);
  }

  artifactPath(id: string): Promise<string | undefined> {
    return this.#parts.artifacts.path(id);
  }

  async flush(): Promise<void> {
    await this.#queue;
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#parts.fsync !== 'never') await this.#backend?.sync();
  }

  async close(): Promise<void> {
    await this.#queue;
    await this.#backend?.close();
  }
}
