/** `uv run …`, `poetry run …`: a file of Python, a module, or a program. */
import type { Check } from '../language.ts';
import { runModule } from '../languages/python.ts';
import { readFrameworkTask } from './framework-task.ts';
import { readProgramWords } from './program-words.ts';

/** What runs in the project's environment. */
export const check: Check = {
  check({ flags, operands }, meaning) {
    const [first, ...rest] = operands;
    if (first?.value === undefined) return meaning.refuse('a program that is only known when it runs', first);
    if (flags.has('-m')) return runModule(first.value, rest, meaning);
    if (first.value === '-' || /^https?:/.test(first.value)) return meaning.refuse(`the program ${first.value}`, first);
    if (first.value.endsWith('.py')) {
      if (!readFrameworkTask(first.value, rest, meaning)) readProgramWords(rest, meaning);
      meaning.role('file-of-code', first);
    } else meaning.command(operands);
  },
};
