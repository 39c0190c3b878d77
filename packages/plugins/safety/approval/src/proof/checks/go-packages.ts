/** Packages of Go: paths are code of the project, `@version` comes from the network. */
import type { Check, Meaning } from '../language.ts';

/** Judges the name of a package. */
export function readPackage(name: string, meaning: Meaning): void {
  if (name.includes('@')) return meaning.add(2, 'runs a package from the network');
  if (/^[./~]/.test(name) || name.endsWith('.go')) meaning.text('file-of-code', name.replace(/\/?\.\.\.$/, '') || '.');
  else if (name.startsWith('-')) meaning.refuse(`the word ${name} of \`go\``);
}

/** Packages. */
export const check: Check = {
  check({ operands }, meaning) {
    for (const word of operands) {
      if (word.value === undefined) return meaning.refuse('a package that is only known when it runs', word);
      readPackage(word.value, meaning);
    }
  },
};
