/** The maps that are open: one per folder, made when it is asked for. */
import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@tenon/kernel';
import { loadAccelerator } from '@tenon/native';
import type { CodeMap, CodeMapAnswer } from '@tenon/native';
import type { MapQuestion } from './address.ts';
import { errors } from './errors.ts';

/** How many folders are held; the index of a large one takes tens of megabytes. */
const MOST_OPEN = 3;

/** What the maps work with. */
export interface MapsHost {
  /** The folder for what can be made again. */
  readonly cache: string;
  readonly maxFiles: number;
  /** Said when an index could not be kept; the answer is right all the same. */
  warn(text: string): void;
}

/** Answers questions about folders. */
export class Maps {
  readonly #host: MapsHost;
  /** By folder, the one used last at the end. */
  readonly #open = new Map<string, Promise<CodeMap>>();

  constructor(host: MapsHost) {
    this.#host = host;
  }

  /** Asks about a folder. A process that asks once need not watch. */
  async ask(
    root: string,
    question: MapQuestion,
    { signal, watch = true }: { readonly signal?: AbortSignal; readonly watch?: boolean } = {},
  ): Promise<CodeMapAnswer> {
    const map = await this.#map(root, watch);
    let answer: CodeMapAnswer;
    try {
      answer = await map.map({ ...question, signal });
    } catch (fault) {
      signal?.throwIfAborted();
      throw errors.create('CODE_MAP_FAILED', { root, reason: messageOf(fault) }, fault);
    }
    if (answer.notSaved !== undefined) this.#host.warn(`the map of ${root} is not kept on disk: ${answer.notSaved}`);
    if (answer.brokenLanguages.length > 0) {
      this.#host.warn(`grammars that broke and are read word by word: ${answer.brokenLanguages.join(', ')}`);
    }
    if (answer.files.length === 0 && question.scope !== '') {
      throw errors.create('CODE_MAP_NOTHING', { path: question.scope });
    }
    return answer;
  }

  /** Writes what is not on disk yet, and ends all watching. */
  async close(): Promise<void> {
    const open = [...this.#open.values()];
    this.#open.clear();
    await Promise.all(open.map((map) => this.#put(map)));
  }

  async #map(folder: string, watch: boolean): Promise<CodeMap> {
    // A folder that is gone fails in the map itself, which says so.
    const root = await realpath(folder).catch(() => folder);
    const held = this.#open.get(root);
    this.#open.delete(root);
    const map = held ?? this.#make(root, watch);
    this.#open.set(root, map);
    map.catch(() => this.#open.delete(root)); // Whoever asked has the error; the next one tries again.
    const [oldest] = this.#open;
    if (this.#open.size > MOST_OPEN && oldest) {
      this.#open.delete(oldest[0]);
      void this.#put(oldest[1]);
    }
    return map;
  }

  async #make(root: string, watch: boolean): Promise<CodeMap> {
    const name = createHash('sha256').update(root).digest('hex').slice(0, 32);
    const store = join(this.#host.cache, 'code-map', name);
    return (await loadAccelerator('code-map')).open({ root, store, maxFiles: this.#host.maxFiles, watch });
  }

  async #put(map: Promise<CodeMap>): Promise<void> {
    try {
      await (await map).close();
    } catch (fault) {
      this.#host.warn(`a map is not kept on disk: ${messageOf(fault)}`);
    }
  }
}
