/** `git worktree add`: a new folder beside the workspace is what worktrees are for; every other place counts as what it is. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Check } from '../language.ts';

/** The folder of a new worktree. */
export const check: Check = {
  check({ operands: [folder] }, meaning) {
    if (folder === undefined) return;
    const isBeside =
      /^\.\.\/\w[\w.-]*\/?$/.test(folder.value ?? '') && !existsSync(resolve(meaning.cwd, folder.value ?? ''));
    if (!isBeside) meaning.role('create', folder);
  },
};
