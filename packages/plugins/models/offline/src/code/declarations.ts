/** Finds declarations by their lines. The expressions stay within what every search engine understands. */

/** A declaration, as far as one line tells. */
export interface Declaration {
  readonly kind: string;
  readonly name: string;
}

const NAME = String.raw`([A-Za-z_$][\w$]*)`;
const MODIFIERS = String.raw`(?:(?:export|default|declare|public|private|protected|internal|static|abstract|async|final|override|virtual|readonly|unsafe|const|inline|open|sealed|data|pub(?:\([a-z]+\))?)\s+)*`;

/** The keyword-led declarations of most languages: kind, and what stands before the name. */
const LED_BY: readonly (readonly [kind: string, lead: string])[] = [
  ['function', String.raw`function\s*\*?\s*`],
  ['function', String.raw`(?:def|fn|fun|sub)\s+`],
  ['function', String.raw`func\s+(?:\([^)]*\)\s*)?`],
  ['class', String.raw`class\s+`],
  ['interface', String.raw`(?:interface|protocol)\s+`],
  ['type', String.raw`type\s+`],
  ['enum', String.raw`enum\s+(?:class\s+)?`],
  ['struct', String.raw`(?:struct|record|union)\s+`],
  ['trait', String.raw`trait\s+`],
  ['variable', String.raw`(?:const|let|var|val|static)\s+(?:mut\s+)?`],
];

/** An expression for `search` that finds declarations of a kind, or of one name. */
export function declarationPattern(kind: string, name?: string): string {
  // `def` and `fn` begin functions and methods alike; the whole line tells which.
  const entries = LED_BY.filter(([of]) => isKind(kind, of) || (kind === 'method' && of === 'function'));
  const leads = entries.map(([, lead]) => lead).join('|');
  const named = name === undefined ? String.raw`[A-Za-z_$][\w$]*` : escapePattern(name);
  const start = name === undefined ? String.raw`^\s*` : String.raw`\b`;
  const led = leads === '' ? [] : [`${start}${name === undefined ? MODIFIERS : ''}(?:${leads})${named}\\b`];
  const assigned = kind === 'function' || kind === 'symbol' ? [arrowPattern(named), shellPattern(named)] : [];
  const python = kind === 'variable' || kind === 'symbol' ? [String.raw`^${named}\s*(?::[^=]+)?=[^=]`] : [];
  const hasMethods = kind === 'method' || (kind === 'symbol' && name !== undefined);
  const methods = hasMethods ? [methodPattern(named), typedPattern(named)] : [];
  const tests =
    kind === 'test'
      ? [
          String.raw`^\s*(?:it|test|describe)(?:\.\w+)*\(\s*['"\x60]`,
          String.raw`^\s*(?:async\s+)?def\s+test_\w+`,
          String.raw`^func\s+Test\w+`,
          String.raw`#\[test\]`,
        ]
      : [];
  const exports =
    kind === 'export' ? [String.raw`^\s*export\s+`, String.raw`^pub\s+`, String.raw`module\.exports`] : [];
  return [...led, ...assigned, ...python, ...methods, ...tests, ...exports].join('|');
}

function isKind(kind: string, of: string): boolean {
  if (kind === 'symbol') return true;
  if (kind === of) return true;
  return kind === 'class' && of === 'struct';
}

function arrowPattern(named: string): string {
  return String.raw`\b(?:const|let|var)\s+${named}\s*(?::[^=]+)?=\s*(?:async\s+)?(?:function\b|\([^)]*\)\s*(?::[^=]+)?=>|[A-Za-z_$][\w$]*\s*=>|<)`;
}

/** `name() {` at the start of a line. */
function shellPattern(named: string): string {
  return String.raw`^${named}\s*\(\s*\)\s*\{`;
}

/** `public int size(int x) {`. */
function typedPattern(named: string): string {
  return String.raw`^\s+(?:[\w<>\[\],.?]+\s+)+${named}\s*\([^;={}]*\)\s*(?:throws\s+[\w., ]+)?\{`;
}

function methodPattern(named: string): string {
  return String.raw`^\s+(?:(?:public|private|protected|static|async|override|readonly|get|set|abstract|final|virtual)\s+)*[*#]?${named}\s*(?:<[^>]*>)?\([^;]*\)\s*(?::[^={;]+)?\{(?:\s*$|.*\}\s*$)|^\s+(?:async\s+)?def\s+${named}\b`;
}

/** A text for use inside a search expression. */
export function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, (char) => (char === '/' || char === '-' ? char : `\\${char}`));
}

/** Words that stand before a bracket without declaring anything. */
const KEYWORD =
  /^(?:if|for|while|switch|catch|return|await|else|throw|yield|typeof|case|function|do|try|with|super|class|const|let|var|def|constructor)$/;

const ARROW = new RegExp(arrowPattern(NAME));
const LED = LED_BY.map(([kind, lead]) => [kind, new RegExp(String.raw`(?:^|[^\w$.])${lead}${NAME}(?![\w$])`)] as const);
const METHOD = new RegExp(methodPattern(NAME));
const SHELL = new RegExp(shellPattern(NAME));
const ASSIGNED = new RegExp(String.raw`^${NAME}\s*(?::[^=]+)?=[^=]`);

/** `int main(void) {`, `public static void run() {`: a type, a name, parameters, a body. */
const TYPED = new RegExp(
  String.raw`^(\s*)${MODIFIERS}([A-Za-z_][\w<>\[\],.:?]*)(?:\s*[*&]+\s*|\s+)${NAME}\s*\([^;={}]*\)\s*(?:const|noexcept|override|throws\s+[\w., ]+)?\s*\{`,
);
const NO_TYPE =
  /^(?:return|else|new|throw|await|yield|case|goto|if|for|while|switch|catch|function|typeof|do|try|get|set|def|fn|func|fun|sub|async|class|struct|interface|enum|trait|type|record|union|protocol|const|let|var|val|static|impl|namespace|module|object)$/;

/** The declaration on a line, if there is one. */
export function declarationIn(line: string): Declaration | undefined {
  if (/^\s*(?:\/\/|#(?!\[)|\*|\/\*|import\b|from\b|use\b|return\b)/.test(line)) return undefined;
  const arrow = ARROW.exec(line)?.[1];
  if (arrow !== undefined) return { kind: 'function', name: arrow };
  const [, indent = '', type, typed] = TYPED.exec(line) ?? [];
  if (typed !== undefined && type !== undefined && !NO_TYPE.test(type) && !KEYWORD.test(typed)) {
    return { kind: indent === '' ? 'function' : 'method', name: typed };
  }
  const method = METHOD.exec(line);
  const methodName = method?.[1] ?? method?.[2];
  if (methodName !== undefined && !KEYWORD.test(methodName)) return { kind: 'method', name: methodName };
  const shell = SHELL.exec(line)?.[1];
  if (shell !== undefined && !KEYWORD.test(shell)) return { kind: 'function', name: shell };
  for (const [kind, pattern] of LED) {
    const name = pattern.exec(line)?.[1];
    if (name === undefined || KEYWORD.test(name)) continue;
    const isMethod =
      kind === 'function' &&
      /^\s+(?:async\s+)?def\s|^\s*func\s*\(|\bfn\s+\w+[^(]*\(\s*(?:&\s*)?(?:'\w+\s+)?(?:mut\s+)?self\b/.test(line);
    return { kind: isMethod ? 'method' : kind, name };
  }
  const assigned = ASSIGNED.exec(line)?.[1];
  return assigned === undefined || KEYWORD.test(assigned) ? undefined : { kind: 'variable', name: assigned };
}

/** True when a line declares this name; a line may declare several. */
export function declares(line: string, name: string): string | undefined {
  const declaration = declarationIn(line);
  if (declaration?.name === name) return declaration.kind;
  const listed = new RegExp(
    String.raw`\b(?:const|let|var)\s*[{[][^=]*\b${escapePattern(name)}\b[^=]*[}\]]\s*=(?!\s*(?:await\s+)?(?:require|import)\b)`,
  );
  return listed.test(line) ? 'variable' : undefined;
}
