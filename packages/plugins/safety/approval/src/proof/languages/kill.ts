/** Words of kill: what this shell started is its own business, a process of somebody else is not. */
import type { Language } from '../language.ts';
import { valueOf } from './option-table.ts';

/** Words of kill. */
export const language: Language = {
  read(words, meaning) {
    // What this shell has started is named like one of its jobs.
    const values = words.map((word) => (word.isOwnProcess ? '%' : valueOf(word, meaning, 'a process')));
    const [first = '', ...rest] = values;
    if (first === '-l' || first === '-L') return;
    const hasSignal = /^-(\d+|[A-Z0-9]+)$/.test(first);
    const isNamed = first === '-s' || first === '-n';
    const targets = isNamed ? rest.slice(1) : hasSignal ? rest : values;
    if (targets.length === 0) meaning.refuse('`kill` without a process');
    if (first === '-0') return;
    for (const target of targets) {
      if (/^%[\w+-]*$/.test(target)) meaning.add(1, 'ends what this shell has started');
      else if (/^(-1|0|1)$/.test(target)) meaning.add(3, 'ends all processes');
      else if (/^\d+$/.test(target)) meaning.add(2, 'ends processes');
      else meaning.refuse(`the process ${target} of \`kill\``);
    }
  },
};
