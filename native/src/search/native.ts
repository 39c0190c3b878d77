import type { Addon } from '../addon.ts';
import { unpackPaths } from '../scan/native.ts';
import { callNative } from '../task.ts';
import type { RawGrepResult } from './addon.ts';
import type { GrepFile, GrepLine, Search } from './contract.ts';
import { grepRequest } from './request.ts';

const FILE_WORDS = 7;
const LINE_WORDS = 4;
const MATCH_FLAG = 1;
const CUT_FLAG = 2;
/** Decoded lines that are kept per answer. */
const RECENT_LINES = 10_000;

/** The search accelerator on the native addon. */
export function fromAddon(addon: Addon): Search {
  return {
    async grep(options) {
      const request = grepRequest(options);
      const raw = await callNative(addon, (cancel) => addon.searchGrep(request, cancel), options);
      const { matches, limited, searched, spared, binary, problems, problemCount, repaired, scan } = raw;
      return {
        files: unpackFiles(raw),
        matches,
        limited,
        searched,
        spared,
        binary,
        problems,
        problemCount,
        ...(repaired == null ? {} : { repaired }),
        ...(scan == null ? {} : { scan }),
      };
    },
  };
}

function unpackFiles(raw: RawGrepResult): GrepFile[] {
  const recent = new RecentLines();
  return unpackPaths(raw.paths).map((path, index) => new PackedFile(path, raw, index * FILE_WORDS, recent));
}

/** A file whose lines stay packed until they are read. */
class PackedFile implements GrepFile {
  readonly path: string;
  readonly matches: number;
  readonly more: boolean;
  readonly #raw: RawGrepResult;
  readonly #at: number;
  readonly #recent: RecentLines;

  constructor(path: string, raw: RawGrepResult, at: number, recent: RecentLines) {
    this.path = path;
    this.matches = raw.files[at] ?? 0;
    this.more = raw.files[at + 3] === 1;
    this.#raw = raw;
    this.#at = at;
    this.#recent = recent;
  }

  get lines(): readonly GrepLine[] {
    return this.#recent.get(this, () => this.#decode());
  }

  /** Getters are invisible to JSON, so say what belongs to it. */
  toJSON(): GrepFile {
    return { path: this.path, matches: this.matches, more: this.more, lines: this.lines };
  }

  #decode(): GrepLine[] {
    const word = (offset: number): number => this.#raw.files[this.#at + offset] ?? 0;
    const chunk = this.#raw.chunks[word(4)];
    if (word(1) === 0 || chunk === undefined) return [];
    const { lines } = chunk;
    const texts = chunk.text.toString('utf8', word(6), word(6) + word(2)).split('\n');
    const first = word(5);
    return texts.map((text, index) => {
      const at = (first + index) * LINE_WORDS;
      const column = lines[at + 1] ?? 0;
      const flags = lines[at + 3] ?? 0;
      return {
        number: lines[at] ?? 0,
        text,
        match: (flags & MATCH_FLAG) !== 0,
        ...(column === 0 ? {} : { column }),
        ...((flags & CUT_FLAG) === 0 ? {} : { cut: lines[at + 2] ?? 0 }),
      };
    });
  }
}

/**
 * The decoded lines of the files that were read last. A caller that goes through hundreds of thousands of lines once
 * must not end up holding all of them as objects; a caller that shows a page finds all of it here.
 */
class RecentLines {
  readonly #decoded = new Map<GrepFile, readonly GrepLine[]>();
  #count = 0;

  get(file: GrepFile, decode: () => readonly GrepLine[]): readonly GrepLine[] {
    const recent = this.#decoded.get(file);
    if (recent !== undefined) return recent;
    const lines = decode();
    for (const [oldest, old] of this.#decoded) {
      if (this.#count + lines.length <= RECENT_LINES) break;
      this.#decoded.delete(oldest);
      this.#count -= old.length;
    }
    this.#decoded.set(file, lines);
    this.#count += lines.length;
    return lines;
  }
}
