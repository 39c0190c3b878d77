/** The messages of an open session by their index: what the file held when it was opened, then what was said since. */
import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import type { AgentMessage, Session } from '@tenon/sessions/api';
import type { Entry } from '../shapes.ts';

/** Messages lie in files, so that a long conversation costs no memory. */
export class Transcript {
  readonly #session: Session | undefined;
  readonly #base: readonly string[];
  readonly #spool: number;
  readonly #path: string;
  /** Where each message that was added begins in the spool. */
  readonly #starts: number[] = [];
  #end = 0;
  #isClosed = false;

  /** `session` is opened for reading only, and closed with this; undefined for one that has no file yet. */
  constructor(session: Session | undefined, folder = tmpdir()) {
    this.#session = session;
    const places = session?.path() ?? [];
    this.#base = places.filter(({ type }) => type === 'message').map(({ id }) => id);
    this.#path = join(folder, `tenon-web-${randomBytes(8).toString('hex')}`);
    this.#spool = openSync(this.#path, 'wx+', 0o600);
    // Nobody else needs its name.
    rmSync(this.#path, { force: true });
  }

  get length(): number {
    return this.#base.length + this.#starts.length;
  }

  /** Adds a message; gives its index. */
  add(message: AgentMessage): number {
    const bytes = Buffer.from(JSON.stringify(message));
    writeSync(this.#spool, bytes, 0, bytes.length, this.#end);
    this.#starts.push(this.#end);
    this.#end += bytes.length;
    return this.length - 1;
  }

  /** At most `limit` messages before an index, in order. */
  before(index: number, limit: number): Entry[] {
    const end = Math.max(0, Math.min(index, this.length));
    const entries: Entry[] = [];
    for (let at = Math.max(0, end - limit); at < end; at += 1) {
      const message = this.#message(at);
      if (message) entries.push({ index: at, message });
    }
    return entries;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    closeSync(this.#spool);
    await this.#session?.close();
  }

  #message(index: number): AgentMessage | undefined {
    const id = this.#base[index];
    if (id !== undefined) {
      const entry = this.#session?.entry(id);
      return entry?.type === 'message' ? entry.message : undefined;
    }
    const at = index - this.#base.length;
    const start = this.#starts[at];
    if (start === undefined) return undefined;
    const bytes = Buffer.alloc((this.#starts[at + 1] ?? this.#end) - start);
    readSync(this.#spool, bytes, 0, bytes.length, start);
    return JSON.parse(bytes.toString('utf8')) as AgentMessage;
  }
}
