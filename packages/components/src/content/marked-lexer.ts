/** marked, set up for a terminal: HTML is text, and nothing that one part holds changes the next but link definitions. */
import type { InlineMemo } from './inline-memo.ts';
import { Lexer, type Links, type Token, Tokenizer, type Tokens } from 'marked';

/** One line that begins with a letter and has no sign in it that means anything to Markdown. */
const PROSE = /^\p{L}[\p{L}\p{M}\p{N} .,;:!?'"()%/+=…–—-]*$/u;
/** What becomes a link without such a sign. */
const BARE_LINK = /:\/\/|www\./i;
const FOOTNOTE = /^ {0,3}\[\^/;

/** HTML blocks are paragraphs; tags inside a line stay whole, and change nothing behind them. */
class TerminalTokenizer extends Tokenizer {
  override html(): undefined {
    return undefined;
  }

  /** A footnote looks like a definition when it is one word long, and would vanish. */
  override def(src: string): Tokens.Def | undefined {
    return FOOTNOTE.test(src) ? undefined : super.def(src);
  }

  override tag(src: string): Tokens.Tag | undefined {
    const match = this.rules.inline.tag.exec(src);
    if (!match) return undefined;
    return { type: 'html', raw: match[0], text: match[0], inLink: false, inRawBlock: false, block: false };
  }
}

/** A lexer that does not read text inside blocks again that it has read for the frame before. */
class TerminalLexer extends Lexer {
  readonly #memo: InlineMemo | undefined;
  #depth = 0;

  constructor(memo: InlineMemo | undefined) {
    super({ gfm: true, tokenizer: new TerminalTokenizer() });
    this.#memo = memo;
  }

  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    // Inside a token the tokens depend on what is around them.
    const outermost = this.#depth === 0;
    const known = outermost ? this.#memo?.get(src) : undefined;
    if (known) {
      tokens.push(...known);
      return tokens;
    }
    const before = tokens.length;
    this.#depth++;
    super.inlineTokens(src, tokens);
    this.#depth--;
    if (outermost) this.#memo?.set(src, tokens.slice(before));
    return tokens;
  }
}

/** Link definitions by label. */
export type LinkDefinitions = Links;

/** No definitions yet. */
export function noDefinitions(): LinkDefinitions {
  return Object.create(null) as LinkDefinitions;
}

/** The token of a part that is plain words, as the lexer would give it: most rows of an answer are, and they are drawn for every frame. */
export function proseToken(text: string): Token | undefined {
  if (!PROSE.test(text) || BARE_LINK.test(text)) return undefined;
  return { type: 'paragraph', raw: text, text, tokens: [{ type: 'text', raw: text, text, escaped: false }] };
}

/** The tokens of one part. Definitions in it are added to `links`; with a memo they must stay the same from frame to frame. */
export function lexPart(text: string, links: LinkDefinitions, memo?: InlineMemo): Token[] {
  const lexer = new TerminalLexer(memo);
  lexer.tokens.links = links;
  return lexer.lex(text);
}

/** What opened the code fence in which the text ends, if it ends in one at top level. */
export function openFenceAtEnd(text: string): string | undefined {
  const last = lexPart(text, noDefinitions()).findLast((token) => token.type !== 'space');
  if (last?.type !== 'code' || last['codeBlockStyle'] === 'indented') return undefined;
  const [first = '', ...rest] = last.raw.replace(/\n+$/, '').split('\n');
  const marker = /^ {0,3}(`{3,}|~{3,})/.exec(first)?.[1];
  if (marker === undefined) return undefined;
  const closed = new RegExp(`^ {0,3}${marker}${marker.charAt(0)}* *$`).test(rest.at(-1) ?? '');
  return closed ? undefined : marker;
}

/** The tokens inside a token. */
export function innerTokens(token: Token): readonly Token[] {
  return ('tokens' in token && token.tokens) || [];
}
