/** `jar tf FILE`: only looking into an archive. */
import type { Language } from '../language.ts';
import { valueOf } from './option-table.ts';

/** Words of jar. */
export const language: Language = {
  read([letters, file, ...more], meaning) {
    if (!/^(?:-?tv?f|-?tfv|--list)$/.test(valueOf(letters, meaning, 'what jar does')) || more.length > 0)
      return meaning.refuse('what jar does', letters);
    if (file === undefined || file.prefix.startsWith('-') || file.prefix.startsWith('@'))
      return meaning.refuse('an archive', file);
    meaning.role('read', file);
  },
};
