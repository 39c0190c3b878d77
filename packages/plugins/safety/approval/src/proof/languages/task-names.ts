/** Tasks of the project, joined by commas: `nx run-many -t build,test`. */
import type { Language } from '../language.ts';
import { valueOf } from './option-table.ts';

/** Names of tasks. */
export const language: Language = {
  read([word], meaning) {
    const value = valueOf(word, meaning, 'tasks');
    if (!/^[\w.@:/~][\w.@:/~,-]*$/.test(value)) meaning.refuse(`the tasks ${value}`, word);
    for (const name of value.split(',')) meaning.text('task', name);
  },
};
