import { describe, expect, it } from 'vitest';

import { LineMap } from '../src/edit/line-map.ts';

const FUNCTIONS = [
  'function one() {',
  '  first = 1;',
  '}',
  '',
  'function two() {',
  '  second = 2;',
  '  third = 3;',
  '}',
  '',
  'function three() {',
  '  last = 4;',
  '}',
];

/** The lines of a function, and most of them once more. */
const TWICE = ['function one() {', '}', '', 'function two() {', '  step();', '}', '', '  step();', '}'];

/** The lines with others in the place of `size` of them. */
function spliced(lines: readonly string[], at: number, size: number, ...fresh: readonly string[]): string[] {
  return lines.toSpliced(at, size, ...fresh);
}

describe('lines whose place somebody else has taken', () => {
  it('are not found in a copy elsewhere', () => {
    const before = [...TWICE.slice(0, 9), '', 'function three() {', '  last = 4;', '}'];
    // `function two() {` is copied down, then the original is changed.
    const now = spliced(spliced(before, 9, 0, 'function two() {'), 3, 1, 'function two(name) {');
    expect(new LineMap(before, now).locate(3, 4)).toEqual({ reason: 'repeated' });
  });

  it('are not found in a copy at the start of the file', () => {
    const before = ['function one() {', '  first = 1;', '  return null;', '}'];
    const now = ['function one(name) {', '  return null;', 'function one() {', '  first = 1;', '}'];
    expect(new LineMap(before, now).locate(0, 1)).toEqual({ reason: 'repeated' });
  });

  it('are found where they were moved to, because nothing is left of them', () => {
    const block = FUNCTIONS.slice(4, 9);
    const now = [...FUNCTIONS.toSpliced(4, 5), '', ...block];
    expect(new LineMap(FUNCTIONS, now).locate(5, 6)).toEqual({ at: 9 });
  });

  it('are found between changed neighbours', () => {
    const now = spliced(spliced(FUNCTIONS, 4, 1, 'function two(name) {'), 6, 1, '  third = 33;');
    expect(new LineMap(FUNCTIONS, now).locate(5, 6)).toEqual({ at: 5 });
  });
});

describe('a gap that others have torn open', () => {
  const before = [
    ...['function one() {', '  if (ok) {', '    go();', '  }', '  first = 1;', '  return null;', '}', ''],
    ...['function two() {', '  if (ok) {', '    go();', '  }', '}', ''],
  ];

  it('is not filled beside a copy of the line with what stands before it', () => {
    // The blank line and `function two() {` are copied; the second of the two is changed.
    const now = spliced(spliced(before, 9, 0, '', 'function two(name) {'), 4, 1, '  first = 11;');
    expect(new LineMap(before, now).locateGap(9, 'above')).toEqual({ reason: 'repeated' });
  });

  it('is filled beside its line when a line came that the file did not have', () => {
    const now = spliced(spliced(before, 9, 0, '  came();'), 4, 1, '  first = 11;');
    expect(new LineMap(before, now).locateGap(9, 'above')).toEqual({ at: 9 });
  });
});
