/** A file of sound, pictures or film that is written; `frame-%03d.png` is one per picture. */
import type { Language } from '../language.ts';
import { isMediaFile } from './media-file.ts';
import { valueOf } from './option-table.ts';

/** A file to write. */
export const language: Language = {
  read([word], meaning) {
    const value = valueOf(word, meaning, 'a file').replace(/%0?\d?d/, '0');
    if (!isMediaFile(value)) return meaning.refuse(`what ${value} is`, word);
    meaning.text('write', value);
  },
};
