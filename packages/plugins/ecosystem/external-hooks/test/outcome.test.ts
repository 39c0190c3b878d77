import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DECISIONS, merge, type Reading } from '../src/outcome.ts';

const decisions = fc.option(fc.constantFrom(...DECISIONS), { nil: undefined });
const readings = fc.array(
  fc
    .record({ decision: decisions, reason: fc.option(fc.string({ minLength: 1 }), { nil: undefined }) })
    .map(({ decision, reason }): Reading => ({
      ...(decision !== undefined && { decision }),
      ...(reason !== undefined && { reason }),
    })),
);

describe('What hooks say together', () => {
  it('is the strongest decision of all: deny over defer over ask over allow, in any order', () => {
    fc.assert(
      fc.property(readings, (given) => {
        const strongest = DECISIONS.find((one) => given.some(({ decision }) => decision === one));
        expect(merge(given).decision).toBe(strongest);
      }),
    );
  });

  it('never becomes weaker when another hook has something to say', () => {
    const rank = (decision: Reading['decision']) =>
      decision === undefined ? DECISIONS.length : DECISIONS.indexOf(decision);
    fc.assert(
      fc.property(readings, readings, (some, more) => {
        expect(rank(merge([...some, ...more]).decision)).toBeLessThanOrEqual(rank(merge(some).decision));
        expect(merge([...more, ...some]).decision).toBe(merge([...some, ...more]).decision);
      }),
    );
  });

  it('gives the reasons of those who decided, and of nobody else', () => {
    const given: Reading[] = [
      { decision: 'allow', reason: 'fine' },
      { decision: 'deny', reason: 'one' },
      { decision: 'ask', reason: 'who knows' },
      { decision: 'deny', reason: 'two' },
    ];
    expect(merge(given)).toMatchObject({ decision: 'deny', reason: 'one\ntwo' });
  });
});
