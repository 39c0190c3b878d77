/** Paths that are joined by colons, from which code is loaded. */
import type { Language, Meaning } from '../language.ts';
import { valueOf } from './option-table.ts';

/** Every path of a list. */
export function readPaths(value: string, meaning: Meaning, role: 'file-of-code' | 'read'): void {
  // `lib/*` are all archives of the folder.
  for (const path of value.split(/[:,]/)) if (path !== '') meaning.text(role, path.replace(/\/\*$/, ''));
}

/** Paths that are joined by colons. */
export const language: Language = {
  read([word], meaning) {
    readPaths(valueOf(word, meaning, 'a list of paths'), meaning, 'file-of-code');
  },
};
