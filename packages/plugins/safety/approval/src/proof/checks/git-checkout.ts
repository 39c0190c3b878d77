/** `git checkout`: a branch is harmless, files lose what was not committed. git decides by what is there, and so does this. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Check } from '../language.ts';

/** Branches or files. */
export const check: Check = {
  check({ flags, operands, dashes }, meaning) {
    if (flags.has('-b') || flags.has('-B') || flags.has('--orphan')) return;
    const names = operands.map(({ value }) => value);
    if (names.includes(undefined)) return meaning.refuse('a branch or file that is only known when it runs');
    const folder = flags.get('-C')?.[0]?.value ?? '.';
    const isFile = (name: string): boolean =>
      /[*?[]|^:|^\.{1,2}(\/|$)/.test(name) || existsSync(resolve(meaning.cwd, folder, name));
    if (dashes !== undefined || names.length > 1 || names.some((name) => name !== undefined && isFile(name)))
      meaning.add(2, 'throws away changes that were not committed');
  },
};
