import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changesBetween, compareVersions, isVersion } from '../src/versions.ts';

const part = fc.nat({ max: 12 });
const tag = fc.option(
  fc.array(fc.oneof(part.map(String), fc.constantFrom('alpha', 'beta', 'rc', 'x-1')), { minLength: 1, maxLength: 3 }),
);
const version = fc
  .tuple(part, part, part, tag)
  .map(([major, minor, patch, words]) => `${major}.${minor}.${patch}${words ? `-${words.join('.')}` : ''}`);

describe('versions', () => {
  it('are in the order of the specification', () => {
    const order = [
      '1.0.0-alpha',
      '1.0.0-alpha.1',
      '1.0.0-alpha.beta',
      '1.0.0-beta',
      '1.0.0-beta.2',
      '1.0.0-beta.11',
      '1.0.0-rc.1',
      '1.0.0',
      '1.0.1',
      '1.10.0',
      '2.0.0',
    ];
    expect(order.toReversed().toSorted(compareVersions)).toEqual(order);
  });

  it('have one order, whichever is asked first', () => {
    fc.assert(
      fc.property(version, version, version, (a, b, c) => {
        expect(isVersion(a)).toBe(true);
        expect(Math.sign(compareVersions(a, b))).toBe(-Math.sign(compareVersions(b, a)) + 0);
        const [low, middle, high] = [a, b, c].toSorted(compareVersions);
        expect(compareVersions(low ?? '', middle ?? '')).toBeLessThanOrEqual(0);
        expect(compareVersions(low ?? '', high ?? '')).toBeLessThanOrEqual(0);
      }),
    );
  });
});

describe('the changes between two versions', () => {
  const changelog =
    '# Changelog\n\nWords.\n\n## Unreleased\n\n- soon\n\n## [0.3.0] - 2026-12-01\n\n- three\n### More\n- of it\n\n## 0.2.0\n\n- two\n\n## 0.1.0\n\n- one\n';

  it('are the sections above the old one, up to the new one', () => {
    expect(changesBetween(changelog, '0.1.0', '0.3.0')).toBe(
      '## [0.3.0] - 2026-12-01\n\n- three\n### More\n- of it\n\n## 0.2.0\n\n- two',
    );
    expect(changesBetween(changelog, '0.1.0', '0.2.0')).toBe('## 0.2.0\n\n- two');
    expect(changesBetween(changelog, '0.3.0', '0.3.1')).toBe('');
  });
});
