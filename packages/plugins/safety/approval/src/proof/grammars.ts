/** The grammars that come with Tenon. Each is read when a command needs it. */
import type { Grammar } from './grammar.ts';
import { grammarData, grammarFiles } from './grammar-files.ts';
import { readGrammar } from './load-grammar.ts';

const built = new Map<string, Grammar>();

/** The grammar of a program that comes with Tenon. */
export function builtInGrammar(program: string): Grammar | undefined {
  const file = grammarFiles().get(program);
  if (file === undefined) return undefined;
  const known = built.get(file) ?? readGrammar(grammarData(file), file).grammar;
  built.set(file, known);
  return known;
}
