/** What servers offered when they were last reached, so that a conversation can begin before they are started. */
import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Prompt, Tool } from '@modelcontextprotocol/client';
import { replaceFile } from '@tenon/state-files';

/** What a server offers. */
export interface Definitions {
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly hasResources: boolean;
  /** What the server says about itself, for the model. */
  readonly instructions?: string;
}

/** What is remembered about a server: what it offered, or that it did not answer in time. */
export type Remembered = { readonly definitions: Definitions } | { readonly wasLate: true };

const VERSION = 1;
const MAX_BYTES = 4 * 1024 * 1024;

/** Keeps definitions, one file for each configuration. */
export class DefinitionCache {
  readonly #folder: string;

  constructor(cacheFolder: string) {
    this.#folder = join(cacheFolder, 'mcp');
  }

  /** What is remembered; nothing when the file is missing, too large or of another version. */
  async get(hash: string): Promise<Remembered | undefined> {
    const file = this.#file(hash);
    try {
      if ((await stat(file)).size > MAX_BYTES) return undefined;
      const { version, definitions, wasLate } = JSON.parse(await readFile(file, 'utf8')) as {
        version?: unknown;
        definitions?: Definitions;
        wasLate?: unknown;
      };
      if (version !== VERSION) return undefined;
      if (Array.isArray(definitions?.tools)) return { definitions };
      return wasLate === true ? { wasLate } : undefined;
    } catch {
      return undefined; // a cache that cannot be read is an empty one
    }
  }

  /** Remembers; what is there already is not written again. */
  async put(hash: string, remembered: Remembered): Promise<void> {
    const text = JSON.stringify({ version: VERSION, ...remembered });
    if (text.length > MAX_BYTES) return;
    const file = this.#file(hash);
    const present = await readFile(file, 'utf8').catch(() => undefined); // none yet, or damaged: written anew
    if (present === text) return;
    await replaceFile(file, text, { flush: false });
  }

  async forget(hash: string): Promise<void> {
    await rm(this.#file(hash), { force: true });
  }

  #file(hash: string): string {
    return join(this.#folder, `${hash}.json`);
  }
}
