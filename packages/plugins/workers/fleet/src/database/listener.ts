/** Hears what others tell over the database, and comes back when the connection was lost. */
import type { Client } from 'pg';
import type { Database } from './database.ts';
import { CHANNEL } from './schema.ts';

const REST_MS = 200;

/** Told a payload; `undefined` when something may have been missed. */
export type Hears = (payload: string | undefined) => void;

/** Listens until it is closed. Does not keep the process alive. */
export class Listener {
  readonly #database: Database;
  readonly #hears: Hears;
  #client: Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(database: Database, hears: Hears) {
    this.#database = database;
    this.#hears = hears;
  }

  /** Resolves when it listens for the first time; what cannot be reached is tried again later. */
  async open(): Promise<void> {
    const client = this.#database.client();
    const lose = () => {
      if (this.#client !== client && this.#client !== undefined) return;
      this.#client = undefined;
      client.removeAllListeners('notification');
      // It is broken already: what ending it says is no news.
      client.end().catch(() => undefined);
      this.#again();
    };
    client.on('error', lose);
    client.on('end', lose);
    client.on('notification', ({ payload }) => this.#hears(payload));
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
      if (this.#isClosed) return await client.end();
      this.#client = client;
      this.#hears(undefined);
    } catch {
      lose(); // Tried again; whoever asks the database meanwhile is told what is wrong with it.
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const client = this.#client;
    this.#client = undefined;
    client?.removeAllListeners('end');
    await client?.end().catch(() => undefined); // The server was faster.
  }

  #again(): void {
    if (this.#isClosed || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.open();
    }, REST_MS);
    this.#timer.unref();
  }
}
