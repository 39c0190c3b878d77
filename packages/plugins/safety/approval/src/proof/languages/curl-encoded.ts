/** `--data-urlencode`: `text`, `=text`, `name=text`, `@file`, `name@file`. */
import type { Language } from '../language.ts';
import { valueOf } from './option-table.ts';

/** A text or a file. */
export const language: Language = {
  read([word], meaning) {
    const [, file] = /^[^=@]*@(.*)$/s.exec(valueOf(word, meaning, 'a text that may name a file')) ?? [];
    if (file !== undefined && file !== '-') meaning.text('read', file);
  },
};
