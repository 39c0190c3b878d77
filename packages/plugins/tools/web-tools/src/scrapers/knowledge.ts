/** Sites that explain: arXiv, Stack Overflow and its sisters, Wikipedia, Hacker News, MDN, and feeds anywhere. */
import type { ScrapeCall, Scraper } from '../api.ts';
import { feedText } from '../page/feed-text.ts';
import { base, day, facts, getJson, join, type Loose, object, objects, pathOf, text } from './site.ts';

/** The scraper for arxiv.org/abs/…. Papers themselves are PDF files and are read as such. */
export function arxivScraper(api: string): Scraper {
  return {
    async scrape(url, call) {
      const [section, ...rest] = pathOf(url);
      const id = rest.join('/');
      if (section !== 'abs' || !/^(?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?\/\d{7})(?:v\d+)?$/.test(id))
        return undefined;
      const answer = await call.get(`${base(api)}/api/query?id_list=${encodeURIComponent(id)}`, {
        accept: 'application/atom+xml',
      });
      const { readFeed } = await import('../page/feed.ts');
      const [paper] = (answer.status === 200 ? readFeed(answer.text)?.items : undefined) ?? [];
      if (!paper || paper.title === '' || paper.title === 'Error') return undefined;
      const title = paper.title.replaceAll(/\s+/g, ' ');
      return {
        title,
        text: join(
          `# ${title}`,
          facts({ Authors: paper.author, Published: paper.date, PDF: `https://arxiv.org/pdf/${id}` }),
          paper.content.replaceAll(/\s+/g, ' '),
        ),
      };
    },
  };
}

const MAX_ANSWERS = 10;

/** The scraper for questions on Stack Overflow and the other sites of Stack Exchange. */
export function stackExchangeScraper(api: string): Scraper {
  return {
    async scrape(url, call) {
      const [section, id] = pathOf(url);
      if (id === undefined || !/^\d+$/.test(id)) return undefined;
      const site = siteName(new URL(url).hostname);
      const ask = async (path: string, more = '') =>
        objects(object(await getJson(call, `${base(api)}/2.3/${path}?site=${site}&filter=withbody${more}`))['items']);
      let question = id;
      if (section === 'a') question = text((await ask(`answers/${id}`))[0]?.['question_id']);
      else if (section !== 'questions' && section !== 'q') return undefined;
      const [about] = question === '' ? [] : await ask(`questions/${question}`);
      if (!about) return undefined;
      const answers = await ask(`questions/${question}/answers`, `&order=desc&sort=votes&pagesize=${MAX_ANSWERS}`);
      const parts: string[] = [];
      for (const answer of answers) {
        const accepted = answer['is_accepted'] === true ? ', accepted' : '';
        const who = text(object(answer['owner'])['display_name']);
        parts.push(
          `## Answer (${text(answer['score'])} votes${accepted}) by ${who}, ${day(answer['creation_date'])}\n\n${await call.markdown(text(answer['body']), url)}`,
        );
      }
      const title = await call.markdown(text(about['title']), url);
      const tags = Array.isArray(about['tags']) ? about['tags'].join(', ') : '';
      return {
        title,
        text: join(
          `# ${title}`,
          facts({
            Votes: text(about['score']),
            Asked: day(about['creation_date']),
            Tags: tags,
            Answers: text(about['answer_count']),
          }),
          await call.markdown(text(about['body']), url),
          ...parts,
        ),
      };
    },
  };
}

/** `stackoverflow.com` -> `stackoverflow`, `unix.stackexchange.com` -> `unix`. */
function siteName(host: string): string {
  return host.replace(/^www\./, '').replace(/\.(?:stackexchange\.com|com|net)$/, '');
}

/** The scraper for articles of Wikipedia in every language. */
export function wikipediaScraper(site: string): Scraper {
  return {
    async scrape(url, call) {
      const { hostname } = new URL(url);
      const language = hostname.replace(/^(?:www\.)?/, '').replace(/\.(?:m\.)?wikipedia\.org$/, '') || 'en';
      const [section, ...rest] = pathOf(url);
      const name = rest.join('/');
      if (section !== 'wiki' || name === '' || /^(?:Special|File|Talk|User|Template|Category):/i.test(name))
        return undefined;
      if (!/^[a-z-]{2,12}$/.test(language)) return undefined;
      const query = new URLSearchParams({
        action: 'query',
        prop: 'extracts',
        explaintext: '1',
        exsectionformat: 'wiki',
        redirects: '1',
        format: 'json',
        formatversion: '2',
        titles: name,
      });
      const response = await getJson(call, `${base(site.replace('{lang}', language))}/w/api.php?${query.toString()}`);
      const [page] = objects(object(object(response)['query'])['pages']);
      const body = text(page?.['extract']);
      if (!page || page['missing'] === true || body === '') return undefined;
      const title = text(page['title']);
      // `== History ==` is how its own markup writes a heading.
      const markdown = body.replaceAll(
        /^(={2,6})\s*(.+?)\s*\1$/gm,
        (_, marks: string, heading: string) => `${'#'.repeat(marks.length)} ${heading}`,
      );
      return { title, text: join(`# ${title}`, markdown.replaceAll(/\n{3,}/g, '\n\n')) };
    },
  };
}

const MAX_COMMENTS = 200;

/** The scraper for discussions on Hacker News. */
export function hackerNewsScraper(api: string): Scraper {
  return {
    async scrape(url, call) {
      const { pathname, searchParams } = new URL(url);
      const id = searchParams.get('id') ?? '';
      if (pathname !== '/item' || !/^\d+$/.test(id)) return undefined;
      const response = await getJson(call, `${base(api)}/api/v1/items/${id}`);
      if (response === undefined) return undefined;
      const story = object(response);
      const lines: string[] = [];
      await addComments(story, 0, lines, call, url);
      const title = text(story['title']) || `Comment by ${text(story['author'])}`;
      return {
        title,
        text: join(
          `# ${title}`,
          facts({
            Link: text(story['url']),
            Points: text(story['points']),
            Author: text(story['author']),
            Date: day(story['created_at']),
          }),
          await call.markdown(text(story['text']), url),
          lines.length > 0 ? `## Comments\n\n${lines.join('\n')}` : '',
        ),
      };
    },
  };
}

async function addComments(
  parent: Loose,
  depth: number,
  lines: string[],
  call: ScrapeCall,
  url: string,
): Promise<void> {
  for (const child of objects(parent['children'])) {
    if (lines.length >= MAX_COMMENTS) return;
    const body = text(child['text']);
    const indent = '  '.repeat(Math.min(depth, 8));
    if (body !== '') {
      const said = (await call.markdown(body, url)).replaceAll('\n', `\n${indent}  `);
      lines.push(`${indent}- **${text(child['author'])}**: ${said}`);
    }
    await addComments(child, depth + 1, lines, call, url);
  }
}

/** The scraper for the pages of MDN. */
export function mdnScraper(site: string): Scraper {
  return {
    async scrape(url, call) {
      const { pathname } = new URL(url);
      if (!/^\/[\w-]+\/docs\/./.test(pathname)) return undefined;
      const response = await getJson(call, `${base(site)}${pathname.replace(/\/+$/, '')}/index.json`);
      if (response === undefined) return undefined;
      const doc = object(object(response)['doc']);
      const sections: string[] = [];
      for (const section of objects(doc['body'])) {
        const value = object(section['value']);
        const heading = text(value['title']);
        const body = await call.markdown(text(value['content']), url);
        if (body !== '')
          sections.push(join(heading === '' ? '' : `${value['isH3'] === true ? '###' : '##'} ${heading}`, body));
      }
      const title = text(doc['title']);
      return sections.length === 0 ? undefined : { title, text: join(`# ${title}`, ...sections) };
    },
  };
}

/** The scraper for addresses that look like feeds; what is none is read like any page. */
export function feedScraper(): Scraper {
  return {
    async scrape(url, call) {
      const accept =
        'application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9, */*;q=0.5';
      const answer = await call.get(url, { accept });
      if (answer.status !== 200) return undefined;
      const { readFeed } = await import('../page/feed.ts');
      const feed = readFeed(answer.text);
      if (!feed) return undefined;
      return { title: feed.title, text: await feedText(feed, (html) => call.markdown(html, url)) };
    },
  };
}
