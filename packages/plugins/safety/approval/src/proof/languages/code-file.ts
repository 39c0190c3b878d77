/** A file or folder of code: neither code itself (`--config '{…}'`), nor an address, nor another flag that the program may see in it. */
import type { Language } from '../language.ts';

/** A file of code. */
export const language: Language = {
  read([word], meaning) {
    if (word === undefined) return;
    // Names that `git ls-files` and the like list: checked files, which lie in the workspace or count as changed elsewhere.
    if (word.value === undefined && word.below !== undefined) return meaning.role('write', word);
    if (/^\s*[-{[]|:\/\/|^[a-z]+:|\n/i.test(word.prefix))
      meaning.refuse(`${word.prefix}, which need not be a file`, word);
    meaning.role('file-of-code', word);
  },
};
