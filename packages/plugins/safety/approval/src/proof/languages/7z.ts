/** 7z: a verb, an archive, names, and flags with their values attached. */
import { knownWord, type CallWord, type Language } from '../language.ts';
import { valueOf } from './known-words.ts';

const FLAGS = /^-(?:y|r|bd|bb[0-3]?|mx=?\d?|mmt=?\w*|t(?:7z|zip|tar|gzip|bzip2|xz)|ao[asut]|slt|ssc-?)$/;

/** Reads the words. */
export const language: Language = {
  read(words, meaning) {
    const verb = valueOf(words[0], meaning, 'what 7z does');
    if (!/^(?:a|u|x|e|l|t)$/.test(verb)) meaning.refuse(`the verb ${verb} of 7z`, words[0]);
    let folder: string | undefined;
    const names: CallWord[] = [];
    for (const word of words.slice(1)) {
      const text = valueOf(word, meaning, 'a word of 7z');
      if (text.startsWith('@')) meaning.refuse('a list of names', word);
      else if (!text.startsWith('-')) names.push(word);
      else if (/^-o.+/s.test(text) && folder === undefined) folder = text.slice(2);
      else if (!FLAGS.test(text)) meaning.refuse(`the flag ${text} of 7z`, word);
    }
    const [archive, ...files] = names;
    if (archive === undefined) return meaning.refuse('7z without an archive');
    if (verb === 'a' || verb === 'u') {
      meaning.role('write', archive);
      // Without an ending, 7z adds one.
      if (archive.value !== undefined) meaning.text('write', `${archive.value}.7z`);
      for (const word of files) meaning.role('search', word);
      return;
    }
    meaning.role('read', archive);
    if (verb === 'x' || verb === 'e') meaning.role('write', knownWord(folder ?? '.'));
  },
};
