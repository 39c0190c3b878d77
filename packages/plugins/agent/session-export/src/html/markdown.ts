import { Marked, type Tokens } from 'marked';
import { diffMarkup } from './diff.ts';
import { escapeHtml, Markup } from './markup.ts';

/** Where a link may lead; anything else (javascript:, data:, file:) stays text. */
const SAFE_LINK = /^(https?:|mailto:|#)/i;

// Models and tools wrote the text, so no HTML of theirs gets through.
const marked = new Marked({
  gfm: true,
  breaks: false,
  renderer: {
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
