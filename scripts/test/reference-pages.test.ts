/** Apart from the other rules of the house, because every plugin is loaded for it. */
import { expect, it } from 'vitest';

import { docFiles } from '../generate-docs.mjs';
import { outdated } from '../generated-file.mjs';
import { REPOSITORY } from '../workspace.mjs';

it('reference pages and API report are up to date (else: npm run generate)', async () => {
  expect(outdated(REPOSITORY, await docFiles()).map(({ path }) => path)).toEqual([]);
});
