/**
 * What calls changed, one file per call: a line about the call, and a line with the paths. The file is replaced in one step and
 * flushed, after the contents that it names are in the store.
 */
import { open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ProcessMark, replaceFile } from '@tenon/state-files';
import { type Change, isSame } from './entry.ts';
import type { GitFacts } from './git-facts.ts';

/** A call of another session that a call was made for. */
export interface MadeFor {
  readonly session: string;
  readonly callId?: string;
}

/** What is known about a call. */
export interface RecordHead {
  readonly version: 1;
  /** Counts up within a workspace, whatever the clock does. */
  readonly id: number;
  readonly kind: 'call' | 'undo' | 'redo';
  /** `open` while the call runs; `interrupted` when its process ended before the call did. */
  readonly state: 'open' | 'done' | 'interrupted';
  readonly tool: string;
  /** One line that says what the call does. */
  readonly title: string;
  readonly session?: string;
  readonly callId?: string;
  /** For a call of a subagent: the calls that it was made for, up to that of the session that a person talks to. */
  readonly madeFor?: readonly MadeFor[];
  /** ISO 8601. */
  readonly at: string;
  /** The process that runs the call. */
  readonly process?: ProcessMark;
  /** Byte paths that the call declared as all that it changes. */
  readonly only?: readonly string[];
  /** True when another call ran at the same time, so that changes may be its. */
  readonly shared?: boolean;
  /** The calls that this one took back. */
  readonly undoes?: readonly number[];
  readonly counts: { readonly created: number; readonly changed: number; readonly deleted: number };
  /** Files that were there before and are not kept. */
  readonly notKept: number;
  readonly git?: { readonly before: GitFacts; readonly after?: GitFacts };
}

/** A call with the paths that it changed. */
export interface CallRecord extends RecordHead {
  readonly changes: readonly Change[];
}

const CHUNK = 16 * 1024;
const FILE = /^(\d{9})\.json$/;

/** The records of one workspace. The caller holds its lock when it writes. */
export class Records {
  readonly #folder: string;
  /** Heads of calls that ended; they do not change any more. */
  readonly #ended = new Map<number, RecordHead>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  #file(id: number): string {
    return join(this.#folder, `${String(id).padStart(9, '0')}.json`);
  }

  /** The ids, oldest first. */
  async ids(): Promise<number[]> {
    const names = await readdir(this.#folder).catch((fault: NodeJS.ErrnoException) => {
      if (fault.code === 'ENOENT') return [];
      throw fault;
    });
    return names
      .flatMap((name) => FILE.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => a - b);
  }

  async nextId(): Promise<number> {
    return ((await this.ids()).at(-1) ?? 0) + 1;
  }

  async write(record: CallRecord): Promise<void> {
    const { changes, ...head } = record;
    const text = `${JSON.stringify(head)}\n${JSON.stringify(changes)}\n`;
    await replaceFile(this.#file(record.id), text, { followLinks: false });
  }

  /** Undefined when it is not there, or cannot be read: whoever damaged it must not make undo do something else. */
  async read(id: number): Promise<CallRecord | undefined> {
    const text = await this.#text(id);
    const [head, changes] = text?.split('\n') ?? [];
    const parsed = parse<RecordHead>(head);
    const list = parse<Change[]>(changes);
    return parsed && list && parsed.id === id ? { ...parsed, changes: list } : undefined;
  }

  /** The heads of all records, oldest first. */
  async heads(): Promise<RecordHead[]> {
    const heads: RecordHead[] = [];
    for (const id of await this.ids()) {
      const head = this.#ended.get(id) ?? parse<RecordHead>(await this.#firstLine(id));
      if (head?.id !== id) continue;
      heads.push(head);
      if (head.state !== 'open') this.#ended.set(id, head);
    }
    return heads;
  }

  async remove(id: number): Promise<void> {
    await rm(this.#file(id), { force: true });
  }

  /** A record can have a hundred thousand paths; a list needs none of them. */
  async #firstLine(id: number): Promise<string | undefined> {
    const handle = await open(this.#file(id), 'r').catch((fault: NodeJS.ErrnoException) => {
      if (fault.code === 'ENOENT') return undefined;
      throw fault;
    });
    if (!handle) return undefined;
    try {
      const pieces: Buffer[] = [];
      for (let at = 0; ; at += CHUNK) {
        const { buffer, bytesRead } = await handle.read(Buffer.alloc(CHUNK), 0, CHUNK, at);
        const end = buffer.subarray(0, bytesRead).indexOf(10);
        pieces.push(buffer.subarray(0, end < 0 ? bytesRead : end));
        if (end >= 0 || bytesRead < CHUNK) return Buffer.concat(pieces).toString('utf8');
      }
    } finally {
      await handle.close();
    }
  }

  async #text(id: number): Promise<string | undefined> {
    try {
      return await readFile(this.#file(id), 'utf8');
    } catch (fault) {
      if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw fault;
    }
  }
}

function parse<T>(text: string | undefined): T | undefined {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as T);
  } catch {
    return undefined; // Damaged: it is not offered, and expires like the others.
  }
}

/** What a call changed in all: the first state before, the last state after. */
export function composed(earlier: readonly Change[], later: readonly Change[]): Change[] {
  const all = new Map<string, Change>(earlier.map((change) => [change.path, change]));
  for (const change of later) {
    const first = all.get(change.path);
    const before = first ? first.before : change.before;
    const { after } = change;
    if (isSame(before, after)) all.delete(change.path);
    else all.set(change.path, { path: change.path, ...(before && { before }), ...(after && { after }) });
  }
  return [...all.values()];
}

/** The numbers that lists show. */
export function countsOf(changes: readonly Change[]): Pick<RecordHead, 'counts' | 'notKept'> {
  const isFolder = ({ before, after }: Change) => (after ?? before)?.kind === 'folder' && before?.kind !== 'file';
  const files = changes.filter((change) => !isFolder(change));
  return {
    counts: {
      created: files.filter(({ before }) => !before).length,
      deleted: files.filter(({ after }) => !after).length,
      changed: files.filter(({ before, after }) => before && after).length,
    },
    notKept: changes.filter(({ before }) => before?.unkept !== undefined).length,
  };
}

/** Which calls are taken back at the moment, and by which undo. */
export function undoneBy(heads: readonly RecordHead[]): ReadonlyMap<number, number> {
  const undone = new Map<number, number>();
  const byId = new Map(heads.map((head) => [head.id, head]));
  for (const head of heads) {
    for (const id of head.kind === 'call' ? [] : (head.undoes ?? [])) {
      undone.set(id, head.id);
      if (head.kind === 'redo') for (const inner of byId.get(id)?.undoes ?? []) undone.delete(inner);
    }
  }
  return undone;
}
