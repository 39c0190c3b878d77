/** Guesses the language of a cell whose header does not say. */
import type { CellLanguage } from '../api.ts';

const PYTHON: readonly RegExp[] = [
  /^[ \t]*(?:async[ \t]+)?def[ \t]+\w+[ \t]*\(.*\).*:[ \t]*(?:#.*)?$/m,
  /^[ \t]*(?:import[ \t]+[\w.]+(?:[ \t]+as[ \t]+\w+)?(?:[ \t]*,[ \t]*[\w.]+)*|from[ \t]+[\w.]+[ \t]+import[ \t].+)[ \t]*(?:#.*)?$/m,
  /^[ \t]*(?:if|elif|for|while|with|try|except|class|else)\b[^{};]*:[ \t]*(?:#.*)?$/m,
  /\bprint\(/,
  /^[ \t]*(?:%{1,2}[a-z]\w*|!\w+)/m,
  /\b(?:None|True|False|self|lambda|elif|not in|is not)\b/,
  /(?:^|[\s(=,])[rbf]{1,2}(?:"|')/m,
  /^[ \t]*#(?!!)/m,
];
const JAVASCRIPT: readonly RegExp[] = [
  /^[ \t]*(?:export[ \t]+)?(?:const|let|var)[ \t]+[\w${[]/m,
  /^[ \t]*(?:export[ \t]+)?(?:async[ \t]+)?function\b[ \t*]*\w*[ \t]*\(/m,
  /^[ \t]*import\b[^\n]*['"][^'"\n]+['"]/m,
  /=>/,
  /\bconsole\.\w+\(/,
  /\brequire\(|\bawait[ \t]+import\(/,
  /[!=]==|&&|\|\||\bnew[ \t]+[A-Z]\w*\(/,
  /\b(?:null|undefined|true|false|typeof|this)\b/,
  /^[ \t]*\/[/*]/m,
  /[;{][ \t]*$/m,
];

/** The likelier language, or nothing when the code gives no sign. */
export function sniffLanguage(code: string): CellLanguage | undefined {
  const [, interpreter] = /^#!.*?\b(python|node|deno|bun)/.exec(code) ?? [];
  if (interpreter !== undefined) return interpreter === 'python' ? 'python' : 'javascript';
  // What stands in strings is no sign.
  const bare = code.replace(/"(?:[^"\\\n]|\\.)*"/g, '""').replace(/'(?:[^'\\\n]|\\.)*'/g, "''");
  const score = (signs: readonly RegExp[]) =>
    signs.filter((sign) => sign.test(bare) || (sign === signs[2] && sign.test(code))).length;
  const difference = score(PYTHON) - score(JAVASCRIPT);
  return difference === 0 ? undefined : difference > 0 ? 'python' : 'javascript';
}
