import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { satisfies } from '../src/index.ts';

describe('version ranges', () => {
  it.each([
    ['1.0.0', '^1', true],
    ['1.9.3', '^1.2', true],
    ['2.0.0', '^1', false],
    ['0.2.5', '^0.2.1', true],
    ['0.3.0', '^0.2.1', false],
    ['1.0.0', '*', true],
    ['1.4.9', '~1.4.2', undefined],
    ['1.5.0', '>=1.2 <2', true],
    ['2.1.0', '>=1.2 <2', false],
    ['3.0.0', '^1 || ^3', true],
    ['1.2.3', '1.2', true],
    ['1.3.0', '1.2', false],
    ['1.0.0', 'banana', undefined],
    ['1.0.0', '^', undefined],
  ])('%s in "%s": %s', (version, range, expected) => {
    expect(satisfies(version, range)).toBe(expected);
  });

  it('a version is in its own exact and caret range, and never in a range above it', () => {
    const number = fc.nat({ max: 50 });
    fc.assert(
      fc.property(number, number, number, (major, minor, patch) => {
        const version = `${major}.${minor}.${patch}`;
        expect(satisfies(version, version)).toBe(true);
        expect(satisfies(version, `^${version}`)).toBe(true);
        expect(satisfies(version, `>=${major}.${minor}.${patch + 1}`)).toBe(false);
        expect(satisfies(version, `^${major + 1}`)).toBe(false);
      }),
    );
  });
});
