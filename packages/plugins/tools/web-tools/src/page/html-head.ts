/** What the head of a page says about other forms of it, found without parsing the page. */

/** Another form of a page. */
export interface Alternate {
  readonly type: string;
  readonly url: string;
}

const HEAD_CHARS = 128 * 1024;

/** The `<link rel="alternate">` of a page that have a type. */
export function alternatesOf(html: string, base: string): readonly Alternate[] {
  const alternates: Alternate[] = [];
  for (const [tag] of html.slice(0, HEAD_CHARS).matchAll(/<link\b[^>]{1,2000}>/gi)) {
    const rel = attribute(tag, 'rel').toLowerCase().split(/\s+/);
    const type = attribute(tag, 'type').toLowerCase().split(';', 1)[0]?.trim() ?? '';
    const href = attribute(tag, 'href');
    if (rel.includes('alternate') && type !== '' && href !== '' && URL.canParse(href, base)) {
      alternates.push({ type, url: new URL(href, base).href });
    }
  }
  return alternates;
}

function attribute(tag: string, name: string): string {
  const [, double, single, bare] =
    new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s>"']+))`, 'i').exec(tag) ?? [];
  return (double ?? single ?? bare ?? '').replaceAll('&amp;', '&').trim();
}

const HTML_START = /^<(?:!doctype\s+html|html|head|body)\b/i;

/** True for text that is a page although it was not called one. */
export function looksLikeHtml(text: string): boolean {
  let rest = text.slice(0, 4000).trimStart();
  while (rest.startsWith('<!--') && rest.includes('-->')) rest = rest.slice(rest.indexOf('-->') + 3).trimStart();
  return HTML_START.test(rest);
}
