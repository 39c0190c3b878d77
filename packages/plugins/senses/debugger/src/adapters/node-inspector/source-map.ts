/** Source maps: from lines of a program as it runs to the lines that somebody wrote, and back. */
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A position; lines and columns count from 0. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

interface Mapping {
  readonly generated: Position;
  readonly source: number;
  readonly original: Position;
}

const DIGITS = new Map(
  [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].map((letter, index) => [letter, index]),
);

/** A map whose parts have been checked. */
export class SourceMap {
  /** Absolute paths. */
  readonly sources: readonly string[];
  readonly #mappings: readonly Mapping[];

  private constructor(sources: readonly string[], mappings: readonly Mapping[]) {
    this.sources = sources;
    this.#mappings = mappings;
  }

  /** Reads a map; undefined when it is none. `file` is where it lies, or the script that holds it. */
  static read(text: string, file: string): SourceMap | undefined {
    try {
      const { sources, mappings, sourceRoot } = JSON.parse(text) as Record<string, unknown>;
      if (!Array.isArray(sources) || typeof mappings !== 'string') return undefined;
      const root = typeof sourceRoot === 'string' ? sourceRoot : '';
      return new SourceMap(
        sources.map((source) => pathOf(String(source), root, dirname(file))),
        decode(mappings),
      );
    } catch {
      return undefined; // Not a map that can be read; the script is shown as it runs.
    }
  }

  /** Where a position was written. */
  toOriginal({ line, column }: Position): { readonly path: string; readonly position: Position } | undefined {
    let [low, high] = [0, this.#mappings.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const at = this.#mappings[middle]?.generated;
      if (at !== undefined && (at.line < line || (at.line === line && at.column <= column))) low = middle + 1;
      else high = middle;
    }
    const found = this.#mappings[low - 1];
    const path = found && this.sources[found.source];
    if (found === undefined || path === undefined || found.generated.line !== line) return undefined;
    return { path, position: found.original };
  }

  /** Where the first code of a line runs, or of the next line that has some. */
  toGenerated(path: string, line: number): Position | undefined {
    let best: Mapping | undefined;
    for (const mapping of this.#mappings) {
      if (this.sources[mapping.source] !== path || mapping.original.line < line) continue;
      if (best === undefined || mapping.original.line < best.original.line) best = mapping;
    }
    return best?.generated;
  }
}

function pathOf(source: string, root: string, folder: string): string {
  const whole = root !== '' && !/^(?:\/|\w+:)/.test(source) ? `${root.replace(/\/$/, '')}/${source}` : source;
  return whole.startsWith('file://') ? fileURLToPath(whole) : resolve(folder, whole);
}

function decode(mappings: string): Mapping[] {
  const found: Mapping[] = [];
  let [source, originalLine, originalColumn] = [0, 0, 0];
  for (const [line, row] of mappings.split(';').entries()) {
    let column = 0;
    for (const segment of row.split(',')) {
      const [columnStep, sourceStep, lineStep, originalStep] = numbersIn(segment);
      if (columnStep === undefined) continue;
      column += columnStep;
      if (sourceStep === undefined || lineStep === undefined || originalStep === undefined) continue;
      source += sourceStep;
      originalLine += lineStep;
      originalColumn += originalStep;
      found.push({ generated: { line, column }, source, original: { line: originalLine, column: originalColumn } });
    }
  }
  return found;
}

/** Base 64 numbers of variable length; the lowest bit is the sign. */
function numbersIn(segment: string): number[] {
  const numbers: number[] = [];
  let [value, shift] = [0, 0];
  for (const letter of segment) {
    const digit = DIGITS.get(letter);
    if (digit === undefined) throw new Error('not a mapping');
    value += (digit & 31) * 2 ** shift;
    shift += 5;
    if ((digit & 32) !== 0) continue;
    numbers.push(value % 2 === 1 ? -Math.floor(value / 2) : value / 2);
    [value, shift] = [0, 0];
  }
  return numbers;
}
