/** `yarn workspace NAME COMMAND …`. */
import type { Check } from '../language.ts';
import { runTask } from './package-task.ts';

/** A command in one of the packages. */
export const check: Check = {
  check({ operands: [, ...words] }, meaning) {
    const [verb] = words;
    if (verb?.value === 'run') return runTask(words.slice(1), meaning);
    if (
      /^(add|remove|install|up|upgrade|link|dlx|create|global|version|publish|npm|exec|node|config|set|plugin)$/.test(
        verb?.value ?? '',
      )
    )
      return meaning.add(2, 'changes packages or runs more than a task');
    runTask(words, meaning);
  },
};
