/** Finds the grammar of a program: those that come with Tenon, then the user's. Each is read when a command needs it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Grammar } from './grammar.ts';
import { grammarData, grammarFiles } from './grammar-files.ts';
import { GrammarMistake, readGrammar } from './load-grammar.ts';

const built = new Map<string, Grammar>();

/** The grammar of a program that comes with Tenon. */
export function builtInGrammar(program: string): Grammar | undefined {
  const file = grammarFiles().get(program);
  if (file === undefined) return undefined;
  const known = built.get(file) ?? readGrammar(grammarData(file), file).grammar;
  built.set(file, known);
  return known;
}

/** Grammars that a user has added, by program. Programs that Tenon knows cannot be given another meaning. */
export class UserGrammars {
  readonly #folder: string;
  #grammars: Promise<ReadonlyMap<string, Grammar>> | undefined;

  /** @param config the folder of the user's settings; a project has no say. */
  constructor(config: string) {
    this.#folder = join(config, 'grammars');
  }

  /** The grammar of a program. A file with a mistake counts as not there; `mistakes` says what is wrong. */
  async get(program: string): Promise<Grammar | undefined> {
    if (!existsSync(this.#folder)) return undefined;
    this.#grammars ??= this.#load().then(({ grammars }) => grammars);
    return (await this.#grammars).get(program);
  }

  /** What is wrong with the files. */
  async mistakes(): Promise<readonly string[]> {
    return existsSync(this.#folder) ? (await this.#load()).mistakes : [];
  }

  async #load(): Promise<{ readonly grammars: ReadonlyMap<string, Grammar>; readonly mistakes: readonly string[] }> {
    const { parse } = await import('yaml');
    const grammars = new Map<string, Grammar>();
    const mistakes: string[] = [];
    for (const file of readdirSync(this.#folder).filter((name) => /\.ya?ml$/.test(name))) {
      const path = join(this.#folder, file);
      try {
        const { names, grammar } = readGrammar(parse(readFileSync(path, 'utf8'), { merge: true }), path);
        for (const name of names) if (!grammarFiles().has(name)) grammars.set(name, grammar);
      } catch (fault) {
        mistakes.push(fault instanceof GrammarMistake ? fault.message : `${path}: ${String(fault)}`);
      }
    }
    return { grammars, mistakes };
  }
}
