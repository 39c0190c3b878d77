/** tree takes the values of its flags from the next word, never from the same one. */
import type { Language } from '../language.ts';
import { valueOf } from './known-words.ts';

const LONG =
  /^--(?:gitignore|ignore-case|matchdirs|metafirst|prune|info|noreport|si|du|inodes|device|dirsfirst|filesfirst|nolinks|sort=(?:name|version|size|mtime|ctime)|charset=[\w-]+|version|help)$/;

/** Reads the words. `-R` is not among them: it writes files. */
export const language: Language = {
  read(words, meaning) {
    for (let at = 0; at < words.length; at++) {
      const word = words[at];
      const text = valueOf(word, meaning, 'a word of tree');
      if (text === '--charset' || text === '--timefmt' || text === '--filelimit') at++;
      else if (LONG.test(text)) continue;
      else if (/^-[adlfxqNQpugshDFvtcUriASnCXJ]*[LPIo]$/.test(text)) {
        const value = words[++at];
        if (value === undefined || value.isMany) meaning.refuse('the value of a flag of tree', word);
        else if (text.endsWith('o')) meaning.role('write', value);
      } else if (text.startsWith('-')) {
        if (!/^-[adlfxqNQpugshDFvtcUriASnCXJ]+$/.test(text)) meaning.refuse(`the flag ${text} of tree`, word);
      } else if (word) meaning.role('read', word);
    }
  },
};
