/** Engines that give lists of pages. Each speaks the interface that its service documents. */
import type { SearchEngine, SearchHit, SearchQuery } from '../../api.ts';
import { type Loose, object, objects, text } from '../../scrapers/site.ts';

const DAYS = { day: 1, week: 7, month: 30, year: 365 } as const;

/** A hit from whatever fields an engine uses. */
function hit(title: unknown, url: unknown, snippet: unknown, date?: unknown): SearchHit {
  const [short, when] = [text(snippet).trim(), text(date)];
  return {
    title: text(title) || text(url),
    url: text(url),
    ...(short && { snippet: short }),
    ...(when && { date: when }),
  };
}

/** The words, with the sites as operators, for engines that have no other way. */
function withSites({ text: words, domains, excludeDomains }: SearchQuery): string {
  const only = domains.map((domain) => `site:${domain}`).join(' OR ');
  const without = excludeDomains.map((domain) => `-site:${domain}`);
  return [words, domains.length > 1 ? `(${only})` : only, ...without].filter(Boolean).join(' ');
}

function since(recency: SearchQuery['recency']): string | undefined {
  return recency && new Date(Date.now() - DAYS[recency] * 24 * 3600_000).toISOString();
}

function firstTexts(value: unknown, count: number): string {
  return Array.isArray(value) ? value.slice(0, count).map(text).join(' … ') : '';
}

const bearer = (key: string | undefined): Record<string, string> => (key ? { authorization: `Bearer ${key}` } : {});

/** Brave Search. */
export const brave: SearchEngine = {
  async search(query, call) {
    const response = await call.json({
      path: '/res/v1/web/search',
      query: {
        q: withSites(query),
        count: Math.min(20, query.limit),
        freshness: query.recency && { day: 'pd', week: 'pw', month: 'pm', year: 'py' }[query.recency],
        text_decorations: 'false',
      },
      secrets: { 'x-subscription-token': call.key ?? '' },
    });
    const rows = objects(object(object(response)['web'])['results']);
    return {
      hits: rows.map((row) => hit(row['title'], row['url'], row['description'], row['page_age'] ?? row['age'])),
    };
  },
};

/** Tavily. */
export const tavily: SearchEngine = {
  async search(query, call) {
    const response = object(
      await call.json({
        path: '/search',
        body: {
          query: query.text,
          max_results: Math.min(20, query.limit),
          include_answer: true,
          ...(query.recency && { time_range: query.recency }),
          ...(query.domains.length > 0 && { include_domains: query.domains }),
          ...(query.excludeDomains.length > 0 && { exclude_domains: query.excludeDomains }),
        },
        secrets: bearer(call.key),
      }),
    );
    const answer = text(response['answer']);
    const hits = objects(response['results']).map((row) =>
      hit(row['title'], row['url'], row['content'], row['published_date']),
    );
    return { hits, ...(answer && { answer }) };
  },
};

/** Exa. */
export const exa: SearchEngine = {
  async search(query, call) {
    const start = since(query.recency);
    const response = await call.json({
      path: '/search',
      body: {
        query: query.text,
        numResults: query.limit,
        contents: { highlights: { numSentences: 3, highlightsPerUrl: 2 } },
        ...(start !== undefined && { startPublishedDate: start }),
        ...(query.domains.length > 0 && { includeDomains: query.domains }),
        ...(query.excludeDomains.length > 0 && { excludeDomains: query.excludeDomains }),
      },
      secrets: { 'x-api-key': call.key ?? '' },
    });
    const snippet = (row: Loose) => firstTexts(row['highlights'], 2) || text(row['text']) || text(row['summary']);
    return {
      hits: objects(object(response)['results']).map((row) =>
        hit(row['title'], row['url'], snippet(row), row['publishedDate']),
      ),
    };
  },
};

/** Jina's search. */
export const jina: SearchEngine = {
  async search(query, call) {
    const [site, ...others] = query.domains;
    const response = await call.json({
      path: '/',
      query: {
        q: others.length > 0 || query.excludeDomains.length > 0 ? withSites(query) : query.text,
        num: query.limit,
      },
      headers: { 'x-respond-with': 'no-content', ...(site !== undefined && others.length === 0 && { 'x-site': site }) },
      secrets: bearer(call.key),
    });
    const hits = objects(object(response)['data']).map((row) =>
      hit(row['title'], row['url'], row['description'] ?? row['content'], row['date']),
    );
    return { hits, ...noRecency(query, 'Jina') };
  },
};

/** Kagi. */
export const kagi: SearchEngine = {
  async search(query, call) {
    const response = await call.json({
      path: '/api/v0/search',
      query: { q: withSites(query), limit: query.limit },
      secrets: { authorization: `Bot ${call.key ?? ''}` },
    });
    // Kind 0 is a result; others are related searches.
    const rows = objects(object(response)['data']).filter((row) => row['t'] === 0);
    return {
      hits: rows.map((row) => hit(row['title'], row['url'], row['snippet'], row['published'])),
      ...noRecency(query, 'Kagi'),
    };
  },
};

/** Parallel. */
export const parallel: SearchEngine = {
  async search(query, call) {
    const start = since(query.recency)?.slice(0, 10);
    const policy = {
      ...(query.domains.length > 0 && { include_domains: query.domains }),
      ...(query.excludeDomains.length > 0 && { exclude_domains: query.excludeDomains }),
      ...(start !== undefined && { after_date: start }),
    };
    const response = await call.json({
      path: '/v1beta/search',
      body: {
        objective: query.text,
        search_queries: [query.text],
        max_results: query.limit,
        excerpts: { max_chars_per_result: 1000 },
        ...(Object.keys(policy).length > 0 && { source_policy: policy }),
      },
      secrets: { 'x-api-key': call.key ?? '' },
    });
    const rows = objects(object(response)['results']);
    return {
      hits: rows.map((row) => hit(row['title'], row['url'], firstTexts(row['excerpts'], 2), row['publish_date'])),
    };
  },
};

/** A SearXNG server. */
export const searxng: SearchEngine = {
  async search(query, call) {
    const { SEARXNG_BASIC_USERNAME: user, SEARXNG_BASIC_PASSWORD: password = '' } = call.env;
    const basic =
      user === undefined ? {} : { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
    const response = await call.json({
      path: '/search',
      query: { q: withSites(query), format: 'json', time_range: query.recency },
      secrets: { ...basic, ...bearer(call.key) },
    });
    const answers = Array.isArray(object(response)['answers']) ? (object(response)['answers'] as unknown[]) : [];
    const answer = answers.map((item) => text(item) || text(object(item)['answer'])).find(Boolean);
    const rows = objects(object(response)['results']).slice(0, query.limit);
    return {
      hits: rows.map((row) => hit(row['title'], row['url'], row['content'], row['publishedDate'])),
      ...(answer !== undefined && { answer }),
    };
  },
};

/** Google's Programmable Search. */
export const google: SearchEngine = {
  async search(query, call) {
    const response = await call.json({
      path: '/customsearch/v1',
      query: {
        cx: call.env['GOOGLE_CSE_ID'],
        q: withSites(query),
        num: Math.min(10, query.limit),
        dateRestrict: query.recency && { day: 'd1', week: 'w1', month: 'm1', year: 'y1' }[query.recency],
      },
      secrets: { 'x-goog-api-key': call.key ?? '' },
    });
    return { hits: objects(object(response)['items']).map((row) => hit(row['title'], row['link'], row['snippet'])) };
  },
};

/** Kimi's search. */
export const kimi: SearchEngine = {
  async search(query, call) {
    const reply = await call.json({
      path: '/search',
      body: { text_query: withSites(query), limit: query.limit, enable_page_crawling: false, timeout_seconds: 30 },
      secrets: bearer(call.key),
    });
    const rows = objects(object(reply)['search_results']);
    return {
      hits: rows.map((row) => hit(row['title'], row['url'], row['snippet'] || row['content'], row['date'])),
      ...noRecency(query, 'Kimi'),
    };
  },
};

/** Z.ai's search. */
export const zai: SearchEngine = {
  async search(query, call) {
    const recency =
      query.recency && { day: 'oneDay', week: 'oneWeek', month: 'oneMonth', year: 'oneYear' }[query.recency];
    const [site, ...others] = query.domains;
    const response = await call.json({
      path: '/web_search',
      body: {
        search_engine: 'search-prime',
        search_query: others.length > 0 || query.excludeDomains.length > 0 ? withSites(query) : query.text,
        count: query.limit,
        ...(recency && { search_recency_filter: recency }),
        ...(site !== undefined && others.length === 0 && { search_domain_filter: site }),
      },
      secrets: bearer(call.key),
    });
    const rows = objects(object(response)['search_result']);
    return { hits: rows.map((row) => hit(row['title'], row['link'], row['content'], row['publish_date'])) };
  },
};

/** Synthetic's search. */
export const synthetic: SearchEngine = {
  async search(query, call) {
    const response = await call.json({
      path: '/v2/search',
      body: { query: withSites(query) },
      secrets: bearer(call.key),
    });
    const rows = objects(object(response)['results']).slice(0, query.limit);
    return {
      hits: rows.map((row) => hit(row['title'], row['url'], row['text'], row['published'])),
      ...noRecency(query, 'Synthetic'),
    };
  },
};

function noRecency({ recency }: SearchQuery, engine: string): { notes?: readonly string[] } {
  return recency ? { notes: [`${engine} cannot be asked for recent pages only; look at the dates.`] } : {};
}
