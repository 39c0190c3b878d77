/** Takes SQL apart exactly as SQLite's own tokenizer does, so that no name hides behind a way of writing it. */

/** One token. Blanks and comments are left out. */
export interface SqlToken {
  /** `word`: a bare name or keyword. `name`: a quoted name. `text`: a text in single quotes, which SQLite also takes for a name. */
  readonly kind: 'word' | 'name' | 'text' | 'number' | 'parameter' | 'variable' | 'sign';
  /** Without quotes; words in lower case. */
  readonly value: string;
}

const TOKENS = new RegExp(
  [
    String.raw`(?<blank>[ \t\n\v\f\r\uFEFF]+|--[^\n]*|/\*(?=[^])[^]*?(?:\*/|$))`,
    String.raw`(?<blob>[xX]'[^']*(?:'|$))`,
    String.raw`(?<text>'(?:[^']|'')*(?:'|$))`,
    String.raw`(?<name>"(?:[^"]|"")*(?:"|$)|${'`'}(?:[^${'`'}]|${'``'})*(?:${'`'}|$)|\[[^\]]*(?:\]|$))`,
    String.raw`(?<number>\d[\w$]*(?:\.[\w$]*)?|\.\d[\w$]*)`,
    String.raw`(?<word>[\w\u0080-\uFFFF][\w$\u0080-\uFFFF]*)`,
    String.raw`(?<parameter>\?\d*)`,
    // Tcl's variables may hold parentheses; what begins one is enough to know it by.
    String.raw`(?<variable>[$@#:])`,
    String.raw`(?<sign>[^])`,
  ].join('|'),
  'gy',
);

/** The tokens of a text. Nothing is left out but blanks and comments. */
export function sqlTokens(sql: string): SqlToken[] {
  const tokens: SqlToken[] = [];
  for (const { groups = {} } of sql.matchAll(TOKENS)) {
    const [kind, value] = Object.entries(groups).find(([, part]) => part !== undefined) ?? [];
    if (kind === undefined || value === undefined || kind === 'blank') continue;
    tokens.push(tokenOf(kind, value));
  }
  return tokens;
}

function tokenOf(kind: string, value: string): SqlToken {
  switch (kind) {
    case 'word':
      return { kind, value: value.toLowerCase() };
    case 'name':
    case 'text':
      return { kind, value: unquoted(value) };
    case 'blob':
      return { kind: 'number', value };
    case 'number':
    case 'parameter':
    case 'variable':
      return { kind, value };
    default:
      return { kind: 'sign', value };
  }
}

function unquoted(text: string): string {
  const quote = text[0] ?? '';
  const close = quote === '[' ? ']' : quote;
  const inner = text.length > 1 && text.endsWith(close) ? text.slice(1, -1) : text.slice(1);
  return quote === '[' ? inner : inner.replaceAll(quote + quote, quote);
}
