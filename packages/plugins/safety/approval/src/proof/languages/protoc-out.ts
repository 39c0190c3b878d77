/** `--cpp_out=PARAMETERS:FOLDER`: protoc takes what stands behind the first colon for the folder. */
import type { Language } from '../language.ts';
import { valueOf } from './option-table.ts';

/** A folder for what is made. */
export const language: Language = {
  read([word], meaning) {
    const value = valueOf(word, meaning, 'a folder');
    meaning.text('create', value.slice(value.indexOf(':') + 1));
  },
};
