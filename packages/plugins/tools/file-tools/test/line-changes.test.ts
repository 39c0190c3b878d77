import { caseCount } from '@tenon/test-kit/properties';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineChanges } from '../src/edit/line-changes.ts';

/** Few different lines, so that many are equal. */
const lines = fc.array(fc.constantFrom<string>('a', 'b', '}', ''), { maxLength: 12 });

describe('the lines that differ', () => {
  it('turn the first text into the second', () => {
    fc.assert(
      fc.property(lines, lines, (old, now) => {
        const result = [...old];
        for (const { start, end, lines: added } of lineChanges(old, now).toReversed())
          result.splice(start, end - start, ...added);
        expect(result).toEqual(now);
      }),
      { numRuns: caseCount(500) },
    );
  });

  it('are one edit where lines were inserted or removed in one place, also among equal ones', () => {
    fc.assert(
      fc.property(lines, lines, lines, (before, middle, after) => {
        const [short, long] = [
          [...before, ...after],
          [...before, ...middle, ...after],
        ];
        for (const changes of [lineChanges(short, long), lineChanges(long, short)])
          expect(changes).toHaveLength(middle.length === 0 ? 0 : 1);
      }),
      { numRuns: caseCount(500) },
    );
  });
});
