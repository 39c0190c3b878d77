import { Marked, type Token, type Tokens } from 'marked';
import { diffMarkup } from './diff.ts';
import { firstLine } from './first-line.ts';
import { escapeHtml, Markup } from './markup.ts';

/** Where a link may lead; anything else (javascript:, data:, file:) stays text. */
const SAFE_LINK = /^(https?:|mailto:|#)/i;

// Models and tools wrote the text, so no HTML of theirs gets through.
const marked = new Marked({
  gfm: true,
  breaks: false,
  renderer: {
    // The page and its entries have headings of their own, above those of the text.
    heading({ depth, tokens }: Tokens.Heading) {
      const level = Math.min(6, depth + 2);
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`;
    },
    html: ({ text }: Tokens.HTML | Tokens.Tag) => escapeHtml(text),
    image: ({ text, href }: Tokens.Image) => escapeHtml(`[${text || 'image'}: ${href}]`),
    link({ href, tokens }: Tokens.Link) {
      const label = this.parser.parseInline(tokens);
      if (!SAFE_LINK.test(href)) return `${label} (${escapeHtml(href)})`;
      return `<a href="${escapeHtml(href)}" rel="noopener noreferrer">${label}</a>`;
    },
    code({ text, lang = '' }: Tokens.Code) {
      const body = lang === 'diff' || lang === 'patch' ? diffMarkup(text).text : escapeHtml(text);
      return `<pre><code data-language="${escapeHtml(lang)}">${body}</code></pre>\n`;
    },
  },
});

/** Markdown as HTML, without any HTML that was in it. */
export function markdown(text: string): Markup {
  return new Markup(marked.parse(text, { async: false }));
}

/** Enough for a title, however long the text is. */
const LOOKED_AT = 2_000;

/** The first line of Markdown without its markup, for titles and lists. */
export function titleOf(text: string): string {
  return firstLine(inlineText(marked.lexer(text.trim().slice(0, LOOKED_AT))));
}

/** The words of the first block that has any. */
function inlineText(blocks: readonly Token[]): string {
  for (const block of blocks) {
    const text = blockText(block);
    if (text.trim() !== '') return text;
  }
  return '';
}

function blockText(block: Token): string {
  if (block.type === 'list') return inlineText((block as Tokens.List).items);
  if (block.type === 'table') return inlineText((block as Tokens.Table).header.flatMap(({ tokens }) => tokens));
  if (block.type === 'blockquote' || block.type === 'list_item') return inlineText(block.tokens ?? []);
  return block.type === 'space' || block.type === 'hr' ? '' : spanText(block);
}

/** The words of a span, without the signs around them. */
function spanText(span: Token): string {
  if ('tokens' in span && span.tokens) return span.tokens.map(spanText).join('');
  return 'text' in span ? span.text : span.raw;
}
