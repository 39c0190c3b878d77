/** zip: its flags have several letters, and `-x` and `-i` take all words up to the next flag. */
import type { Language } from '../language.ts';
import { valueOf } from './known-words.ts';

/** Reads the words. The archive is written, everything behind it is read. */
export const language: Language = {
  read(words, meaning) {
    let archive = false;
    let isList = false;
    for (const word of words) {
      const isFlag = word.prefix.startsWith('-') && word.value !== '-';
      if (isFlag) {
        const text = valueOf(word, meaning, 'a flag of zip');
        isList = text === '-x' || text === '-i' || text === '--exclude' || text === '--include';
        // A list before the archive would take its name.
        if (isList && archive) continue;
        if (
          !/^-[0-9rqvjDXyuo]$|^-r[0-9q]$|^-[0-9]r$|^-qr[0-9]?$|^-r9q$|^-rq9$|^-9rq$|^--(?:recurse-paths|quiet|junk-paths|symlinks)$/.test(
            text,
          )
        )
          meaning.refuse(`the flag ${text} of zip`, word);
      } else if (isList) {
        if (word.isMany) meaning.refuse('a pattern of zip', word);
      } else if (!archive) {
        archive = true;
        if (valueOf(word, meaning, 'the archive') !== '-') meaning.role('write', word);
      } else if (word.value?.startsWith('@') === true) meaning.refuse('a list of names', word);
      else meaning.role('search', word);
    }
    if (!archive) meaning.refuse('zip without an archive');
  },
};
