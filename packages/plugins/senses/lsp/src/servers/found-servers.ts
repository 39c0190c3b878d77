/** What others find for a folder, remembered for a while: edits ask often, and files with servers change seldom. */
import type { Registry } from '@tenon/kernel';
import type { FoundServer, LanguageServerSource } from '../api.ts';

const FRESH_MS = 30_000;
const MAX_FOLDERS = 50;

/** The servers that sources find. */
export class FoundServers {
  readonly #sources: Registry<LanguageServerSource>;
  readonly #known = new Map<string, { readonly at: number; readonly servers: Promise<readonly FoundServer[]> }>();

  constructor(sources: Registry<LanguageServerSource>) {
    this.#sources = sources;
  }

  /** The servers that are configured for a folder. */
  find(folder: string): Promise<readonly FoundServer[]> {
    const known = this.#known.get(folder);
    if (known && Date.now() - known.at < FRESH_MS) return known.servers;
    const servers = this.#look(folder);
    this.#known.set(folder, { at: Date.now(), servers });
    // A failed look must not be the answer for the next caller.
    servers.catch(() => this.#known.delete(folder));
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_FOLDERS && oldest !== undefined) this.#known.delete(oldest);
    return servers;
  }

  async #look(folder: string): Promise<readonly FoundServer[]> {
    if (this.#sources.list().length === 0) return [];
    const found = await Promise.all((await this.#sources.resolveAll()).map(({ value }) => value.find(folder)));
    return found.flat();
  }
}
