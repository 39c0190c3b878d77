/** `yarn NAME`, `pnpm NAME`: one of the project's tasks, or a tool of its packages. Other programs of packages can do anything. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { CallWord, Check, Meaning } from '../language.ts';
import { isProjectTool } from './npx.ts';
import { kindOfTask, readProgramWords } from './program-words.ts';

/** What projects call their tasks. */
const USUAL =
  /^(build|compile|bundle|test|tests|unit|e2e|integration|lint|format|fmt|fix|check|checks|typecheck|type-check|types|tsc|dev|develop|start|serve|preview|watch|clean|coverage|ci|docs|storybook|generate|gen|codegen|verify|validate|prepare|bench|benchmark|deploy|release|publish|migrate|seed)([:_.-][\w:.-]+)?$/;

/** Judges a task or a tool. */
export function runTask(words: readonly CallWord[], meaning: Meaning): void {
  const [first] = words;
  const name = first?.value;
  if (first === undefined || name === undefined) return meaning.refuse('a task that is only known when it runs', first);
  if (isProjectTool(name)) meaning.command(words);
  else if (USUAL.test(name) || scriptsOf(meaning.cwd).has(name)) {
    meaning.role('task', first);
    readProgramWords(words.slice(1), meaning, kindOfTask(name));
  } else meaning.refuse(`the task ${name}`, first);
}

/** The names of the project's tasks. */
function scriptsOf(cwd: string): ReadonlySet<string> {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const file = join(folder, 'package.json');
    if (existsSync(file)) {
      try {
        const { scripts } = JSON.parse(readFileSync(file, 'utf8')) as {
          readonly scripts?: Readonly<Record<string, unknown>>;
        };
        return new Set(Object.keys(scripts ?? {}));
      } catch {
        // Not JSON: then it has no tasks that anybody knows.
        return new Set();
      }
    }
    if (folder === dirname(folder)) return new Set();
  }
}

/** A task. */
export const check: Check = {
  check({ operands }, meaning) {
    runTask(operands, meaning);
  },
};
