/** What Markdown files say, kept between runs, so that five hundred skills do not delay the first prompt. */
import { readFileSync } from 'node:fs';
import { replaceFile } from '@tenon/state-files';

/** A Markdown or command file as it was understood. */
export interface Document {
  readonly data: Readonly<Record<string, unknown>>;
  readonly body: string;
  readonly problem?: string;
}

interface Kept {
  /** The file's version when it was read. */
  readonly version: string;
  readonly document: Document;
  /** The day on which it was last asked for. */
  day: number;
}

/** Raise it when files are understood differently than before. */
const FORMAT = 1;
const KEEP_DAYS = 30;
const MAX_ENTRIES = 20_000;
const MAX_BODY = 32 * 1024;
const DAY_MS = 86_400_000;
/** A file that changed while it was read could have the same times; those of the last moments are not kept. */
const TOO_NEW_MS = 50;

/** Documents by path and way of reading. Only what people wrote as text is kept: settings, which may hold secrets, are not. */
export class DocumentCache {
  readonly #file: string;
  readonly #today = Math.floor(Date.now() / DAY_MS);
  #entries: Map<string, Kept> | undefined;
  #changed = false;
  #writing: Promise<void> = Promise.resolve();

  constructor(file: string) {
    this.#file = file;
  }

  /** The document of this version of a file, if it is known. */
  get(key: string, version: string): Document | undefined {
    const entry = this.#load().get(key);
    if (entry?.version !== version) return undefined;
    if (entry.day !== this.#today) {
      entry.day = this.#today;
      this.#changed = true;
    }
    return entry.document;
  }

  /** Remembers a document. */
  set(key: string, version: string, changedAt: number, document: Document): void {
    if (document.body.length > MAX_BODY || Date.now() - changedAt < TOO_NEW_MS) return;
    this.#load().set(key, { version, document, day: this.#today });
    this.#changed = true;
  }

  /** Writes what changed. A cache that cannot be written costs time and nothing else. */
  save(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    if (!this.#changed || !this.#entries) return;
    this.#changed = false;
    const entries = [...this.#entries].filter(([, { day }]) => this.#today - day <= KEEP_DAYS).slice(-MAX_ENTRIES);
    const rows = entries.map(([key, { version, document, day }]) => [key, version, day, document]);
    const text = JSON.stringify({ format: FORMAT, rows });
    await replaceFile(this.#file, text, { flush: false }).catch(() => undefined);
  }

  #load(): Map<string, Kept> {
    this.#entries ??= readEntries(this.#file);
    return this.#entries;
  }
}

/** A missing or damaged cache is an empty one: everything in it can be read again. */
function readEntries(file: string): Map<string, Kept> {
  const entries = new Map<string, Kept>();
  try {
    const content = JSON.parse(readFileSync(file, 'utf8')) as { format?: unknown; rows?: unknown };
    if (content.format !== FORMAT || !Array.isArray(content.rows)) return entries;
    for (const row of content.rows as unknown[]) {
      if (!Array.isArray(row)) continue;
      const [key, version, day, document] = row as [unknown, unknown, unknown, unknown];
      if (typeof key !== 'string' || typeof version !== 'string' || typeof day !== 'number') continue;
      if (!isDocument(document)) continue;
      entries.set(key, { version, day, document });
    }
  } catch {
    entries.clear();
  }
  return entries;
}

function isDocument(value: unknown): value is Document {
  if (typeof value !== 'object' || value === null) return false;
  const { data, body } = value as Partial<Document>;
  return typeof data === 'object' && data !== null && typeof body === 'string';
}
