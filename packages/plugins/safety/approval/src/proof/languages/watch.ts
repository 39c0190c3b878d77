/** watch joins its words and gives them to a shell. */
import { knownWord, type Language } from '../language.ts';
import { valueOf } from './known-words.ts';

/** Reads the flags, then the script. */
export const language: Language = {
  read(words, meaning) {
    let at = 0;
    let isCommand = false;
    for (; at < words.length; at++) {
      const text = valueOf(words[at], meaning, 'a word of watch');
      if (text === '-n' || text === '--interval') valueOf(words[++at], meaning, 'the interval of watch');
      else if (/^-[bcdegptw]*x[bcdegptw]*$/.test(text) || text === '--exec') isCommand = true;
      else if (
        !/^(?:-[bcdegptw]+|-n[\d.]+|--(?:beep|color|differences|errexit|chgexit|precise|no-title|no-wrap|interval=[\d.]+))$/.test(
          text,
        )
      )
        break;
    }
    const rest = words.slice(at);
    const [first] = rest;
    if (first === undefined || first.prefix.startsWith('-')) return meaning.refuse('the command of watch', first);
    if (isCommand) meaning.command(rest);
    else
      meaning.role('script', knownWord(rest.map((word) => valueOf(word, meaning, 'the command of watch')).join(' ')));
  },
};
