/** The words of ps: flags with a dash, and BSD flags without one. Neither does anything, except that BSD's `e` shows the environment of processes. */
import type { Language } from '../language.ts';
import { valueOf } from './known-words.ts';

const BSD = /^[AacfghjlLmnrsSTuvwxXZH]+$/;
/** `ps -auxe` counts as `ps auxe` when there is no user named xe. */
const DASHED = /^-(?!.*x.*e|.*e.*x)[AaCcdeFfGghHjLlMmNPprsTtuUvVwxyZ]+$/;
/** The value is the next word: these stand last in their cluster. */
const TAKES = /^-[AadefFjlLmTwxyHcMrv]*[oOpuUCgGtskq]$/;
const LONG =
  /^--(?:forest|no-headers?|headers?|cumulative|deselect|rows=\d+|cols=\d+|columns=\d+|width=\d+|sort=[-+\w,%]+|format=[\w,=%:.-]+|pid=[\d,]+|ppid=[\d,]+|user=[\w,-]+|User=[\w,-]+|group=[\w,-]+|tty=[\w,/]+|version)$/;

/** Reads them. */
export const language: Language = {
  read(words, meaning) {
    for (let at = 0; at < words.length; at++) {
      const word = words[at];
      const text = valueOf(word, meaning, 'a word of ps');
      const isFlag = text.startsWith('-');
      if (TAKES.test(text) || /^[aefjlmruvwxh]*o$/.test(text)) {
        // Values are lists of columns, numbers and names: they have no effect, but must be one word.
        const value = words[++at];
        if (!isFlag && text.includes('e')) meaning.refuse('a flag that shows the environment of processes', word);
        if (value === undefined || value.isMany) meaning.refuse('the value of a flag of ps', word);
      } else if (isFlag ? !DASHED.test(text) && !LONG.test(text) : !BSD.test(text) && !/^\d+(?:,\d+)*$/.test(text))
        meaning.refuse(`the word ${text} of ps`, word);
    }
  },
};
