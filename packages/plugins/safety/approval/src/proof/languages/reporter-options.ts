/** `output=report.xml,title=x`: options of a reporter; one with a way in it is a file that the reporter writes. */
import type { Language } from '../language.ts';
import { valueOf } from './option-table.ts';

/** Options. */
export const language: Language = {
  read([word], meaning) {
    const value = valueOf(word, meaning, 'an option of a reporter');
    if (value.startsWith('-')) meaning.refuse(`the value ${value} of a flag`, word);
    for (const option of value.split(',')) {
      const [, name = '', text = ''] = /^([^=]*)=(.*)$/s.exec(option) ?? [];
      if (/[/\\]|^\.|^~/.test(text) || /file|output|path|dir/i.test(name)) meaning.text('write', text);
    }
  },
};
