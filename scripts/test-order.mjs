/**
 * The order of test files: the slow ones first, so that none is left for the end; then those that need a process of their own;
 * then the others by path, because neighbours import the same modules.
 */
import { relative } from 'node:path';

import { BaseSequencer } from 'vitest/node';

import { needsOwnProcess } from './shared-forks.mjs';
import { readTestTimes } from './test-times.mjs';
import { REPOSITORY } from './workspace.mjs';

export class TestOrder extends BaseSequencer {
  async sort(specifications) {
    const seconds = readTestTimes();
    const rows = specifications.map((specification) => {
      const file = relative(REPOSITORY, specification.moduleId).replaceAll('\\', '/');
      return { specification, file, seconds: seconds[file] ?? 0, alone: needsOwnProcess(specification.moduleId) };
    });
    rows.sort((a, b) => b.seconds - a.seconds || Number(b.alone) - Number(a.alone) || (a.file < b.file ? -1 : 1));
    return rows.map(({ specification }) => specification);
  }
}
