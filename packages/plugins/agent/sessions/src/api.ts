import { hook, service } from '@tenon/kernel';
import type { EntryBodies, EntryPlace, EntryType, SessionContext, SessionEntry, SessionHeader } from './entries.ts';

export * from './entries.ts';

/** An open session: an append-only tree and a leaf. Every method that writes resolves when the entry is on disk. */
export interface Session {
  readonly id: string;
  /** Undefined for sessions in memory. */
  readonly file: string | undefined;
  readonly header: SessionHeader;
  /** What was wrong with the file and what was done about it; empty for a sound one. What is missing shows when it is read. */
  readonly repairs: readonly string[];
  readonly leafId: string | null;
  entry(id: string): SessionEntry | undefined;
  /** All entries, in the order in which they were appended. */
  entries(): Iterable<SessionEntry>;
  /** The active branch, root first. All of it is read: for a look at its end `walk` is enough. */
  branch(fromId?: string): readonly SessionEntry[];
  /** The same branch, newest first, read as it is asked for: what was looked at need not stay in memory. */
  walk(fromId?: string | null): Iterable<SessionEntry>;
  /** The places on that branch, root first, without reading what the entries hold. */
  path(fromId?: string | null): readonly EntryPlace[];
  children(id: string | null): readonly SessionEntry[];
  labels(): ReadonlyMap<string, string>;
  context(leafId?: string | null): SessionContext;
  append<T extends EntryType>(type: T, body: EntryBodies[T]): Promise<string>;
  /** Moves the leaf; the next append starts a branch there. `null` starts a new root. */
  moveTo(entryId: string | null): void;
  setTitle(title: string, source: 'auto' | 'user'): Promise<void>;
  /** Puts bytes that do not belong into the file beside it; gives an `artifact://` id. */
  putArtifact(name: string, content: string | Uint8Array): Promise<string>;
  artifactPath(id: string): Promise<string | undefined>;
  /** Waits until everything is on disk, fsynced. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** Makes empty artifacts of a session, for output that is written piece by piece. */
export function artifactMaker(session: Session): (name: string) => Promise<{ id: string; path: string }> {
  return async (name) => {
    const id = await session.putArtifact(name, '');
    return { id, path: (await session.artifactPath(id)) ?? '' };
  };
}

/** What a listing shows; read from the head of each file. */
export interface SessionSummary {
  readonly id: string;
  readonly file: string;
  readonly cwd: string;
  readonly title: string | undefined;
  /** What the user said first; in a session that was handed over, what it begins with as long as the user has said nothing. */
  readonly firstPrompt: string | undefined;
  readonly created: string;
  readonly modified: string;
  readonly bytes: number;
  readonly parentSession?: string;
}

/** A session that is about to begin. */
export interface NewSession {
  readonly cwd: string;
  readonly parentSession?: string;
  readonly id?: string;
  /** Where it is kept, when it is part of another session: it is neither listed nor the one that `--continue` goes on with. */
  readonly file?: string;
}

/** Keeps sessions on disk. */
export interface SessionStore {
  create(options: NewSession): Promise<Session>;
  /** A session without a file. */
  inMemory(options: { readonly cwd: string; readonly parentSession?: string }): Session;
  /** Opens a file or an id (or its unique prefix). A damaged file is read as far as it can be, and repaired beside the original. Read-only opens what another process writes. */
  open(idOrFile: string, options?: { readonly readOnly?: boolean }): Promise<Session>;
  /** Opens a session file, or an id. A file that ends in `.jsonl` and is missing or empty gets a new session. */
  openOrCreate(idOrFile: string, options: { readonly cwd: string }): Promise<Session>;
  /** The session that this terminal used last in this folder, else the newest one of the folder. */
  continueRecent(cwd: string): Promise<Session | undefined>;
  /** A copy with its own file and artifacts, up to `entryId` if given. */
  fork(session: Session, options?: { readonly entryId?: string; readonly cwd?: string }): Promise<Session>;
  list(options?: { readonly cwd?: string; readonly limit?: number }): Promise<readonly SessionSummary[]>;
  remove(idOrFile: string): Promise<void>;
}

/** The session store. */
export const sessionStore = service<SessionStore>('session-store');

/** A prompt that the user typed, where and when. */
export interface RememberedPrompt {
  readonly prompt: string;
  readonly cwd: string;
  readonly at: string;
}

/** Prompts that the user typed, for recall and search; the newest first. */
export interface PromptHistory {
  /** Remembers a prompt, with its secrets masked. Does nothing when the setting `sessions.history` is off. */
  add(prompt: string, cwd: string): Promise<void>;
  recent(limit: number, cwd?: string): Promise<readonly string[]>;
  /** Those that hold all these words, or words that begin so; all of them without words. */
  search(words: string, limit: number, cwd?: string): Promise<readonly RememberedPrompt[]>;
  /** Forgets everything; gives how many prompts that were. */
  clear(): Promise<number>;
}

/** The prompt history. */
export const promptHistory = service<PromptHistory>('prompt-history');

/** May change what is about to be written: secrets are masked here. */
export const sessionPersist = hook<'reduce', { readonly session: string; readonly entry: SessionEntry }>(
  'session.persist',
  'reduce',
  { strict: true },
);
