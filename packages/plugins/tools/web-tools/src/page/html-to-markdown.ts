/** HTML to Markdown. Everything heavy about pages is in here; the module is imported on first use, for large pages in a worker. */
import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import TurndownService from 'turndown';

/** What to make of a page. */
export interface HtmlTask {
  readonly html: string;
  /** Where it came from; links are made absolute by it. */
  readonly url: string;
  /** `page` looks for the article; `fragment` takes all of it. */
  readonly kind: 'page' | 'fragment';
}

/** What a page says, and where it says one could look instead. */
export interface HtmlResult {
  readonly markdown: string;
  readonly title: string;
  readonly byline?: string;
  /** True when the article was found; else all of the page was taken. */
  readonly isArticle: boolean;
}

/** An article that is shorter than this share of the page's text has missed something. */
const MIN_SHARE = 0.2;
const SHORT = 200;

/** Tags inside of tags inside of tags: nobody writes more by hand, and everything that walks a tree grows with it. */
const MAX_DEPTH = 1500;

/** Converts a page or a part of one. */
export function htmlToMarkdown(task: HtmlTask): HtmlResult {
  return depthOf(task.html) > MAX_DEPTH
    ? { markdown: withoutTags(task.html), title: '', isArticle: false }
    : convert(task);
}

function convert({ html, url, kind }: HtmlTask): HtmlResult {
  const document = documentOf(html, kind);
  const title = document.querySelector('title')?.textContent?.trim() ?? '';
  absoluteLinks(document, url);
  for (const useless of document.querySelectorAll(
    'script, style, template, noscript, iframe, svg, canvas, link, meta',
  )) {
    useless.remove();
  }
  if (kind === 'fragment') return { markdown: toMarkdown(document.body), title, isArticle: false };
  const whole = textLength(document.body);
  // Readability takes the document apart, so it gets one of its own.
  const { document: copy } = parseHTML(document.toString());
  const article = new Readability(copy as unknown as ConstructorParameters<typeof Readability>[0], {
    keepClasses: true,
    charThreshold: SHORT,
  }).parse();
  const content = article?.content ?? '';
  const { document: found } = parseHTML(`<html><body>${content}</body></html>`);
  const length = textLength(found.body);
  if (article && length > SHORT && length >= whole * MIN_SHARE) {
    const heading = article.title?.trim() ?? '';
    const body = toMarkdown(found.body);
    const markdown = heading === '' || startsWithHeading(body, heading) ? body : `# ${heading}\n\n${body}`;
    const byline = article.byline?.trim();
    return { markdown, title: heading || title, isArticle: true, ...(byline && { byline }) };
  }
  for (const frame of document.querySelectorAll('nav, footer, aside, form, [role=navigation], [aria-hidden=true]'))
    frame.remove();
  return { markdown: toMarkdown(document.body), title, isArticle: false };
}

/** How deep tags are nested, roughly: those that are never closed count too, as they do for the parser. */
function depthOf(html: string): number {
  let [depth, deepest] = [0, 0];
  for (const [, close, name = '', rest = ''] of withoutScripts(html).matchAll(/<(\/?)([a-z][a-z0-9-]*)([^<>]*)>/gi)) {
    if (rest.endsWith('/') || UNNESTED.has(name.toLowerCase())) continue;
    depth = Math.max(0, depth + (close === '/' ? -1 : 1));
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

/** By hand: an expression would look for the end of every tag that has none, over and over. */
function withoutScripts(html: string): string {
  const parts: string[] = [];
  const start = /<(script|style)\b/gi;
  let at = 0;
  for (let tag = start.exec(html); tag; tag = start.exec(html)) {
    parts.push(html.slice(at, tag.index));
    const end = new RegExp(`</${tag[1]}`, 'gi');
    end.lastIndex = tag.index;
    at = end.exec(html)?.index ?? html.length;
    start.lastIndex = at;
  }
  return parts.join('') + html.slice(at);
}

/** Tags that have no end, or end where the next one begins. */
const UNNESTED = new Set(
  'area base br col embed hr img input link meta param source track wbr p li dt dd tr td th thead tbody tfoot option optgroup'.split(
    ' ',
  ),
);

function withoutTags(html: string): string {
  return withoutScripts(html)
    .replaceAll(/<[^<>]*>/g, ' ')
    .split('\n')
    .map((line) => line.replaceAll(/\s+/g, ' ').trim())
    .filter(Boolean)
    .join('\n');
}

/** The parser takes a page as it is written; tags that HTML lets authors leave out are put in here. */
function documentOf(html: string, kind: HtmlTask['kind']): AnyDocument {
  if (kind === 'page') {
    const { document } = parseHTML(html);
    if (document.documentElement?.localName === 'html' && document.querySelector('body')) return document;
  }
  const inner = html.replaceAll(/<!doctype[^<>]*>|<\/?(?:html|head|body)\b[^<>]*>/gi, '');
  return parseHTML(`<html><head></head><body>${inner}</body></html>`).document;
}

type AnyDocument = ReturnType<typeof parseHTML>['document'];
type AnyElement = AnyDocument['body'];

function textLength(element: AnyElement | null): number {
  return (element?.textContent ?? '').replaceAll(/\s+/g, ' ').trim().length;
}

function startsWithHeading(markdown: string, title: string): boolean {
  const first = /^#+\s+(.+)$/m.exec(markdown.slice(0, 400))?.[1] ?? '';
  const plain = (text: string) => text.replaceAll(/[^\p{L}\p{N}]+/gu, '').toLowerCase();
  return plain(first) !== '' && (plain(first).includes(plain(title)) || plain(title).includes(plain(first)));
}

function absoluteLinks(document: AnyDocument, url: string): void {
  const href = document.querySelector('base[href]')?.getAttribute('href') ?? '';
  const base = URL.canParse(href, url) ? new URL(href, url).href : url;
  for (const [selector, name] of [
    ['a[href]', 'href'],
    ['img[src]', 'src'],
  ] as const) {
    for (const element of document.querySelectorAll(selector)) {
      const value = element.getAttribute(name) ?? '';
      // A place on the same page, or something that is no address: the text is enough.
      if (/^\s*(?:#|javascript:|data:)/i.test(value) || !URL.canParse(value, base)) element.removeAttribute(name);
      else element.setAttribute(name, new URL(value, base).href);
    }
  }
}

const turndown = new TurndownService({
  headingStyle: 'atx',
  codeBlockStyle: 'fenced',
  bulletListMarker: '-',
  emDelimiter: '*',
  hr: '---',
});
turndown.addRule('code', {
  filter: (node) => node.nodeName === 'PRE',
  replacement(_content, node) {
    const text = (node.textContent ?? '').replace(/^\n+/, '').trimEnd();
    if (text === '') return '';
    const inner = (node as unknown as AnyElement).querySelector('code');
    const names = `${(node as unknown as AnyElement).getAttribute('class') ?? ''} ${inner?.getAttribute('class') ?? ''}`;
    const language = /(?:language|lang|highlight-source|brush:)[-\s]?([\w+#]+)/.exec(names)?.[1] ?? '';
    const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length));
    const fence = '`'.repeat(longest + 1);
    return `\n\n${fence}${language}\n${text}\n${fence}\n\n`;
  },
});
turndown.addRule('image', {
  filter: (node) => node.nodeName === 'IMG',
  replacement(_content, node) {
    const alt = (node as unknown as AnyElement).getAttribute('alt')?.trim() ?? '';
    const source = (node as unknown as AnyElement).getAttribute('src') ?? '';
    // Pictures that nobody describes are decoration or trackers.
    return alt === '' || source === '' ? '' : `![${alt.replaceAll(/[[\]\n]/g, ' ')}](${source})`;
  },
});
turndown.addRule('empty-link', {
  filter: (node) => node.nodeName === 'A' && !(node as unknown as AnyElement).getAttribute('href'),
  replacement: (content) => content,
});
turndown.addRule('table', {
  filter: (node) => node.nodeName === 'TABLE',
  replacement: (content, node) => tableText(node as unknown as AnyElement) ?? content,
});

/** A table as Markdown; undefined for those that only lay out a page. */
function tableText(table: AnyElement): string | undefined {
  if (table.querySelector('table, pre, ul, ol, blockquote')) return undefined;
  const rows = [...table.querySelectorAll('tr')].map((row) =>
    [...row.querySelectorAll('th, td')].map((cell) =>
      turndown
        .turndown(cell as unknown as TurndownService.Node)
        .replaceAll(/\s+/g, ' ')
        .replaceAll('|', String.raw`\|`)
        .trim(),
    ),
  );
  const width = Math.max(0, ...rows.map((cells) => cells.length));
  if (width < 2 && rows.length < 2) return undefined;
  const line = (cells: readonly string[]) =>
    `| ${Array.from({ length: width }, (_, at) => cells[at] ?? '').join(' | ')} |`;
  const [head = [], ...rest] = rows;
  const caption = table.querySelector('caption')?.textContent?.trim();
  return `\n\n${caption ? `${caption}\n\n` : ''}${[line(head), line(Array.from({ length: width }, () => '---')), ...rest.map(line)].join('\n')}\n\n`;
}

function toMarkdown(element: AnyElement): string {
  return turndown
    .turndown(element as unknown as TurndownService.Node)
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}
