/** `git config`: reading is harmless, writing depends on the name, and other files than the repository's are the user's. */
import type { Check } from '../language.ts';
import { isHarmlessSetting } from '../languages/git-setting.ts';

const READS = ['--get', '--get-all', '--get-regexp', '--get-urlmatch', '-l', '--get-color', '--get-colorbool'];
const WRITES = ['--add', '--replace-all', '--unset', '--unset-all', '--append'];

/** Settings of git. */
export const check: Check = {
  check({ flags, operands }, meaning) {
    const words = operands.map(({ value }) => value);
    if (words.includes(undefined)) return meaning.refuse('a setting of git that is only known when it runs');
    const [verb = ''] = words;
    const [file] = flags.get('-f') ?? [];
    const isVerb = /^(list|get|set|unset|edit|rename-section|remove-section)$/.test(verb);
    const writes = WRITES.some((flag) => flags.has(flag));
    const reads =
      !writes &&
      (READS.some((flag) => flags.has(flag)) || verb === 'list' || verb === 'get' || (!isVerb && words.length === 1));
    if (reads) {
      if (file) meaning.role('read', file);
      return;
    }
    if (verb === 'edit' || verb.endsWith('-section') || words.length === 0)
      return meaning.refuse('this form of `git config`');
    meaning.add(1, 'changes the configuration of git');
    if (file || flags.has('--global') || flags.has('--system'))
      meaning.add(2, 'changes the configuration of the user or the machine');
    const key = (verb === 'set' || verb === 'unset' ? words[1] : verb) ?? '';
    if (!isHarmlessSetting(key)) meaning.add(2, `changes ${key}, which can decide what git runs`);
  },
};
