import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Waits } from '../src/waits.ts';

describe('waits', () => {
  it('tell both ends when two wait for each other, and everyone in a longer circle', () => {
    const waits = new Waits();
    const [ab, bc] = [waits.begin('a', 'b'), waits.begin('b', 'c')];
    const other = waits.begin('x', 'a');
    expect([ab.isCrossed, bc.isCrossed]).toEqual([false, false]);
    const ca = waits.begin('c', 'a');
    expect([ab, bc, ca, other].map(({ isCrossed }) => isCrossed)).toEqual([true, true, true, false]);
  });

  it('forget waits that have ended', () => {
    const waits = new Waits();
    waits.begin('a', 'b').end();
    expect(waits.begin('b', 'a').isCrossed).toBe(false);
  });

  it('mark exactly the waits that close a circle, whatever the graph is', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    fc.assert(
      fc.property(fc.array(fc.tuple(name, name), { maxLength: 12 }), (pairs) => {
        const waits = new Waits();
        const before: (readonly [string, string])[] = [];
        for (const [waiter, target] of pairs) {
          const isCircle = waiter !== target && reaches(before, target, waiter);
          expect(waits.begin(waiter, target).isCrossed).toBe(isCircle);
          before.push([waiter, target]);
        }
      }),
    );
  });
});

function reaches(edges: readonly (readonly [string, string])[], from: string, to: string): boolean {
  const seen = new Set([from]);
  for (let grown = true; grown;) {
    grown = false;
    for (const [waiter, target] of edges) {
      if (!seen.has(waiter) || seen.has(target)) continue;
      seen.add(target);
      grown = true;
    }
  }
  return seen.has(to) && from !== to;
}
