/** The grammars that come with Tenon, as data. In the built program, scripts/program/grammars.mjs puts the data in the place of this module. */
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';

const FOLDER = new URL('grammars/', import.meta.url);

/** File of a grammar by the name of a program. */
const files = new Map<string, string>();

/** The names of all programs with a grammar, and the file of each. */
export function grammarFiles(): ReadonlyMap<string, string> {
  if (files.size > 0) return files;
  for (const file of readdirSync(FOLDER)) {
    if (!file.endsWith('.yml')) continue;
    const data = grammarData(file) as { readonly names?: readonly unknown[] } | null;
    for (const name of data?.names ?? [file.slice(0, -'.yml'.length)]) {
      const other = files.get(String(name));
      if (other !== undefined) throw new Error(`${file}: ${String(name)} has a grammar in ${other}, too`);
      files.set(String(name), file);
    }
  }
  return files;
}

/** The data of a file. */
export function grammarData(file: string): unknown {
  return parse(readFileSync(new URL(file, FOLDER), 'utf8'), { merge: true });
}
