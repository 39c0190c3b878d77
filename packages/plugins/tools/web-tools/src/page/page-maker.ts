/** Makes a readable page of what a server gave. */
import { kindOf } from '@tenon/documents/api';
import { TenonError } from '@tenon/kernel';
import type { WebCall, WebPage } from '../api.ts';
import { decodeText, looksLikeText } from '../http/charset.ts';
import { type HttpAnswer, type HttpClient, tooLarge } from '../http/client.ts';
import { feedText } from './feed-text.ts';
import type { HtmlConverter } from './html-converter.ts';
import { alternatesOf, looksLikeHtml } from './html-head.ts';

/** The body of an answer. */
export type Body = Pick<HttpAnswer, 'url' | 'contentType' | 'bytes' | 'isCut'>;

interface MakerHost {
  readonly client: HttpClient;
  readonly converter: HtmlConverter;
  readonly maxBytes: number;
  readonly trustedOrigins: ReadonlySet<string>;
}

/** Less text than this is no article. */
const HARDLY_ANY = 250;
/** Larger pages are read from their start: nobody reads more, and they take long to convert. */
const MAX_HTML = 4 * 1024 * 1024;
const PROBE_MS = 5_000;
const PROBE_BYTES = 2 * 1024 * 1024;

/** Pages of one plugin. */
export class PageMaker {
  readonly #host: MakerHost;
  /** Origins that answered `page.md` with something else; asking again would only cost time. */
  readonly #noSuffix = new Set<string>();

  constructor(host: MakerHost) {
    this.#host = host;
  }

  async make(asked: URL, body: Body, call: WebCall): Promise<WebPage> {
    const type = (body.contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
    const page = (method: string, text: string, more: Partial<WebPage> = {}): WebPage => ({
      url: asked.href,
      finalUrl: body.url.href,
      contentType: type || 'text/plain',
      method,
      text,
      ...more,
      notes: [...(more.notes ?? []), ...(body.isCut ? [`Only the first ${mb(body.bytes.length)} were read.`] : [])],
    });
    const kind = kindOf(body.url.pathname, body.bytes, type);
    if (kind !== undefined || !isTextual(type, body.bytes)) {
      // Half a document is no document.
      if (body.isCut) throw tooLarge(body.url, this.#host.maxBytes);
      const what = type || 'application/octet-stream';
      return page('binary', `[${what}, ${mb(body.bytes.length)}]`, { bytes: body.bytes, contentType: what });
    }
    const { text, notes } = decodeText(body.bytes, body.contentType);
    if (call.raw) return page('raw', text, { notes });
    if (/[/+]json$/.test(type)) return page(...(await this.#json(text, body.url, call)), { notes });
    if (/(?:rss|atom|rdf)\+xml$/.test(type) || /^(?:text|application)\/xml$/.test(type)) {
      const feed = await this.#feed(text, body.url, call);
      return feed === undefined ? page('text', text, { notes }) : page('feed', feed, { notes });
    }
    const isHtml =
      /^(?:text\/html|application\/xhtml\+xml)$/.test(type) || (/^(?:|text\/plain)$/.test(type) && looksLikeHtml(text));
    if (!isHtml) {
      const isMarkdown = /markdown/.test(type);
      const negotiated = isMarkdown && !/\.(?:md|markdown)$/i.test(body.url.pathname);
      return page(negotiated ? 'content-negotiation' : isMarkdown ? 'markdown' : 'text', text, { notes });
    }
    const better = await this.#elsewhere(text, body.url, call);
    if (better) return { ...page(better.method, better.text), finalUrl: better.url, contentType: better.contentType };
    return this.#article(text, body.url, call, (method, made, more) =>
      page(method, made, { ...more, notes: [...notes, ...(more?.notes ?? [])] }),
    );
  }

  async #json(text: string, url: URL, call: WebCall): Promise<[method: string, text: string]> {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return ['text', text]; // Cut off, or not JSON after all.
    }
    const version = (value as { version?: unknown } | null)?.version;
    const isFeed = typeof version === 'string' && version.includes('jsonfeed.org');
    const feed = isFeed ? await this.#feed(text, url, call) : undefined;
    return feed === undefined ? ['json', JSON.stringify(value, null, 2)] : ['feed', feed];
  }

  async #feed(text: string, url: URL, { signal }: WebCall): Promise<string | undefined> {
    const { readFeed } = await import('./feed.ts');
    const feed = readFeed(text);
    const toText = async (html: string) =>
      (await this.#host.converter.convert({ html, url: url.href, kind: 'fragment' }, signal)).markdown;
    return feed && feedText(feed, toText);
  }

  /** The same page as Markdown, where its author offers one. */
  async #elsewhere(html: string, url: URL, call: WebCall) {
    const linked = alternatesOf(html, url.href).find(({ type }) => /markdown/.test(type));
    const alternate = linked && (await this.#probe(linked.url, call));
    if (alternate) return { method: 'alternate-markdown', ...alternate };
    const suffixed = suffixUrl(url);
    if (suffixed === undefined || this.#noSuffix.has(url.origin)) return undefined;
    const markdown = await this.#probe(suffixed, call);
    if (markdown) return { method: 'md-suffix', ...markdown };
    this.#noSuffix.add(url.origin);
    return undefined;
  }

  async #article(
    html: string,
    url: URL,
    call: WebCall,
    page: (method: string, text: string, more?: Partial<WebPage>) => WebPage,
  ): Promise<WebPage> {
    const isLong = html.length > MAX_HTML;
    const task = { html: isLong ? html.slice(0, MAX_HTML) : html, url: url.href, kind: 'page' } as const;
    const { markdown, title, byline, isArticle } = await this.#host.converter.convert(task, call.signal);
    const notes = [
      ...(byline === undefined ? [] : [`By ${byline}`]),
      ...(isLong ? [`Only the first ${mb(MAX_HTML)} were read.`] : []),
    ];
    if (markdown.length >= HARDLY_ANY) return page(isArticle ? 'readability' : 'html', markdown, { title, notes });
    const feed = alternatesOf(html, url.href).find(({ type }) => /(?:rss|atom)\+xml/.test(type));
    const items = feed && (await this.#probe(feed.url, call, 'feed'));
    const listed = items && (await this.#feed(items.text, new URL(items.url), call));
    if (listed !== undefined) return { ...page('feed-alternate', listed, { title }), finalUrl: items?.url ?? url.href };
    const guide = await this.#probe(new URL('/llms.txt', url).href, call);
    if (guide) {
      const note = 'The page itself has hardly any text; this is what its site offers to programs instead.';
      return { ...page('llms.txt', guide.text, { title, notes: [note] }), finalUrl: guide.url };
    }
    const note = 'The page has hardly any text; it may need a browser to be seen.';
    // A short page of prose is fine as it is; only an empty shell deserves the warning.
    return page('html', markdown, { title, notes: /<script\b/i.test(html) ? [...notes, note] : notes });
  }

  /** Asks for another form of a page; anything but a clear yes is a no. */
  async #probe(url: string, call: WebCall, wanted: 'markdown' | 'feed' = 'markdown') {
    try {
      const answer = await this.#host.client.ask({
        url,
        headers: {
          accept:
            wanted === 'feed'
              ? 'application/rss+xml, application/atom+xml, */*;q=0.5'
              : 'text/markdown, text/plain;q=0.9',
        },
        signal: call.signal,
        timeoutMs: PROBE_MS,
        maxBytes: PROBE_BYTES,
        ...(this.#host.trustedOrigins.has(new URL(url).origin) && { trustedOrigin: new URL(url).origin }),
      });
      const isRightType =
        wanted === 'feed'
          ? /xml/.test(answer.contentType)
          : /^text\/(?:markdown|x-markdown|plain)/i.test(answer.contentType);
      if (answer.status !== 200 || answer.isCut || !isRightType) return undefined;
      const { text } = decodeText(answer.bytes, answer.contentType);
      if (text.trim() === '' || looksLikeHtml(text)) return undefined;
      return { text, url: answer.url.href, contentType: 'text/markdown' };
    } catch (fault) {
      // Nobody asked for this address; that it cannot be read only means that the page is taken as it is.
      if (fault instanceof TenonError) return undefined;
      throw fault;
    }
  }
}

/** `/guide/start` -> `/guide/start.md`; not for files that have an ending of their own. */
function suffixUrl(url: URL): string | undefined {
  const path = url.pathname.replace(/\/+$/, '').replace(/\.html?$/i, '');
  const last = path.split('/').at(-1) ?? '';
  if (last === '' || url.search !== '' || /\.[a-z]\w{0,4}$/i.test(last)) return undefined;
  const target = new URL(url);
  target.pathname = `${path}.md`;
  return target.href;
}

function isTextual(type: string, bytes: Uint8Array): boolean {
  if (/^(?:image|audio|video|font)\//.test(type) && !/svg/.test(type)) return false;
  if (/^text\/|json|xml|javascript|ecmascript|yaml|toml|x-sh|x-www-form|graphql|sql/.test(type)) return true;
  return looksLikeText(bytes);
}

function mb(bytes: number): string {
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)}KB` : `${(bytes / 1024 / 1024).toFixed(1)}MB`;
}
