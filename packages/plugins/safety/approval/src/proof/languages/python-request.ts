/** Which Python is meant: a version is looked up, anything else may be a file or folder, and that is run to ask it. */
import type { Language } from '../language.ts';
import { valueOf } from './option-table.ts';

const VERSION = /^(?:(?:python|cpython|pypy|graalpy)[@-]?)?\d+(?:\.\d+){0,2}t?$|^(?:python|cpython|pypy|graalpy)$/;

/** A version or an interpreter. */
export const language: Language = {
  read([word], meaning) {
    if (!VERSION.test(valueOf(word, meaning, 'a version of Python')) && word !== undefined)
      meaning.role('file-of-code', word);
  },
};
