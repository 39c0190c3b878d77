/** The tokens of Markdown. What is nested without measure would take the page down; it is shown as it was written. */
import { lexer, type Token } from 'marked';

const MAX_DEPTH = 40;
/** Marks at the beginning of lines, and signs that open something: more of them in a row than anybody writes. */
const DEEP_LINE = /^[ \t]*(?:>[ \t]*|[*+-][ \t]+){40,}|^[ \t]{80,}(?:[*+-]|\d+[.)])[ \t]/m;
const DEEP_SIGNS = /[*_~[]{200,}/;

/** The tokens of a text; one that is plain where Markdown goes too deep. */
export function tokensOf(text: string): readonly Token[] {
  if (!DEEP_LINE.test(text) && !DEEP_SIGNS.test(text)) {
    try {
      const tokens = lexer(text);
      if (depthOf(tokens) <= MAX_DEPTH) return tokens;
    } catch {
      // Too deep for the stack.
    }
  }
  return [{ type: 'code', raw: text, text }];
}

/** How deep tokens are nested, without going down a stack that they could exhaust. */
function depthOf(tokens: readonly Token[]): number {
  let depth = 0;
  let level: readonly Token[] = tokens;
  while (level.length > 0 && depth <= MAX_DEPTH) {
    depth += 1;
    level = level.flatMap((token) => {
      const { tokens: inner = [], items = [] } = token as { readonly tokens?: Token[]; readonly items?: Token[] };
      return [...inner, ...items];
    });
  }
  return depth;
}
