/** Resources that a client wants to hear about: the files behind them are watched. */
import { type FSWatcher, watch } from 'node:fs';
import { type Logger, messageOf } from '@tenon/kernel';

const QUIET_MS = 200;
const MOST = 100;

interface Watched {
  readonly watcher: FSWatcher | undefined;
  timer?: NodeJS.Timeout;
}

/** The subscriptions of one client. */
export class Subscriptions {
  readonly #tell: (uri: string) => Promise<void>;
  readonly #log: Logger;
  readonly #watched = new Map<string, Watched>();

  constructor(tell: (uri: string) => Promise<void>, log: Logger) {
    this.#tell = tell;
    this.#log = log;
  }

  get size(): number {
    return this.#watched.size;
  }

  /** Tells the client from now on when the file changes. What has no file does not change by itself. */
  add(uri: string, file: string | undefined): void {
    if (this.#watched.has(uri) || this.#watched.size >= MOST) return;
    const watched: Watched = { watcher: file === undefined ? undefined : this.#watch(uri, file) };
    this.#watched.set(uri, watched);
  }

  remove(uri: string): void {
    const { watcher, timer } = this.#watched.get(uri) ?? {};
    this.#watched.delete(uri);
    clearTimeout(timer);
    watcher?.close();
  }

  close(): void {
    for (const uri of [...this.#watched.keys()]) this.remove(uri);
  }

  #watch(uri: string, file: string): FSWatcher | undefined {
    try {
      const watcher = watch(file, { persistent: false }, () => this.#changed(uri));
      watcher.on('error', (fault) => this.#log.debug(`${file} is not watched any more: ${messageOf(fault)}`));
      return watcher;
    } catch (fault) {
      // It is gone, or the system watches no more files; the client can still read it.
      this.#log.debug(`${file} cannot be watched: ${messageOf(fault)}`);
      return undefined;
    }
  }

  #changed(uri: string): void {
    const watched = this.#watched.get(uri);
    if (!watched || watched.timer) return;
    watched.timer = setTimeout(() => {
      delete watched.timer;
      // A client that is just going away misses nothing.
      void this.#tell(uri).catch(() => undefined);
    }, QUIET_MS);
    watched.timer.unref();
  }
}
