/**
 * Lines that know who they are: files are changed by whole steps (insert, delete, move, copy, change, indent), and a place that is
 * found must hold the very lines that were meant, unless the texts alone speak for another.
 */
import { caseCount } from '@tenon/test-kit/properties';
import fc from 'fast-check';
import { fileURLToPath } from 'node:url';
import { patientLimit } from '@tenon/test-kit/waiting';
import { describe, expect, it } from 'vitest';
import { LineMap } from '../src/edit/line-map.ts';
import { Random } from './edit-corpus/random.ts';
import { LANGUAGES, sourcesOf } from './edit-corpus/sources.ts';

interface Line {
  readonly id: number;
  readonly text: string;
}

const root = fileURLToPath(new URL('../../../../..', import.meta.url));
const sources = LANGUAGES.flatMap((language) => sourcesOf(root, language)).map(({ text }) => text.split('\n'));
/** So far around a place its neighbours are compared. */
const REACH = 8;

class Drifting {
  readonly random: Random;
  readonly old: readonly Line[];
  readonly steps: string[] = [];
  now: Line[];
  #next = 0;

  constructor(number: number) {
    this.random = new Random(number);
    const source = sources[this.random.below(sources.length)] ?? [];
    const from = this.random.below(Math.max(1, source.length - 10));
    this.old = source.slice(from, from + 8 + this.random.below(50)).map((text) => this.#line(text));
    this.now = [...this.old];
    for (let count = 1 + this.random.below(4); count > 0 && this.now.length > 3; count--) this.#step();
  }

  #line(text: string): Line {
    return { id: this.#next++, text };
  }

  range(length: number, most: number): [number, number] {
    const start = this.random.below(length);
    return [start, Math.min(length, start + 1 + this.random.below(most))];
  }

  #step(): void {
    const { random, now } = this;
    const [start, end] = this.range(now.length, 8);
    const size = end - start;
    const anywhere = random.below(now.length + 1);
    const kind = ['insert', 'delete', 'move', 'copy', 'copy', 'change', 'indent'][random.below(7)] ?? '';
    this.steps.push(`${kind} ${start}-${end}`);
    if (kind === 'insert') {
      const known = now[random.below(now.length)]?.text ?? '';
      now.splice(start, 0, this.#line(random.below(2) === 0 ? known : `  added${random.below(1000)}();`));
    } else if (kind === 'delete') now.splice(start, size);
    else if (kind === 'move') {
      const block = now.splice(start, size);
      now.splice(Math.min(anywhere, now.length), 0, ...block);
    } else if (kind === 'copy') {
      const copies = now.slice(start, end).map(({ text }) => this.#line(text));
      now.splice([start, end, anywhere][random.below(3)] ?? 0, 0, ...copies);
    } else {
      const last = kind === 'change' ? start + 1 : end;
      this.now = now.map(({ id, text }, at) => {
        if (at < start || at >= last || text === '') return { id, text };
        return { id, text: kind === 'indent' ? `  ${text}` : text.replace(/\w+/, (word) => `${word}2`) };
      });
    }
  }

  /** How many lines around the range are, in order, also around a place; indentation does not count. */
  fit(start: number, end: number, at: number): number {
    const texts = (lines: readonly Line[], from: number, until: number) =>
      lines.slice(Math.max(0, from), Math.max(0, until)).map(({ text }) => text.trim());
    return (
      shared(texts(this.old, start - REACH, start), texts(this.now, at - REACH, at)) +
      shared(texts(this.old, end, end + REACH), texts(this.now, at + end - start, at + end - start + REACH))
    );
  }
}

function shared(one: readonly string[], other: readonly string[]): number {
  let row = other.map(() => 0);
  for (const text of one) {
    const next: number[] = [];
    for (const [at, found] of other.entries()) {
      const isSame = text !== '' && text === found;
      next.push(isSame ? (row[at - 1] ?? 0) + 1 : Math.max(row[at] ?? 0, next[at - 1] ?? 0));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

describe('lines that know who they are', () => {
  it('are never taken for others while they are there and fit as well', { timeout: patientLimit(600_000) }, () => {
    let found = 0;
    fc.assert(
      fc.property(fc.nat(), (number) => {
        const file = new Drifting(number);
        const { old, now } = file;
        const map = new LineMap(texts(old), texts(now));
        for (let count = 0; count < 4; count++) {
          const [start, end] = file.range(old.length, 3);
          const place = map.locate(start, end);
          const at = now.findIndex(({ id }) => id === old[start]?.id);
          const meant = old.slice(start, end);
          const isThere = at >= 0 && meant.every(({ id, text }, index) => isLike(now[at + index], id, text));
          if (!('at' in place) || !isThere) continue;
          found += 1;
          const isWordless = !meant.some(({ text }) => /\w/.test(text));
          const isFine = place.at === at || isWordless || file.fit(start, end, at) < file.fit(start, end, place.at);
          expect(isFine, `${file.steps.join(', ')}: ${start}-${end} is at ${at}, found at ${place.at}`).toBe(true);
        }
      }),
      { numRuns: caseCount(3000), endOnFailure: true },
    );
    expect(found).toBeGreaterThan(100);
  });
});

function texts(lines: readonly Line[]): string[] {
  return lines.map(({ text }) => text);
}

function isLike(line: Line | undefined, id: number, text: string): boolean {
  return line?.id === id && line.text.trim() === text.trim();
}
