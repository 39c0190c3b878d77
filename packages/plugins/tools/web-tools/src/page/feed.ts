/** RSS, Atom, RDF and JSON feeds as lists to read. */
import { parseFeed } from 'feedsmith';

/** One thing in a feed. */
export interface FeedItem {
  readonly title: string;
  readonly url: string;
  readonly date: string;
  readonly author: string;
  /** HTML or text. */
  readonly content: string;
}

/** A feed, whatever format it had. */
export interface Feed {
  readonly title: string;
  readonly description: string;
  readonly items: readonly FeedItem[];
}

type Loose = Readonly<Record<string, unknown>>;

/** The feed, or undefined when the text is none. */
export function readFeed(text: string): Feed | undefined {
  let parsed: { readonly format: string; readonly feed: unknown };
  try {
    parsed = parseFeed(text);
  } catch {
    return undefined; // Not a feed, or too broken to be one; it is read as what it is then.
  }
  const feed = parsed.feed as Loose;
  const items = list(feed['items'] ?? feed['entries']);
  return {
    title: textOf(feed['title']),
    description: textOf(feed['description'] ?? feed['subtitle']),
    items: items.map((item) => ({
      title: textOf(item['title']),
      url: linkOf(item),
      date: dateOf(item),
      author:
        list(item['authors'])
          .map((author) => textOf(author['name'] ?? author))
          .filter(Boolean)
          .join(', ') || textOf(dc(item)['creator']),
      content: contentOf(item),
    })),
  };
}

function dc(item: Loose): Loose {
  return isLoose(item['dc']) ? item['dc'] : {};
}

function linkOf(item: Loose): string {
  const direct = item['url'] ?? item['link'];
  if (typeof direct === 'string') return direct;
  const links = list(item['links']);
  const best = links.find((link) => link['rel'] === undefined || link['rel'] === 'alternate') ?? links[0];
  return textOf(best?.['href'] ?? item['guid'] ?? item['id']);
}

function dateOf(item: Loose): string {
  const date = textOf(
    item['date_published'] ?? item['pubDate'] ?? item['published'] ?? item['updated'] ?? dc(item)['date'],
  );
  const time = Date.parse(date);
  return Number.isNaN(time) ? date : new Date(time).toISOString().slice(0, 10);
}

function contentOf(item: Loose): string {
  const encoded = isLoose(item['content']) ? (item['content']['encoded'] ?? item['content']['value']) : item['content'];
  return textOf(
    item['summary'] ?? item['description'] ?? item['content_html'] ?? item['content_text'] ?? encoded ?? '',
  );
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  if (typeof value === 'number') return String(value);
  return isLoose(value) ? textOf(value['value'] ?? value['name'] ?? '') : '';
}

function list(value: unknown): readonly Loose[] {
  return Array.isArray(value) ? value.map((item) => (isLoose(item) ? item : { value: item })) : [];
}

function isLoose(value: unknown): value is Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
