/** unzip: what is unpacked is written. */
import { knownWord, type CallWord, type Language } from '../language.ts';
import { valueOf } from './known-words.ts';

/** Reads the words. */
export const language: Language = {
  read(words, meaning) {
    let archive = false;
    let isWriting = true;
    let folder: CallWord | undefined;
    for (let at = 0; at < words.length; at++) {
      const word = words[at];
      const text = valueOf(word, meaning, 'a word of unzip');
      if (text === '-d') {
        if (folder) meaning.refuse('two folders to unpack into', word);
        folder = words[++at] ?? meaning.refuse('the folder to unpack into', word);
        valueOf(folder, meaning, 'the folder to unpack into');
      } else if (text === '-x' && archive) continue;
      else if (text.startsWith('-')) {
        // Not `:` (allows ..), K, M, P, V and W; `-Z` is another program.
        if (!/^-(?:[lvtzpcqonjaufCLUX]+|Z1?)$/.test(text) || archive) meaning.refuse(`the flag ${text} of unzip`, word);
        if (/[lvtzpcZ]/.test(text)) isWriting = false;
      } else if (!archive && word) {
        archive = true;
        meaning.role('read', word);
      }
    }
    if (!archive) meaning.refuse('unzip without an archive');
    if (isWriting) meaning.role('write', folder ?? knownWord('.'));
  },
};
