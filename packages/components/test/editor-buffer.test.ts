import { caseCount } from '@tenon/test-kit/properties';
import fc from 'fast-check';
import { expect, it } from 'vitest';

import { graphemes, nextBorder, previousBorder, snapToBorder } from '../src/editor/graphemes.ts';
import { endOf, type Position } from '../src/editor/positions.ts';
import { RowLayout } from '../src/editor/row-layout.ts';
import { TextBuffer } from '../src/editor/text-buffer.ts';
import { text } from './editor-support.ts';

const FAMILY = '👨‍👩‍👧‍👦';
const PARTS = [
  'a',
  'b',
  ' ',
  '-',
  'é',
  'e\u0301',
  '漢',
  '字',
  FAMILY,
  '👍🏽',
  '🇩🇪',
  '🇫🇷',
  '\u0301',
  '\u200d',
  'שלום',
  'مرحبا',
  'ก็',
  '각',
  '\ud83d',
  '\udc4d',
  '\t',
];
const pieces = fc.array(fc.oneof(fc.constantFrom(...PARTS), fc.string({ unit: 'binary', maxLength: 3 })), {
  maxLength: 30,
});
const lineText = pieces.map((parts) => parts.join('').replaceAll(/[\r\n]/g, ''));
const manyLines = fc.array(lineText, { minLength: 1, maxLength: 6 }).map((lines) => lines.join('\n'));

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

it('finds the borders of graphemes that a segmenter of the whole line finds', () => {
  fc.assert(
    fc.property(lineText, (line) => {
      const borders = [...segmenter.segment(line)].map(({ index }) => index).concat(line.length);
      expect(graphemes(line)).toEqual([...segmenter.segment(line)].map(({ segment }) => segment));
      for (const [at, border] of borders.entries()) {
        if (at > 0) expect(previousBorder(line, border)).toBe(borders[at - 1]);
        if (border < line.length) expect(nextBorder(line, border)).toBe(borders[at + 1]);
      }
      for (let offset = 0; offset <= line.length; offset += 1) {
        expect(snapToBorder(line, offset)).toBe(borders.find((border) => border >= offset));
      }
    }),
    { numRuns: caseCount(500) },
  );
});

it('finds them where a look ahead ends in the middle of a character', () => {
  for (let length = 50; length < 70; length += 1) {
    const line = `${'\u{10000}'.repeat(length >> 1)}${length % 2 === 0 ? '' : 'a'}👍🏽`;
    expect(graphemes(line).at(-1), String(length)).toBe('👍🏽');
  }
});

/** The same text as one string. */
class StringModel {
  text = '';
  offsetOf = ({ line, offset }: Position): number =>
    this.text
      .split('\n')
      .slice(0, line)
      .reduce((sum, one) => sum + one.length + 1, 0) + offset;
}

const edit = fc.record({
  from: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.nat(12),
  inserted: fc.oneof(lineText, manyLines),
  kind: fc.constantFrom('type' as const, 'erase' as const, 'other' as const),
});

/** A place in the buffer by an offset of the whole text. */
function placeOf(whole: string, offset: number): Position {
  const before = whole.slice(0, offset).split('\n');
  return { line: before.length - 1, offset: before.at(-1)?.length ?? 0 };
}

it('holds the text that a string would, and undo leads back through every step to the start', () => {
  fc.assert(
    fc.property(manyLines, fc.array(edit, { maxLength: 20 }), (start, edits) => {
      const buffer = new TextBuffer();
      buffer.reset(start);
      const model = new StringModel();
      model.text = start;
      for (const { from, length, inserted, kind } of edits) {
        const first = Math.floor(from * model.text.length);
        const last = Math.min(model.text.length, first + length);
        buffer.replace(placeOf(model.text, last), placeOf(model.text, first), inserted, kind);
        model.text = model.text.slice(0, first) + inserted + model.text.slice(last);
        expect(buffer.text).toBe(model.text);
        expect(buffer.lineCount).toBe(model.text.split('\n').length);
        const { line, offset } = buffer.caret;
        expect(snapToBorder(buffer.line(line), offset)).toBe(offset);
        if (last > first || inserted !== '') {
          expect(model.offsetOf(buffer.caret)).toBeGreaterThanOrEqual(first + inserted.length);
        }
      }
      const end = buffer.text;
      while (buffer.undo());
      expect(buffer.text).toBe(start);
      while (buffer.redo());
      expect(buffer.text).toBe(end);
    }),
  );
});

it('makes one step of a run of typing, one of a run of erasing, and one of a paste', () => {
  const buffer = new TextBuffer();
  for (const letter of 'hello') buffer.insert(letter, 'type');
  buffer.insert('a\npaste');
  for (const letter of '!?') buffer.insert(letter, 'type');
  const steps: string[] = [];
  while (buffer.undo()) steps.push(buffer.text);
  expect(steps).toEqual(['helloa\npaste', 'hello', '']);
  while (buffer.redo());
  for (let erased = 0; erased < 3; erased += 1) {
    buffer.replace({ line: 1, offset: buffer.caret.offset - 1 }, buffer.caret, '', 'erase');
  }
  expect(buffer.text).toBe('helloa\npast');
  buffer.undo();
  expect(buffer.text).toBe('helloa\npaste!?');
});

it('begins a new step after the caret was moved', () => {
  const buffer = new TextBuffer();
  buffer.insert('a', 'type');
  buffer.moveTo(buffer.caret);
  buffer.insert('b', 'type');
  buffer.undo();
  expect(buffer.text).toBe('a');
});

const startsOf = (layout: RowLayout, line: number): (number | undefined)[] =>
  Array.from({ length: layout.count(line) }, (_, row) => layout.start({ line, row }));

it('breaks a changed line into the rows that it would have if it were new', () => {
  const measure = (grapheme: string, column: number): number =>
    grapheme === '\t' ? 4 - (column % 4) : text.width(grapheme);
  fc.assert(
    fc.property(
      manyLines,
      fc.array(edit, { maxLength: 12 }),
      fc.integer({ min: 1, max: 12 }),
      (start, edits, width) => {
        const buffer = new TextBuffer();
        const layout = new RowLayout(buffer, measure);
        buffer.watch((change) => layout.follow(change));
        layout.width = width;
        buffer.reset(start);
        for (const { from, length, inserted } of edits) {
          const first = Math.floor(from * buffer.text.length);
          // Some rows of some lines are known.
          for (let line = 0; line < buffer.lineCount; line += 2) layout.start({ line, row: first % 7 });
          if (first % 3 === 0) layout.count(0);
          const last = Math.min(buffer.text.length, first + length);
          buffer.replace(placeOf(buffer.text, first), placeOf(buffer.text, last), inserted);
          const fresh = new RowLayout(buffer, measure);
          fresh.width = width;
          for (let line = 0; line < buffer.lineCount; line += 1)
            expect(startsOf(layout, line)).toEqual(startsOf(fresh, line));
        }
      },
    ),
    { numRuns: caseCount(300) },
  );
});

it('breaks a line at spaces, lets one space hang over, and cuts words that are too long', () => {
  const buffer = new TextBuffer();
  const layout = new RowLayout(buffer, (grapheme) => text.width(grapheme));
  layout.width = 5;
  const rowsOf = (line: string): string[] => {
    buffer.reset(line);
    layout.clear();
    return startsOf(layout, 0).map((_, row) => layout.text({ line: 0, row }));
  };
  expect(rowsOf('hello world')).toEqual(['hello ', 'world']);
  expect(rowsOf('hello ')).toEqual(['hello ', '']);
  expect(rowsOf('a bcd efg')).toEqual(['a bcd ', 'efg']);
  expect(rowsOf('abcdefgh ij')).toEqual(['abcde', 'fgh ', 'ij']);
  expect(rowsOf('漢字漢字')).toEqual(['漢字', '漢字']);
});

it('says where a text ends', () => {
  expect(endOf({ line: 2, offset: 3 }, 'ab')).toEqual({ line: 2, offset: 5 });
  expect(endOf({ line: 2, offset: 3 }, 'ab\n\ncd')).toEqual({ line: 4, offset: 2 });
});
