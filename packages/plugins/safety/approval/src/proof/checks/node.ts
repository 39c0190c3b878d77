/** `node FILE`: Tenon's own program counts as `tenon`, however it is started. */
import { realpathSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { type Check, knownWord } from '../language.ts';
import { readProgramWords } from './program-words.ts';

/** What node runs. */
export const check: Check = {
  check({ flags, operands: [file, ...words] }, meaning) {
    if (file?.value === undefined) return;
    if (/^(inspect|debug)$/.test(file.value)) return meaning.refuse('the debugger of node', file);
    const path = realPath(resolve(meaning.cwd, file.value));
    const isTenon =
      /^tenon(\.[cm]?[jt]s)?$/.test(basename(path)) ||
      /\/(@tenon|tenon)\/cli\//.test(path) ||
      path === realPath(process.argv[1] ?? '');
    if (isTenon) return meaning.command([knownWord('tenon'), ...words]);
    readProgramWords(words, meaning, flags.has('--test') ? 'tests' : 'program');
  },
};

/** A path without links; one that is not there stays as it is. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // Nothing is there: the words decide.
    return path;
  }
}
