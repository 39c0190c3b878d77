/** What other plugins may use of the web: the slots for sites and search engines, and the service that reads pages. */
import { service, slot } from '@tenon/kernel';

/** A page, made readable. */
export interface WebPage {
  /** As it was asked for. */
  readonly url: string;
  /** Where it was found after redirects and alternatives. */
  readonly finalUrl: string;
  readonly contentType: string;
  /** How the text was made: `markdown`, `readability`, `json`, `feed`, `github`, … */
  readonly method: string;
  readonly text: string;
  readonly title?: string;
  /** The content itself when it is not text: a document or an image. */
  readonly bytes?: Uint8Array;
  readonly notes: readonly string[];
}

/** What reading a page is told. */
export interface WebCall {
  readonly signal: AbortSignal;
  /** Pages are kept by session. */
  readonly session?: string;
  /** As the server gives it, without looking for a better form. */
  readonly raw?: boolean;
  readonly timeoutMs?: number;
}

/** A page as Markdown. */
export interface ReadablePage {
  readonly markdown: string;
  readonly title: string;
  /** True when the article was found; else all of the page was taken. */
  readonly isArticle: boolean;
}

/** Reads pages. */
export interface WebReader {
  read(url: string, call: WebCall): Promise<WebPage>;
  /** Makes a page readable that somebody else has loaded; links are made absolute by its address. */
  readable(html: string, url: string, signal: AbortSignal): Promise<ReadablePage>;
}

/** Reads pages of the web: guarded, bounded, kept for a while. */
export const webReader = service<WebReader>('web-reader');

/** What a scraper made of an address: a text, or another address to read instead. */
export type Scraped =
  | { readonly text: string; readonly title?: string; readonly finalUrl?: string; readonly notes?: readonly string[] }
  | { readonly instead: string };

/** The answer to a scraper's question. */
export interface ScrapeAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

/** What a scraper works with. Plain data and async functions, so that it crosses to packs. */
export interface ScrapeCall {
  readonly signal: AbortSignal;
  /** Asks a server; guarded and bounded like every reading of a page. */
  get(url: string, headers?: Readonly<Record<string, string>>): Promise<ScrapeAnswer>;
  /** Markdown of a part of a page. */
  markdown(html: string, baseUrl: string): Promise<string>;
}

/** Knows a site: makes more of its addresses than reading the page would give. */
export interface Scraper {
  /** Undefined when the address is none that it knows; the page is then read like any other. */
  scrape(url: string, call: ScrapeCall): Promise<Scraped | undefined>;
}

/** What the data of an entry says: which addresses a scraper is asked about, without starting it. */
export interface ScraperData {
  readonly summary: string;
  /** `github.com`, or `*.wikipedia.org` for everything below. */
  readonly hosts?: readonly string[];
  /** A regular expression for the path; with `hosts`, both must fit. */
  readonly path?: string;
}

/** Scrapers by name, the one with the highest priority first. The data of an entry is a `ScraperData`. */
export const scrapers = slot<Scraper>('scrapers', { access: 'packs' });

/** What to look for. */
export interface SearchQuery {
  readonly text: string;
  readonly limit: number;
  readonly recency?: 'day' | 'week' | 'month' | 'year';
  /** Only these sites. */
  readonly domains: readonly string[];
  readonly excludeDomains: readonly string[];
}

/** One thing that was found. */
export interface SearchHit {
  readonly title: string;
  readonly url: string;
  readonly snippet?: string;
  /** As the engine writes it. */
  readonly date?: string;
}

/** What an engine gave. */
export interface SearchAnswer {
  /** A text that answers the question, from engines that write one. */
  readonly answer?: string;
  readonly hits: readonly SearchHit[];
  readonly notes?: readonly string[];
  /** True when the hits' addresses do not show their sites, so that only the engine can have kept to `domains`. */
  readonly hidesSites?: boolean;
}

/** What an engine works with. */
export interface SearchCall {
  readonly signal: AbortSignal;
  readonly key: string | undefined;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** For engines that are models: which one. */
  readonly model: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Asks the engine's server; gives its JSON, or rejects with an error that says what the server said. */
  json(request: SearchRequest): Promise<unknown>;
}

/** A question to an engine's server. */
export interface SearchRequest {
  /** Appended to the base URL. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** Sent as JSON by POST. */
  readonly body?: unknown;
  /** With the key. They never leave the base URL's origin. */
  readonly secrets?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Searches the web. */
export interface SearchEngine {
  search(query: SearchQuery, call: SearchCall): Promise<SearchAnswer>;
}

/** What the data of an entry says about an engine. */
export interface SearchEngineData {
  readonly title: string;
  readonly baseUrl?: string;
  /** Variables with another base URL; the first that is set counts. */
  readonly baseUrlEnv?: readonly string[];
  /** Variables with the key; the first that is set counts. */
  readonly env?: readonly string[];
  /** Under which name the credential store keeps the key. */
  readonly auth?: string;
  /** Variables that must be set too. */
  readonly alsoNeeds?: readonly string[];
  /** True when it works without a key, once its base URL is known. */
  readonly keyOptional?: boolean;
  readonly model?: string;
  readonly modelEnv?: string;
}

/** Engines by name. The data of an entry is a `SearchEngineData`. Not for packs: an engine is given keys. */
export const searchEngines = slot<SearchEngine>('search-engines');

export { errors } from './errors.ts';
