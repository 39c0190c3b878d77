/**
 * The matches of a search as the addon gives them: numbers, and of every file one text that all excerpts are parts of. They become
 * the contract's objects in one step: a search of a large tree finds tens of thousands, and every list in between is memory and time.
 */
import { type Batch, type BatchFile, type BatchJob, pathOf } from './batch.ts';
import type { Capture, Excerpt, SourceRange, SyntaxMatch } from './contract.ts';

/** What crosses; `pack.rs` says what the numbers are. */
export interface PackedMatches {
  /** A batch as JSON. */
  readonly batch: string;
  /** Those of all files, one behind the other. */
  readonly numbers: Uint32Array;
  /** Two per file: the pieces that are ASCII, and the others. */
  readonly texts: readonly string[];
}

type PackedFile = Omit<BatchFile<never>, 'items'> & {
  readonly items?: readonly [count: number, words: readonly string[]];
};

/** Places in the second text go on where those of the first end. */
type Texts = readonly [narrow: string, wide: string];

const NO_CAPTURES: readonly Capture[] = [];

/** Makes the matches. */
export function unpackMatches({ batch, numbers, texts }: PackedMatches, job: BatchJob): Batch<SyntaxMatch> {
  const whole: Omit<Batch<never>, 'files'> & { readonly files: readonly PackedFile[] } = JSON.parse(batch);
  const reader = new PackedReader(numbers);
  const files = whole.files.map(({ items: [count, words] = [0, []], ...file }, at): BatchFile<SyntaxMatch> => {
    const place = { path: pathOf(job, file.index), language: file.language };
    return { ...file, items: reader.matches(count, place, words, [texts[2 * at] ?? '', texts[2 * at + 1] ?? '']) };
  });
  return { ...whole, files };
}

/** Takes the numbers one after the other, in the order in which `pack.rs` has written them. */
class PackedReader {
  readonly #numbers: Uint32Array;
  #at = 0;

  constructor(numbers: Uint32Array) {
    this.#numbers = numbers;
  }

  matches(
    count: number,
    { path, language }: Pick<SyntaxMatch, 'path' | 'language'>,
    words: readonly string[],
    texts: Texts,
  ): SyntaxMatch[] {
    const matches: SyntaxMatch[] = [];
    for (let index = 0; index < count; index += 1) {
      const rule = this.#next();
      const kind = words[this.#next()] ?? '';
      const text = this.#text(texts);
      const isCut = this.#next() === 1;
      const range = this.#range();
      const captures = this.#captures(words, texts);
      matches.push(
        isCut
          ? { path, language, rule, kind, text, truncated: true, range, captures }
          : { path, language, rule, kind, text, range, captures },
      );
    }
    return matches;
  }

  #captures(words: readonly string[], texts: Texts): readonly Capture[] {
    const count = this.#next();
    if (count === 0) return NO_CAPTURES;
    // A list that grows by `push` reserves room for seventeen.
    if (count === 1) return [this.#capture(words, texts)];
    return Array.from({ length: count }, () => this.#capture(words, texts));
  }

  #capture(words: readonly string[], texts: Texts): Capture {
    const name = words[this.#next()] ?? '';
    const listed = this.#next();
    if (listed > 0) return { name, nodes: Array.from({ length: listed - 1 }, () => this.#excerpt(texts)) };
    const text = this.#text(texts);
    const isCut = this.#next() === 1;
    const range = this.#range();
    return isCut ? { name, text, truncated: true, range } : { name, text, range };
  }

  #excerpt(texts: Texts): Excerpt {
    const text = this.#text(texts);
    const isCut = this.#next() === 1;
    const range = this.#range();
    return isCut ? { text, truncated: true, range } : { text, range };
  }

  #text([narrow, wide]: Texts): string {
    const from = this.#next();
    const to = this.#next();
    return from < narrow.length || wide === ''
      ? narrow.slice(from, to)
      : wide.slice(from - narrow.length, to - narrow.length);
  }

  #range(): SourceRange {
    return {
      byteStart: this.#next(),
      byteEnd: this.#next(),
      startLine: this.#next(),
      startColumn: this.#next(),
      endLine: this.#next(),
      endColumn: this.#next(),
    };
  }

  #next(): number {
    const number = this.#numbers[this.#at] ?? 0;
    this.#at += 1;
    return number;
  }
}
