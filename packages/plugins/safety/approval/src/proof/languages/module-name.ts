/** A module that is loaded: by its name from what is installed, or by its path. What is not there yet is not understood. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Language } from '../language.ts';
import { valueOf } from './option-table.ts';

const ENDINGS = ['', '.js', '.ts', '.mjs', '.cjs', '.rb', '/index.js'];

/** A module. */
export const language: Language = {
  read([word], meaning) {
    const value = valueOf(word, meaning, 'a module');
    if (word !== undefined && /^[./~]|\/\.\.\//.test(value)) {
      if (!ENDINGS.some((ending) => existsSync(resolve(meaning.cwd, `${value}${ending}`))))
        meaning.refuse(`the module ${value}, which is not there`, word);
      meaning.role('file-of-code', word);
    } else if (!/^@?[\w.,-]*[\w.-](\/[\w.-]+)*(=.*)?$/.test(value)) meaning.refuse(`the module ${value}`, word);
  },
};
