/** What `buf breaking` compares with: a folder, or the repository of the project. */
import type { Language } from '../language.ts';
import { valueOf } from './option-table.ts';

/** A source of files. */
export const language: Language = {
  read([word], meaning) {
    const value = valueOf(word, meaning, 'what is compared with');
    if (/^\.git#(?:branch|tag|ref|commit)=[\w./-]+$/.test(value)) return;
    if (!/^[\w./-]+$/.test(value)) return meaning.refuse(`what ${value} is`, word);
    if (word !== undefined) meaning.role('read', word);
  },
};
