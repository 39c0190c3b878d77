/**
 * The order of test files: first the long ones, so that none is left for the end, then others with a process of their own, then the
 * rest; each by path, because neighbours import the same modules and mostly share a process.
 */
import { relative } from 'node:path';

import { BaseSequencer } from 'vitest/node';

import { isLongSuite } from './long-suites.mjs';
import { needsOwnProcess } from './shared-forks.mjs';
import { REPOSITORY } from './workspace.mjs';

export class TestOrder extends BaseSequencer {
  async sort(specifications) {
    const rows = specifications.map((specification) => {
      const file = specification.moduleId;
      const rank = (isLongSuite(relative(REPOSITORY, file)) ? 0 : 2) + (needsOwnProcess(file) ? 0 : 1);
      return { specification, file, rank };
    });
    rows.sort((a, b) => a.rank - b.rank || (a.file < b.file ? -1 : 1));
    return rows.map(({ specification }) => specification);
  }
}
