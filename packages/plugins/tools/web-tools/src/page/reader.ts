/** Reads a page in the best form that can be had: from its site's own interface, as Markdown, as an article, as it is. */
import type { Registry } from '@tenon/kernel';
import type { ScrapeCall, Scraper, ScraperData, WebCall, WebPage, WebReader } from '../api.ts';
import { errors } from '../errors.ts';
import { decodeText } from '../http/charset.ts';
import { type HttpAnswer, type HttpClient, parseUrl } from '../http/client.ts';
import type { HtmlConverter } from './html-converter.ts';
import { type Body, PageMaker } from './page-maker.ts';
import { type CachedPage, PageCache } from './page-cache.ts';

/** What the reader needs. */
export interface ReaderHost {
  readonly client: HttpClient;
  readonly converter: HtmlConverter;
  readonly scrapers: Registry<Scraper> | undefined;
  readonly maxBytes: number;
  readonly cacheMs: number;
  /** Origins that the user's settings name as interfaces of sites. */
  readonly trustedOrigins: ReadonlySet<string>;
  now?(): number;
}

const ACCEPT =
  'text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, application/json;q=0.8, */*;q=0.5';
const MAX_INSTEAD = 3;

/** Makes the reader. */
export function createReader(host: ReaderHost): WebReader {
  const cache = new PageCache();
  const maker = new PageMaker(host);
  const now = host.now ?? Date.now;

  const scraped = async (url: URL, call: WebCall): Promise<WebPage | { instead: string } | undefined> => {
    for (const { key, data } of host.scrapers?.list() ?? []) {
      if (!fits(url, data as unknown as ScraperData)) continue;
      const scraper = await host.scrapers?.resolve(key);
      const scrapedPage = await scraper?.scrape(url.href, scrapeCall(host, call));
      if (scrapedPage === undefined) continue;
      if ('instead' in scrapedPage) return scrapedPage;
      const { text, title, finalUrl = url.href, notes = [] } = scrapedPage;
      return {
        url: url.href,
        finalUrl,
        contentType: 'text/markdown',
        method: key,
        text,
        notes,
        ...(title && { title }),
      };
    }
    return undefined;
  };

  const fetched = async (url: URL, call: WebCall, known: CachedPage | undefined): Promise<CachedPage> => {
    const answer = await host.client.ask({
      url: url.href,
      headers: {
        accept: call.raw ? '*/*' : ACCEPT,
        ...(known?.etag !== undefined && { 'if-none-match': known.etag }),
        ...(known?.lastModified !== undefined && { 'if-modified-since': known.lastModified }),
      },
      ...(host.trustedOrigins.has(url.origin) && { trustedOrigin: url.origin }),
      ...(call.timeoutMs !== undefined && { timeoutMs: call.timeoutMs }),
      maxBytes: host.maxBytes,
      signal: call.signal,
    });
    if (answer.status === 304 && known) return { ...known, freshUntil: now() + freshFor(answer, host.cacheMs) };
    if (answer.status >= 400) throw statusError(url, answer);
    const page = await maker.make(url, bodyOf(answer), call);
    const [etag, lastModified] = [answer.header('etag'), answer.header('last-modified')];
    return {
      page,
      freshUntil: now() + freshFor(answer, host.cacheMs),
      ...(etag !== undefined && { etag }),
      ...(lastModified !== undefined && { lastModified }),
    };
  };

  const readAt = async (url: URL, call: WebCall, depth = 0): Promise<WebPage> => {
    const key = `${call.session ?? ''} ${call.raw === true} ${url.href}`;
    const known = cache.find(key);
    if (known && known.freshUntil > now()) return known.page;
    const special = call.raw ? undefined : await scraped(url, call);
    if (special && 'instead' in special) {
      if (depth >= MAX_INSTEAD)
        throw errors.create('WEB_ADDRESS', { url: url.href, reason: 'its site sends its readers in a circle' });
      return { ...(await readAt(parseUrl(special.instead), call, depth + 1)), url: url.href };
    }
    const kept = special ? { page: special, freshUntil: now() + host.cacheMs } : await fetched(url, call, known);
    cache.keep(key, kept);
    return kept.page;
  };

  return {
    read: (url, call) => readAt(parseUrl(completed(url)), call),
    readable: (html, url, signal) => host.converter.convert({ html, url, kind: 'page' }, signal),
  };
}

/** `www.example.org` is what people write. */
function completed(url: string): string {
  const trimmed = url.trim();
  return /^www\./i.test(trimmed) ? `https://${trimmed}` : trimmed;
}

/** Whether a scraper is to be asked. */
export function fits({ hostname, pathname, search }: URL, { hosts, path }: ScraperData): boolean {
  const isHost = (host: string) =>
    host.startsWith('*.') ? hostname.endsWith(host.slice(1)) : hostname === host || hostname === `www.${host}`;
  if (hosts && !hosts.some(isHost)) return false;
  return path === undefined ? hosts !== undefined : new RegExp(path).test(pathname + search);
}

function scrapeCall(host: ReaderHost, { signal, timeoutMs }: WebCall): ScrapeCall {
  return {
    signal,
    async get(url, headers = {}) {
      const { origin } = parseUrl(url);
      const { authorization, ...open } = Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
      );
      const answer = await host.client.ask({
        url,
        headers: open,
        ...(authorization !== undefined && { secrets: { authorization } }),
        signal,
        maxBytes: host.maxBytes,
        whenTooLarge: 'refuse',
        ...(host.trustedOrigins.has(origin) && { trustedOrigin: origin }),
        ...(timeoutMs !== undefined && { timeoutMs }),
      });
      return {
        status: answer.status,
        contentType: answer.contentType,
        text: decodeText(answer.bytes, answer.contentType).text,
      };
    },
    markdown: async (html, url) => (await host.converter.convert({ html, url, kind: 'fragment' }, signal)).markdown,
  };
}

function bodyOf({ url, contentType, bytes, isCut }: HttpAnswer): Body {
  return { url, contentType, bytes, isCut };
}

/** For how long the server says it stays the same; at least long enough to page through it. */
function freshFor(answer: HttpAnswer, cacheMs: number): number {
  const control = answer.header('cache-control') ?? '';
  const seconds = Number(/(?:^|[\s,])max-age=(\d+)/.exec(control)?.[1] ?? 0);
  return /no-store|no-cache/.test(control)
    ? Math.min(cacheMs, 60_000)
    : Math.max(cacheMs, Math.min(seconds * 1000, 24 * 3600_000));
}

/** The error for an answer that is none. */
export function statusError(url: URL, { status, bytes, contentType, header }: HttpAnswer): Error {
  const wait = header('retry-after');
  const hint =
    status === 404 || status === 410
      ? 'Check the address, or search for the page.'
      : status === 401 || status === 403
        ? 'The site wants a login or does not serve programs; read another source.'
        : status === 429
          ? `Too many requests: wait${wait === undefined ? '' : ` ${wait} seconds`} before you ask again.`
          : status >= 500
            ? 'The server has a problem; try again later.'
            : 'Read another source.';
  const said = /json|text\/plain/.test(contentType)
    ? decodeText(bytes.subarray(0, 2000), contentType).text.trim().slice(0, 300)
    : '';
  return errors.create('WEB_STATUS', {
    host: url.host,
    url: url.href,
    status,
    excerpt: said === '' ? '' : ` It said: ${said}`,
    hint,
  });
}
