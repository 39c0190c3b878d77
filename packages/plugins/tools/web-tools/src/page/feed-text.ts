import type { Feed } from './feed.ts';

const MAX_ITEMS = 50;
const MAX_SUMMARY = 600;

/** A feed as Markdown. `toText` makes Markdown of what items say in HTML. */
export async function feedText(feed: Feed, toText: (html: string) => Promise<string>): Promise<string> {
  const parts = [`# ${feed.title || 'Feed'}`, ...(feed.description === '' ? [] : [feed.description])];
  for (const { title, url, date, author, content } of feed.items.slice(0, MAX_ITEMS)) {
    const facts = [date, author].filter(Boolean).join(', ');
    const text = /[<&]/.test(content) ? await toText(content) : content;
    const summary = text.length > MAX_SUMMARY ? `${text.slice(0, MAX_SUMMARY)}…` : text;
    parts.push([`## ${title || url}`, ...[facts, url, summary].filter(Boolean)].join('\n'));
  }
  if (feed.items.length > MAX_ITEMS) parts.push(`… and ${feed.items.length - MAX_ITEMS} more`);
  return parts.join('\n\n');
}
