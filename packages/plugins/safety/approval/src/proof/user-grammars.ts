/** Grammars that a user has added, in `$config/grammars/*.yml`. Programs that Tenon knows cannot be given another meaning. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { messageOf } from '@tenon/kernel';
import { parse } from 'yaml';
import type { Grammar } from './grammar.ts';
import { grammarFiles } from './grammar-files.ts';
import { GrammarMistake, type GrammarFile, partsOf, readGrammar } from './load-grammar.ts';
import { loadCheck, loadLanguage } from './parts.ts';

/** What was found in a folder. */
export interface UserGrammars {
  readonly grammars: ReadonlyMap<string, Grammar>;
  /** What is wrong; a file with a mistake counts as not there. */
  readonly mistakes: readonly string[];
}

const MAX_BYTES = 256 * 1024;
const PART_NAME = /^[a-z0-9][a-z0-9-]*$/;
const known = new Map<string, { readonly stamp: string; readonly found: Promise<UserGrammars> }>();

/** Reads the folder, or gives what it held when nothing has changed since. A folder that is not there holds none. */
export function userGrammars(folder: string): Promise<UserGrammars> {
  const files = existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => /\.ya?ml$/.test(name))
        .sort()
        .map((name) => join(folder, name))
    : [];
  const stamp = JSON.stringify(files.map((file) => [file, statSync(file, { throwIfNoEntry: false })?.mtimeMs]));
  const before = known.get(folder);
  if (before?.stamp === stamp) return before.found;
  const found = readAll(files);
  known.set(folder, { stamp, found });
  return found;
}

async function readAll(files: readonly string[]): Promise<UserGrammars> {
  const grammars = new Map<string, Grammar>();
  const mistakes: string[] = [];
  for (const file of files) {
    try {
      const { names, grammar } = await readOne(file);
      for (const name of names) {
        if (grammarFiles().has(name)) mistakes.push(`${basename(file)}: Tenon has a grammar of ${name}, and keeps it`);
        else if (grammars.has(name)) mistakes.push(`${basename(file)}: ${name} has a grammar in another file, too`);
        else grammars.set(name, grammar);
      }
    } catch (fault) {
      mistakes.push(fault instanceof GrammarMistake ? fault.message : `${basename(file)}: ${messageOf(fault)}`);
    }
  }
  return { grammars, mistakes };
}

async function readOne(file: string): Promise<GrammarFile> {
  const stats = statSync(file);
  if (!stats.isFile() || stats.size > MAX_BYTES)
    throw new GrammarMistake(basename(file), '', 'is not a file, or is too large');
  const found = readGrammar(parse(readFileSync(file, 'utf8'), { merge: true }), basename(file));
  const { languages, checks } = partsOf(found.grammar);
  await loadParts(basename(file), languages, 'reader', loadLanguage);
  await loadParts(basename(file), checks, 'check', loadCheck);
  return found;
}

/** A name that nobody knows is a mistake here, and not where a command is judged. */
async function loadParts(
  file: string,
  names: ReadonlySet<string>,
  kind: string,
  load: (name: string) => Promise<unknown>,
): Promise<void> {
  for (const name of names) {
    const isThere =
      PART_NAME.test(name) &&
      (await load(name).then(
        (part) => part !== undefined,
        () => false,
      ));
    if (!isThere) throw new GrammarMistake(file, '', `there is no ${kind} "${name}"`);
  }
}
