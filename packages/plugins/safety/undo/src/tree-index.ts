/**
 * What the workspace held at the last snapshot: for every path the facts of the system, and where the content is kept. Kept as
 * the packed buffers of the walk, so that "nothing changed" is one comparison of bytes; lists are made only when something did.
 */
import { hashOf } from './blob-store.ts';
import { type Entry, PackedStat, type Unkept } from './entry.ts';

const MAGIC = 'tenon-undo-index 1';

/** The content of a path: `f` and a hash, `l` and a target, `n` and why it is not kept; nothing for folders. */
type ContentWord = string;

/** The packed form of a walk. */
export interface Walked {
  readonly paths: Buffer;
  readonly stats: Buffer;
  readonly count: number;
}

/** One snapshot of a workspace. */
export class TreeIndex {
  readonly paths: Buffer;
  readonly stats: Buffer;
  readonly count: number;
  readonly #contents: ContentWord[];
  /** Paths whose file may have changed again within the tick of its times: they are read again. */
  readonly uncertain: ReadonlySet<string>;
  /** Folders that the walk did not enter, each followed by NUL. */
  readonly leftOut: Buffer;
  /** Bytes that the contents take in the store, as far as known. */
  readonly storedBytes: number;
  #names: readonly string[] | undefined;
  #numbers: ReadonlyMap<string, number> | undefined;

  constructor(
    walked: Walked,
    contents: ContentWord[],
    facts: {
      readonly uncertain?: ReadonlySet<string>;
      readonly storedBytes?: number;
      readonly leftOut?: Buffer;
      /** An index with the same paths, whose lists serve here too. */
      readonly alike?: TreeIndex | undefined;
    } = {},
  ) {
    this.paths = walked.paths;
    this.stats = walked.stats;
    this.count = walked.count;
    this.#contents = contents;
    this.uncertain = facts.uncertain ?? new Set();
    this.storedBytes = facts.storedBytes ?? 0;
    this.leftOut = facts.leftOut ?? Buffer.alloc(0);
    this.#names = facts.alike?.names;
    if (facts.alike) this.#numbers = facts.alike.#numbers;
  }

  static empty(): TreeIndex {
    return new TreeIndex({ paths: Buffer.alloc(0), stats: Buffer.alloc(0), count: 0 }, []);
  }

  /** The same with another count of bytes. */
  withStoredBytes(storedBytes: number): TreeIndex {
    const { uncertain, leftOut } = this;
    return new TreeIndex(this, this.#contents, { uncertain, leftOut, storedBytes, alike: this });
  }

  /** All paths, in the order of the walk. */
  get names(): readonly string[] {
    return (this.#names ??= namesOf(this.paths));
  }

  /** The number of a path. */
  numberOf(path: string): number | undefined {
    this.#numbers ??= new Map(this.names.map((name, index) => [name, index]));
    return this.#numbers.get(path);
  }

  statAt(index: number): PackedStat {
    return new PackedStat(this.stats, index);
  }

  wordAt(index: number): ContentWord {
    return this.#contents[index] ?? '';
  }

  entryAt(index: number): Entry {
    return entryOf(this.statAt(index), this.wordAt(index));
  }

  entry(path: string): Entry | undefined {
    const index = this.numberOf(path);
    return index === undefined ? undefined : this.entryAt(index);
  }

  /** Paths whose content the first snapshot has not come to. */
  pending(): number[] {
    const found: number[] = [];
    this.#contents.forEach((word, index) => {
      if (word === 'npending') found.push(index);
    });
    return found;
  }

  /** The hashes of all contents. */
  *hashes(): Generator<string> {
    for (const word of this.#contents) if (word.startsWith('f')) yield word.slice(1);
  }

  toBuffer(): Buffer {
    const contents = Buffer.from(this.#contents.join('\0'), 'latin1');
    const uncertain = Buffer.from([...this.uncertain].join('\0'), 'latin1');
    const body = Buffer.concat([this.paths, this.stats, contents, uncertain, this.leftOut]);
    const head = {
      count: this.count,
      storedBytes: this.storedBytes,
      sizes: [this.paths.length, this.stats.length, contents.length, uncertain.length, this.leftOut.length],
      hash: hashOf(body),
    };
    return Buffer.concat([Buffer.from(`${MAGIC}\n${JSON.stringify(head)}\n`), body]);
  }

  /** Undefined for a file that is damaged or of another version: then everything is read again. */
  static fromBuffer(buffer: Buffer): TreeIndex | undefined {
    const first = buffer.indexOf(10);
    const second = buffer.indexOf(10, first + 1);
    if (first < 0 || second < 0 || buffer.toString('latin1', 0, first) !== MAGIC) return undefined;
    let head: { count: number; storedBytes: number; sizes: number[]; hash: string };
    try {
      head = JSON.parse(buffer.toString('utf8', first + 1, second)) as typeof head;
    } catch {
      return undefined; // Cut off: the same as a file that is not there.
    }
    const body = buffer.subarray(second + 1);
    if (hashOf(body) !== head.hash) return undefined;
    const ends = head.sizes.map((_size, index) => head.sizes.slice(0, index + 1).reduce((sum, size) => sum + size, 0));
    const part = (index: number) => body.subarray(ends[index - 1] ?? 0, ends[index]);
    const words = (index: number) => (part(index).length === 0 ? [] : part(index).toString('latin1').split('\0'));
    const contents = head.count === 0 ? [] : part(2).toString('latin1').split('\0');
    return new TreeIndex({ paths: part(0), stats: part(1), count: head.count }, contents, {
      uncertain: new Set(words(3)),
      storedBytes: head.storedBytes,
      leftOut: part(4),
    });
  }
}

/** The paths of a walk. */
export function namesOf(paths: Buffer): readonly string[] {
  return paths.length === 0 ? [] : paths.toString('latin1', 0, paths.length - 1).split('\0');
}

/** The entry for what a walk and a content word say. */
export function entryOf(stat: PackedStat, word: ContentWord): Entry {
  const { kind, mode, size } = stat;
  if (kind === 'folder') return { kind, mode, size: 0 };
  const value = word.slice(1);
  if (word.startsWith('f')) return { kind, mode, size, hash: value, stamp: stat.stamp };
  if (word.startsWith('l')) return { kind, mode, size, target: value };
  return { kind, mode, size, unkept: (value || 'special') as Unkept, stamp: stat.stamp };
}
