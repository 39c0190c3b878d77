/**
 * What is known about packs from earlier runs, so that a start costs one look at each package.json and no parsing:
 * with 200 packs a start must take about as long as with 10.
 */
import { readFileSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { KERNEL_VERSION, type Manifest, TenonError } from '@tenon/kernel';
import { replaceFileSync } from '@tenon/state-files';
import { type ReadPack, readPack } from './read-pack.ts';

type Problem = Pick<TenonError, 'code' | 'owner' | 'message' | 'next' | 'details'>;

interface IndexEntry {
  readonly mtimeMs: number;
  readonly size: number;
  readonly manifest?: Manifest;
  readonly problems?: readonly Problem[];
}

/** A change of this number makes every pack be read again. */
const VERSION = 2;

/** The index of one user. */
export class PackIndex {
  readonly #file: string;
  readonly #entries: Map<string, IndexEntry>;
  readonly #seen = new Set<string>();
  #changed = false;

  constructor(cacheFolder: string) {
    this.#file = join(cacheFolder, 'packs-index.json');
    this.#entries = load(this.#file);
  }

  /** The manifest in a package.json, or what is wrong with it. */
  async read(file: string, { mtimeMs, size }: Stats): Promise<ReadPack> {
    this.#seen.add(file);
    const known = this.#entries.get(file);
    if (known && known.mtimeMs === mtimeMs && known.size === size) {
      if (known.manifest) return { manifest: known.manifest };
      if (known.problems) return { problems: known.problems.map(revive) };
    }
    const pack = await readPack(file);
    const entry = 'manifest' in pack ? { manifest: pack.manifest } : { problems: pack.problems.map(dataOf) };
    // Whether an entry exists does not show in its package.json, so that complaint must be looked at every time.
    if ('problems' in pack && pack.problems.some(({ code }) => code === 'PACKS_ENTRY_INVALID')) return pack;
    this.#entries.set(file, { mtimeMs, size, ...entry });
    this.#changed = true;
    return pack;
  }

  /** Writes the index if anything changed, without packs that are gone. Gives the reason when it cannot. */
  save(): unknown {
    const gone = [...this.#entries.keys()].filter((file) => !this.#seen.has(file));
    // Packs of other projects are gone only from here; they are kept, up to a limit.
    if (this.#entries.size > MAX_ENTRIES) for (const file of gone) this.#entries.delete(file);
    if (!this.#changed) return undefined;
    try {
      const index = { version: VERSION, kernel: KERNEL_VERSION, entries: Object.fromEntries(this.#entries) };
      replaceFileSync(this.#file, JSON.stringify(index), { flush: false });
      return undefined;
    } catch (fault) {
      return fault;
    }
  }
}

const MAX_ENTRIES = 2_000;

function load(file: string): Map<string, IndexEntry> {
  try {
    const { version, kernel, entries } = JSON.parse(readFileSync(file, 'utf8'));
    if (version === VERSION && kernel === KERNEL_VERSION)
      return new Map(Object.entries(entries as Record<string, IndexEntry>));
  } catch {
    // Absent or damaged: it is made anew from the packs themselves.
  }
  return new Map();
}

function revive(problem: Problem): TenonError {
  return new TenonError(problem);
}

function dataOf({ code, owner, message, next, details }: TenonError): Problem {
  return { code, owner, message, next, details };
}
