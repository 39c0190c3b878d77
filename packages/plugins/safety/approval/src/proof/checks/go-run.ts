/** `go run PACKAGE …`, `go run a.go b.go …`. */
import type { Check } from '../language.ts';
import { readPackage } from './go-packages.ts';
import { readProgramWords } from './program-words.ts';

/** What is run. */
export const check: Check = {
  check({ operands }, meaning) {
    const [first] = operands;
    if (first?.value === undefined) return meaning.refuse('a package that is only known when it runs', first);
    if (!/^[./]|\.go$|@/.test(first.value)) return meaning.refuse(`the package ${first.value}`, first);
    readPackage(first.value, meaning);
    readProgramWords(operands.slice(1), meaning);
    if (!first.value.endsWith('.go')) return;
    for (const { value } of operands.slice(1)) {
      if (value === undefined || !value.endsWith('.go')) return;
      readPackage(value, meaning);
    }
  },
};
