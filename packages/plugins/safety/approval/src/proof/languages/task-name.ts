/** A task of the project whose name is a plain word: what stands behind a blank or a bracket could be code. */
import type { Language } from '../language.ts';
import { valueOf } from './option-table.ts';

/** The name of a task. */
export const language: Language = {
  read([word], meaning) {
    const value = valueOf(word, meaning, 'a task');
    if (word === undefined || !/^[\w.@:/~-]+$/.test(value) || /(^|\/)\.\.(\/|$)|^\//.test(value))
      return meaning.refuse(`the task ${value}`, word);
    meaning.role('task', word);
  },
};
