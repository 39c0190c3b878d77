/** Words of ip that only look. */
import type { Language } from '../language.ts';
import { valueOf } from './option-table.ts';

/** Words of ip. */
export const language: Language = {
  read(words, meaning) {
    const values = words.map((word) => valueOf(word, meaning, 'a word of `ip`'));
    const rest = values.slice(
      values.findIndex(
        (value) =>
          !/^-(4|6|br|brief|c|color|j|json|p|pretty|s|stats|statistics|d|details|o|oneline|h|human)$/.test(value),
      ),
    );
    const [object = '', verb = 'show', ...more] = rest;
    const isKnown =
      /^(a|addr|address|l|link|r|route|n|neigh|neighbour|rule|maddr|netns)$/.test(object) &&
      /^(s|show|ls|list|get)$/.test(verb) &&
      (verb !== 'get' || object.startsWith('r')) &&
      more.every((value) => /^(dev|up|table|type|main|all|local|default|to|[\w.:@/]+)$/.test(value));
    if (!isKnown || /^(add|del|delete|set|flush|change|replace|exec)$/.test(verb))
      meaning.refuse(`${values.join(' ')} of \`ip\``);
  },
};
