/** yq: paths, comparisons and assignments. Its operators that load files or read the environment are not among the known names. */
import type { Check } from '../language.ts';

const NAMES: ReadonlySet<string> = new Set(
  'select length keys map has tag type sort sort_by unique unique_by group_by reverse first last contains test match to_entries from_entries with_entries del not and or true false null join split add any all flatten min max path explode tostring tonumber to_number to_string downcase upcase trim documentIndex document_index di line style headComment kind anchor alias sort_keys pick omit'.split(
    ' ',
  ),
);

/** Reads the expression and says what happens to files. */
export const check: Check = {
  check({ flags, operands }, meaning) {
    const [first, ...rest] = operands;
    if (first?.value === undefined) return meaning.refuse('an expression of yq that is only known when it runs', first);
    // Without an expression there is only a file; `eval` and `e` come before the expression.
    const hasVerb = first.value === 'e' || first.value === 'eval';
    const [expression, ...files] = hasVerb ? rest : operands;
    if (expression?.value === undefined || !isHarmless(expression.value))
      return meaning.refuse('the expression of yq', expression);
    for (const word of files) meaning.role(flags.has('-i') ? 'write' : 'read', word);
  },
};

function isHarmless(expression: string): boolean {
  if (!/^[.(]/.test(expression) && !/^[a-z_]+(?:\(|$|\s)/.test(expression)) return false;
  const rest = expression
    .replaceAll(/"(?:[^"\\\n]|\\["nt\\/])*"/g, ' ')
    .replaceAll(/'[^'\n]*'/g, ' ')
    .replaceAll(/\.\[?[\w-]+\]?|\$[a-z]\w*/g, ' ');
  if (!/^[\s\w.()[\]|,:?*=<>!+\-/{}]*$/.test(rest)) return false;
  return (rest.match(/[A-Za-z_]\w*/g) ?? []).every((name) => NAMES.has(name));
}
