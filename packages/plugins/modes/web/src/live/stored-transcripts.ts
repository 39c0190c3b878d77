/** Sessions that no agent of this server works on stay open for reading while somebody looks at them: a page asks more than once, and opening reads all of the file. */
import { statSync } from 'node:fs';
import type { Transcript } from './transcript.ts';

/** How long one stays open after it was read last. */
const KEPT_MS = 30_000;
/** Each has its index in memory. */
const MOST = 4;
/** A file that was written to so lately may be in the middle of it. */
const AT_REST_MS = 2_000;

/** A session that was opened, and its file. */
export interface OpenedFile {
  readonly transcript: Transcript;
  readonly file: string | undefined;
}

interface Kept extends OpenedFile {
  /** How its file was when it was opened. */
  readonly mark: string;
  readonly timer: NodeJS.Timeout;
}

/** Opens a session once for several reads; one whose file has changed is opened anew. */
export class StoredTranscripts {
  readonly #open: (id: string) => Promise<OpenedFile>;
  /** The one that was opened last is the last. */
  readonly #kept = new Map<string, Kept>();

  constructor(open: (id: string) => Promise<OpenedFile>) {
    this.#open = open;
  }

  async read<T>(id: string, work: (transcript: Transcript) => T): Promise<T> {
    const known = this.#kept.get(id);
    if (known && known.mark === stateOf(known.file).mark) {
      known.timer.refresh();
      return work(known.transcript);
    }
    const { transcript, file } = await this.#open(id);
    const result = work(transcript);
    await this.drop(id);
    const { mark, isAtRest } = stateOf(file);
    if (!isAtRest) await transcript.close();
    else await this.#keep(id, { transcript, file, mark, timer: this.#timer(id) });
    return result;
  }

  /** Lets go of a session: an agent works on it now, or nobody has looked for a while. */
  async drop(id: string): Promise<void> {
    const kept = this.#kept.get(id);
    this.#kept.delete(id);
    clearTimeout(kept?.timer);
    await kept?.transcript.close();
  }

  async close(): Promise<void> {
    for (const id of [...this.#kept.keys()]) await this.drop(id);
  }

  async #keep(id: string, kept: Kept): Promise<void> {
    // Somebody else may have opened it meanwhile.
    await this.drop(id);
    this.#kept.set(id, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST && oldest !== undefined) await this.drop(oldest);
  }

  #timer(id: string): NodeJS.Timeout {
    return setTimeout(() => void this.drop(id), KEPT_MS).unref();
  }
}

function stateOf(file: string | undefined): { readonly mark: string; readonly isAtRest: boolean } {
  const found = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return { mark: '', isAtRest: false };
  const { ino, mtimeMs, size } = found;
  return { mark: `${ino}-${mtimeMs}-${size}`, isAtRest: Date.now() - mtimeMs > AT_REST_MS };
}
