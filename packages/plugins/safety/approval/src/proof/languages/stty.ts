/** `stty`: only what shows settings of the terminal. */
import type { Language } from '../language.ts';

/** Words of stty. */
export const language: Language = {
  read(words, meaning) {
    const [only, ...more] = words;
    if (more.length > 0 || !/^(?:-a|-g|--all|--save|size|speed)?$/.test(only?.value ?? (only ? '!' : '')))
      meaning.refuse('changes of the terminal', only);
  },
};
