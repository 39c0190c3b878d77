/** A kind of report, and where it goes: `html:folder`. */
import type { Language } from '../language.ts';
import { valueOf } from './option-table.ts';

/** A report. */
export const language: Language = {
  read([word], meaning) {
    const [, path] = /^[\w-]*:(.*)$/s.exec(valueOf(word, meaning, 'a report')) ?? [];
    if (path !== undefined && !/^skip-covered$/.test(path)) meaning.text('write', path);
  },
};
