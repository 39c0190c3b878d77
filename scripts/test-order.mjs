/**
 * The order of test files: first those with a process of their own, the long ones among them first, so that none is left for the
 * end; then the others by path, because neighbours import the same modules.
 */
import { relative } from 'node:path';

import { BaseSequencer } from 'vitest/node';

import { isLongSuite } from './long-suites.mjs';
import { needsOwnProcess } from './shared-forks.mjs';
import { REPOSITORY } from './workspace.mjs';

export class TestOrder extends BaseSequencer {
  async sort(specifications) {
    // Vitest's own order: by the time that a file took in an earlier run, else by its size.
    const rows = (await super.sort([...specifications])).map((specification) => {
      const file = specification.moduleId;
      const rank = isLongSuite(relative(REPOSITORY, file)) ? 0 : needsOwnProcess(file) ? 1 : 2;
      return { specification, file, rank };
    });
    rows.sort((a, b) => a.rank - b.rank || (a.rank < 2 ? 0 : a.file < b.file ? -1 : 1));
    return rows.map(({ specification }) => specification);
  }
}
