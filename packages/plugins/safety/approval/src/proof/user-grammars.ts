/** Grammars that a user has added, in `$config/grammars/*.yml`. Programs that Tenon knows cannot be given another meaning. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Grammar } from './grammar.ts';
import { grammarFiles } from './grammar-files.ts';
import { GrammarMistake, readGrammar } from './load-grammar.ts';

/** What was found in a folder. */
export interface UserGrammars {
  readonly grammars: ReadonlyMap<string, Grammar>;
  /** What is wrong; a file with a mistake counts as not there. */
  readonly mistakes: readonly string[];
}

const known = new Map<string, { readonly stamp: string; readonly found: UserGrammars }>();

/** Reads the folder, or gives what it held when nothing has changed since. */
export function userGrammars(folder: string): UserGrammars {
  const files = readdirSync(folder)
    .filter((name) => /\.ya?ml$/.test(name))
    .map((name) => join(folder, name));
  const stamp = JSON.stringify(files.map((file) => [file, statSync(file, { throwIfNoEntry: false })?.mtimeMs]));
  const before = known.get(folder);
  if (before?.stamp === stamp) return before.found;
  const found = readAll(files);
  known.set(folder, { stamp, found });
  return found;
}

function readAll(files: readonly string[]): UserGrammars {
  const grammars = new Map<string, Grammar>();
  const mistakes: string[] = [];
  for (const file of files) {
    try {
      const { names, grammar } = readGrammar(parse(readFileSync(file, 'utf8'), { merge: true }), file);
      for (const name of names) if (!grammarFiles().has(name)) grammars.set(name, grammar);
    } catch (fault) {
      mistakes.push(fault instanceof GrammarMistake ? fault.message : `${file}: ${String(fault)}`);
    }
  }
  return { grammars, mistakes };
}
