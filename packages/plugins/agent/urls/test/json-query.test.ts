import { caseCount } from '@tenon/test-kit/properties';
import fc from 'fast-check';
import { TenonError } from '@tenon/kernel';
import { describe, expect, it } from 'vitest';
import { extractJson } from '../src/json-query.ts';

const data = {
  name: 'report',
  items: [
    { id: 1, size: 5, tags: ['x', 'y'], 'odd.key': true },
    { id: 2, size: 1, tags: [] },
    { id: 3, tags: ['y'] },
  ],
  nested: { '0': 'zero', deep: { length: 4 } },
};
const ask = (query: string) => extractJson(data, { query });

describe('queries', () => {
  it.each([
    ['.', data],
    ['.name', 'report'],
    ['name', 'report'],
    ['items[0].id', 1],
    ['.items.1.id', 2],
    ['.items[-1].id', 3],
    ['.items[].id', [1, 2, 3]],
    ['.items[0]["odd.key"]', true],
    ['.items[0]."odd.key"', true],
    ['.items[1:].id', undefined],
    ['.items[1:].id?', null],
    ['.items[1:3] | map(.id)', [2, 3]],
    ['.items | length', 3],
    ['keys', ['name', 'items', 'nested']],
    ['.nested.deep.length', 4],
    ['.nested[0]', 'zero'],
    ['.items | first | .tags', ['x', 'y']],
    ['.items[] | select(.size > 3) | .id', [1]],
    ['.items[] | select(.size) | .id', [1, 2]],
    ['.items[] | select(.tags contains "y") | .id', [1, 3]],
    ['.items[] | select(.tags | length == 0) | .id', [2]],
    ['.items[] | select(.id != 2).id', undefined],
    ['.missing?', null],
    ['.items[] | .size?', [5, 1, null]],
    ['.name[0:3]', 'rep'],
  ])('%s', (query, expected) => {
    if (expected === undefined) expect(() => ask(query)).toThrow(TenonError);
    else expect(ask(query)).toEqual(expected);
  });

  it('say what is there when something is not', () => {
    const next = (query: string) => {
      try {
        return ask(query);
      } catch (fault) {
        return (fault as TenonError).next;
      }
    };
    expect(next('.items[0].sise')).toBe('The keys are: id, size, tags, odd.key.');
    expect(next('.items.name')).toBe('It is a list of 3: use [0] or [].');
    expect(next('.items[9]')).toBe('The list has 3 items.');
    expect(next('.constructor')).toContain('The keys are');
    expect(next('.__proto__')).toContain('The keys are');
    expect(next('.name | system("id")')).toContain('Write it like');
  });

  it('take a path of keys and indexes, where numbers may be either', () => {
    expect(extractJson(data, { path: ['items', '2', 'tags', '0'] })).toBe('y');
    expect(extractJson(data, { path: ['nested', '0'] })).toBe('zero');
    expect(() => extractJson(data, { path: ['toString'] })).toThrow(/toString/);
  });

  it('end in an answer or in an error of the catalogue, whatever is asked', () => {
    const token = fc.constantFrom(
      '.',
      'items',
      '[',
      ']',
      '[]',
      '0',
      '|',
      'map(',
      'select(',
      ')',
      '"',
      '\\',
      '?',
      ':',
      '==',
      'keys',
      ' ',
      '-1',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(token).map((parts) => parts.join('')),
        ),
        (query) => {
          try {
            ask(query);
          } catch (fault) {
            expect(fault).toBeInstanceOf(TenonError);
          }
        },
      ),
      { numRuns: caseCount(2000) },
    );
  });

  it('stop before they give more than anybody can read', () => {
    const wide = Array.from({ length: 200 }, () => Array.from({ length: 200 }, () => 1));
    expect(() => extractJson(wide, { query: '.[][]' })).toThrow(/more than 10000/);
    expect(() => extractJson(data, { query: 'map('.repeat(50) })).toThrow(/nested/);
  });
});
