/** Programs that search: which operand is the pattern, and what is looked through. */
import { knownWord, type Check } from '../language.ts';

/** With one of these, all operands are files. */
const PATTERN_FLAGS = ['-e', '-f', '--files', '--type-list', '-g'] as const;
/** These look through folders without being told to. */
const RECURSIVE: ReadonlySet<string> = new Set(['rg', 'ag', 'ack', 'ack-grep']);

/** Says what is read. */
export const check: Check = {
  check({ path, flags, operands }, meaning) {
    const program = path[0] ?? '';
    const isRecursive = RECURSIVE.has(program) || flags.has('-r') || flags.has('-R') || flags.has('-d');
    // `ack -f` lists files and `ag -g` has its pattern with it; for rg, `-g` is a filter.
    const isGiven = PATTERN_FLAGS.some((flag) => flags.has(flag) && !(flag === '-g' && program !== 'ag'));
    const [pattern, ...rest] = operands;
    if (!isGiven && pattern === undefined) meaning.refuse(`${program} without a pattern`);
    const files = isGiven ? operands : rest;
    for (const word of files) meaning.role(isRecursive ? 'search' : 'read', word);
    if (files.length === 0 && isRecursive) meaning.role('search', knownWord('.'));
    if (flags.has('-l') || flags.has('-L') || flags.has('--files') || flags.has('--files-without-match'))
      meaning.lists(files.length === 0 ? [knownWord('.')] : files);
  },
};
