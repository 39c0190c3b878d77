/** What pages download: watched, limited in size, and handed to the session as artifacts. */
import { constants, createWriteStream } from 'node:fs';
import { lstat, open, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Download } from 'playwright-core';
import { messageOf } from '@tenon/kernel';
import { byteText, cutText, plainLine } from '@tenon/wording';
import { within } from './within.ts';

/** A download. */
export interface DownloadEntry {
  /** As the page calls it; never used as a path. */
  readonly name: string;
  readonly url: string;
  state: 'running' | 'finished' | 'failed' | 'kept';
  reason?: string;
  bytes?: number;
  /** Where it can be read, once it is kept. */
  place?: string;
  done: Promise<void>;
}

/** Makes a file for a download. */
export type KeepFile = () => Promise<{ readonly path: string; readonly id?: string }>;

const WATCH_MS = 200;
const MAX_ENTRIES = 50;
/** More at the same time are an attack on the disk. */
const MAX_RUNNING = 5;

/** The downloads of one browser. */
export class Downloads {
  readonly #entries: DownloadEntry[] = [];
  readonly #running = new Map<DownloadEntry, Download>();
  readonly #files = new Map<DownloadEntry, string>();
  readonly #folder: string;
  readonly #maxBytes: number;
  #watch: NodeJS.Timeout | undefined;

  constructor(folder: string, maxBytes: number) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
  }

  /** Takes a download in. */
  add(download: Download): void {
    const entry: DownloadEntry = {
      name: cutText(plainLine(download.suggestedFilename()), 120),
      url: cutText(download.url(), 300),
      state: 'running',
      done: Promise.resolve(),
    };
    if (this.#running.size >= MAX_RUNNING || this.#entries.length >= MAX_ENTRIES) {
      // Not an entry of its own: a page could fill the list.
      void download.cancel().catch(() => undefined);
      return;
    }
    this.#entries.push(entry);
    this.#running.set(entry, download);
    entry.done = this.#follow(entry, download);
    this.#watch ??= setInterval(() => void this.#checkSizes(), WATCH_MS).unref();
  }

  /** How many have begun. */
  get count(): number {
    return this.#entries.length;
  }

  /** All of them; waits for those that run, and keeps those that are finished. */
  async settle(keep: KeepFile, signal: AbortSignal): Promise<readonly DownloadEntry[]> {
    await within(Promise.all(this.#entries.map(({ done }) => done)), signal);
    for (const entry of this.#entries) {
      if (entry.state !== 'finished') continue;
      await this.#keep(entry, keep).catch((fault: unknown) => {
        entry.state = 'failed';
        entry.reason = messageOf(fault);
      });
    }
    return this.#entries;
  }

  /** Stops watching. */
  close(): void {
    clearInterval(this.#watch);
  }

  async #follow(entry: DownloadEntry, download: Download): Promise<void> {
    try {
      const path = await download.path();
      this.#files.set(entry, path);
      entry.bytes = (await lstat(path)).size;
      if (entry.bytes > this.#maxBytes) throw new Error(this.#tooLarge());
      entry.state = 'finished';
    } catch (fault) {
      entry.state = 'failed';
      entry.reason ??= messageOf(fault).split('\n')[0] ?? '';
    } finally {
      this.#running.delete(entry);
      if (this.#running.size === 0) {
        clearInterval(this.#watch);
        this.#watch = undefined;
      }
    }
  }

  /** The browser writes while it downloads: a file that grows too large stops all that run. */
  async #checkSizes(): Promise<void> {
    let total = 0;
    // The folder is gone when the browser has ended.
    for (const name of await readdir(this.#folder).catch(() => [])) {
      const stats = await lstat(join(this.#folder, name)).catch(() => undefined);
      total += stats?.size ?? 0;
    }
    const finished = this.#entries.reduce((sum, { state, bytes = 0 }) => sum + (state === 'finished' ? bytes : 0), 0);
    if (total - finished <= this.#maxBytes) return;
    for (const [entry, download] of this.#running) {
      entry.reason = this.#tooLarge();
      void download.cancel().catch(() => undefined);
    }
  }

  #tooLarge(): string {
    return `it is larger than ${byteText(this.#maxBytes)} (browser.maxDownloadMegabytes)`;
  }

  /** Copies by hand: the browser may have put a link there, and Tenon sees more than the browser does. */
  async #keep(entry: DownloadEntry, keep: KeepFile): Promise<void> {
    const path = this.#files.get(entry);
    if (path === undefined) return;
    if ((await realpath(this.#folder)) !== this.#folder) throw new Error('the folder of downloads was replaced');
    const source = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = await source.stat();
      if (!stats.isFile() || stats.nlink > 1) throw new Error('a download is not a regular file');
      const target = await keep();
      await pipeline(source.createReadStream({ autoClose: false }), createWriteStream(target.path, { mode: 0o600 }));
      entry.state = 'kept';
      entry.place = target.id === undefined ? target.path : `artifact://${target.id}`;
    } finally {
      await source.close();
    }
  }
}
