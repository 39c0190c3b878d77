import { expect, test } from 'vitest';

import { withCounts } from '../conformance/page.mjs';

const PAGE = 'before\n<!-- counts -->\n<!-- /counts -->\nafter\n';
const count = (suite: string, cases: number) => ({
  suite,
  oracle: 'tool 1',
  cases,
  same: cases,
  refused: 0,
  different: 0,
});

test('a run replaces the rows of its suites and keeps the others, in order of their names', () => {
  const first = withCounts(PAGE, [count('shell', 1200), count('ignore rules', 5)]);
  const second = withCounts(first, [count('shell', 3)]);
  const rows = second.split('\n').filter((line) => line.startsWith('| ') && line.includes('tool 1'));
  expect(rows).toEqual(['| ignore rules | tool 1 | 5 | 5 | 0 | 0 |', '| shell | tool 1 | 3 | 3 | 0 | 0 |']);
  expect(first).toContain('| shell | tool 1 | 1,200 |');
  expect(second.startsWith('before\n<!-- counts -->\n| what is compared')).toBe(true);
  expect(second.endsWith('<!-- /counts -->\nafter\n')).toBe(true);
});
