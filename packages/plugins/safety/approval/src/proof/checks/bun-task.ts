/** `bun NAME`, `bun run NAME`: a file, a tool of the project, or one of its tasks. */
import type { Check } from '../language.ts';
import { runTask } from './package-task.ts';
import { readProgramWords } from './program-words.ts';

/** What bun runs. */
export const check: Check = {
  check({ operands }, meaning) {
    const [first] = operands;
    if (first?.value === '-') return meaning.refuse('code from the input', first);
    if (first !== undefined && /^[./~]|\.([cm]?[jt]sx?|html)$/.test(first.value ?? '')) {
      readProgramWords(operands.slice(1), meaning);
      return meaning.role('file-of-code', first);
    }
    runTask(operands, meaning);
  },
};
