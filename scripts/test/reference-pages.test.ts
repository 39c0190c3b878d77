/** Apart from the other rules of the house, because every plugin is loaded for it; in a process of its own, which loads them sooner. */
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

import { REPOSITORY } from '../workspace.mjs';

it('reference pages and API report are up to date (else: npm run generate)', () => {
  const { stderr, status } = spawnSync(process.execPath, ['scripts/generate-docs.mjs', '--check'], {
    cwd: REPOSITORY,
    encoding: 'utf8',
  });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
});
