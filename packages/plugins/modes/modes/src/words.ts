/** Prompts and files out of the words of a command line. */
import { existsSync } from 'node:fs';
import { isPackage, pathOf } from './mentions.ts';

/** What the words ask for. */
export interface SplitWords {
  /** One after the other; none when only files were named. */
  readonly prompts: readonly string[];
  /** Files that are named by words of their own, with no loose word beside them; they go with the first prompt. */
  readonly files: readonly string[];
}

/**
 * A quoted text, which is a word with blanks, is a prompt of its own; words without quotes that follow each other make one
 * prompt. So `-p "fix the tests" "write the notes"` are two tasks, and `-p fix the tests` is one. A file among loose words
 * keeps its place, because the sentence needs its name: `-p what is @notes.md about`.
 */
export function splitWords(words: readonly string[], cwd: string): SplitWords {
  const prompts: string[] = [];
  const files: string[] = [];
  let run: string[] = [];
  const endRun = () => {
    if (run.every((word) => isFile(word, cwd))) files.push(...run.map((word) => word.slice(1)));
    else prompts.push(run.map((word) => (isFile(word, cwd) ? asMention(word) : word)).join(' '));
    run = [];
  };
  for (const word of words) {
    if (/\s/.test(word) && !isFile(word, cwd)) {
      endRun();
      prompts.push(word);
    } else run.push(word);
  }
  endRun();
  return { prompts: prompts.filter((prompt) => prompt.trim() !== ''), files };
}

/** The shell has taken the quotation marks off; within a sentence they are needed again. */
function asMention(word: string): string {
  return /[\s'`]/.test(word) ? `@"${word.slice(1)}"` : word;
}

/** A word with blanks is a quoted prompt, unless there is a file of that name. */
function isFile(word: string, cwd: string): boolean {
  if (!/^@[^@\s]/.test(word)) return false;
  const name = word.slice(1);
  return existsSync(pathOf(name, cwd)) || (!/\s/.test(word) && !isPackage(name, cwd));
}
