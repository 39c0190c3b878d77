/** `yarn NAME`, `pnpm NAME`: a tool of the project, or one of its tasks. */
import type { CallWord, Check, Meaning } from '../language.ts';
import { isProjectTool } from './npx.ts';

/** Judges a task or a tool. */
export function runTask(words: readonly CallWord[], meaning: Meaning): void {
  const [first] = words;
  if (first?.value === undefined) return meaning.refuse('a task that is only known when it runs', first);
  if (!/^[\w@:./~-]+$/.test(first.value)) return meaning.refuse(`the task ${first.value}`, first);
  if (isProjectTool(first.value)) meaning.command(words);
  else meaning.role('task', first);
}

/** A task. */
export const check: Check = {
  check({ operands }, meaning) {
    runTask(operands, meaning);
  },
};
