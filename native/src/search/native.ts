import type { Addon } from '../addon.ts';
import { unpackPaths } from '../scan/native.ts';
import { callNative } from '../task.ts';
import type { RawGrepResult } from './addon.ts';
import type { GrepFile, GrepLine, Search } from './contract.ts';
import { grepRequest } from './request.ts';

const FILE_WORDS = 4;
const LINE_WORDS = 4;
const MATCH_FLAG = 1;
const CUT_FLAG = 2;

/** The search accelerator on the native addon. */
export function fromAddon(addon: Addon): Search {
  return {
    async grep(options) {
      const request = grepRequest(options);
      const raw = await callNative(addon, (cancel) => addon.searchGrep(request, cancel), options);
      const { matches, limited, searched, binary, problems, problemCount, repaired, scan } = raw;
      return {
        files: unpackFiles(raw),
        matches,
        limited,
        searched,
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
  let line = 0;
  let byte = 0;
  return unpackPaths(raw.paths).map((path, index) => {
    const word = (offset: number): number => raw.files[index * FILE_WORDS + offset] ?? 0;
    const file = new PackedFile(path, raw, word(0), word(3) !== 0, line, word(1), byte, word(2));
    line += word(1);
    byte += word(2);
    return file;
  });
}

/** A file whose lines stay packed until somebody looks at them. */
class PackedFile implements GrepFile {
  readonly path: string;
  readonly matches: number;
  readonly more: boolean;
  readonly #raw: RawGrepResult;
  readonly #firstLine: number;
  readonly #lineCount: number;
  readonly #firstByte: number;
  readonly #byteCount: number;
  #lines: GrepLine[] | undefined;

  constructor(
    path: string,
    raw: RawGrepResult,
    matches: number,
    more: boolean,
    firstLine: number,
    lineCount: number,
    firstByte: number,
    byteCount: number,
  ) {
    this.path = path;
    this.matches = matches;
    this.more = more;
    this.#raw = raw;
    this.#firstLine = firstLine;
    this.#lineCount = lineCount;
    this.#firstByte = firstByte;
    this.#byteCount = byteCount;
  }

  get lines(): readonly GrepLine[] {
    return (this.#lines ??= this.#decode());
  }

  /** Getters are invisible to JSON, so say what belongs to it. */
  toJSON(): GrepFile {
    return { path: this.path, matches: this.matches, more: this.more, lines: this.lines };
  }

  #decode(): GrepLine[] {
    if (this.#lineCount === 0) return [];
    const texts = this.#raw.text.toString('utf8', this.#firstByte, this.#firstByte + this.#byteCount).split('\n');
    return texts.map((text, index) => {
      const at = (this.#firstLine + index) * LINE_WORDS;
      const { lines } = this.#raw;
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
