/** A package of a registry, by its name and a version or tag (`@types/node@20`), or a field of it (`dist.tarball`): no address, repository or folder. */
import type { Language } from '../language.ts';
import { valueOf } from './option-table.ts';

/** A package. */
export const language: Language = {
  read([word], meaning) {
    const value = valueOf(word, meaning, 'a package');
    if (!/^(?:@[\w.-]+\/)?\w[\w.-]*(?:\[[\w.-]*\][\w.]*)*(?:@[\w.^~<>=| *+-]*)?$/.test(value))
      meaning.refuse(`the package ${value}`, word);
  },
};
