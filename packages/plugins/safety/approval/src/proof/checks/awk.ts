/** awk: operands behind the program are files or assignments. */
import type { CallWord, Check } from '../language.ts';

const ASSIGNMENT = /^([A-Za-z_]\w*)=/;

/** Says which operands are read. */
export const check: Check = {
  check({ flags, operands }, meaning) {
    const assignments = [...(flags.get('-v') ?? [])];
    for (const word of assignments)
      if (!isAssignment(word)) meaning.refuse('the assignment of a variable of awk', word);
    for (const word of operands.slice(1)) {
      // gawk opens a connection for such a name.
      if (word.prefix.startsWith('/inet')) meaning.refuse('a connection', word);
      if (!isAssignment(word)) meaning.role('read', word);
    }
  },
};

/** `x=1`, also with an unknown value. The files that are read are no variable for this. */
function isAssignment({ prefix, isMany }: CallWord): boolean {
  const name = ASSIGNMENT.exec(prefix)?.[1];
  return name !== undefined && !isMany && !/^ARG[CV]$/.test(name);
}
