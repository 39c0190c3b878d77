/** Engines that are models with a search of their own: they write an answer and name their sources. */
import type { SearchEngine, SearchHit, SearchQuery } from '../../api.ts';
import { object, objects, text } from '../../scrapers/site.ts';

const MAX_TOKENS = 2048;

/** The question for engines that take wishes about sites and age only in words. */
function inWords({ text: words, recency, domains, excludeDomains }: SearchQuery): string {
  const wishes = [
    ...(recency ? [`Use only sources of the last ${recency}.`] : []),
    ...(domains.length > 0 ? [`Use only these sites: ${domains.join(', ')}.`] : []),
    ...(excludeDomains.length > 0 ? [`Do not use these sites: ${excludeDomains.join(', ')}.`] : []),
  ];
  return [`Search the web and answer briefly, with the facts that the sources give: ${words}`, ...wishes].join('\n');
}

/** Every source once, in the order in which they were named. */
function unique(hits: readonly SearchHit[]): readonly SearchHit[] {
  const seen = new Map<string, SearchHit>();
  for (const hit of hits) {
    const known = seen.get(hit.url);
    if (hit.url !== '' && (!known || (!known.snippet && hit.snippet))) seen.set(hit.url, { ...known, ...hit });
  }
  return [...seen.values()];
}

function source(title: unknown, url: unknown, more: { snippet?: unknown; date?: unknown } = {}): SearchHit {
  const [snippet, date] = [text(more.snippet).trim(), text(more.date)];
  return { title: text(title) || text(url), url: text(url), ...(snippet && { snippet }), ...(date && { date }) };
}

/** Perplexity. */
export const perplexity: SearchEngine = {
  async search(query, call) {
    const domains = [...query.domains, ...query.excludeDomains.map((domain) => `-${domain}`)];
    const response = object(
      await call.json({
        path: '/chat/completions',
        body: {
          model: call.model,
          messages: [{ role: 'user', content: query.text }],
          max_tokens: MAX_TOKENS,
          ...(domains.length > 0 && { search_domain_filter: domains }),
          ...(query.recency && { search_recency_filter: query.recency }),
        },
        secrets: { authorization: `Bearer ${call.key ?? ''}` },
      }),
    );
    const answer = text(object(objects(response['choices'])[0]?.['message'])['content']);
    const named = objects(response['search_results']).map((row) =>
      source(row['title'], row['url'], { snippet: row['snippet'], date: row['date'] }),
    );
    const cited = Array.isArray(response['citations']) ? response['citations'].map((url) => source('', url)) : [];
    return { answer, hits: unique([...named, ...cited]) };
  },
};

/** Anthropic's models with their search tool. */
export const anthropic: SearchEngine = {
  async search(query, call) {
    const response = object(
      await call.json({
        path: '/v1/messages',
        headers: { 'anthropic-version': '2023-06-01' },
        secrets: { 'x-api-key': call.key ?? '' },
        body: {
          model: call.model,
          max_tokens: MAX_TOKENS,
          messages: [{ role: 'user', content: inWords({ ...query, domains: [], excludeDomains: [] }) }],
          tools: [
            {
              type: 'web_search_20250305',
              name: 'web_search',
              max_uses: 3,
              // The interface takes one list or the other.
              ...(query.domains.length > 0
                ? { allowed_domains: query.domains }
                : query.excludeDomains.length > 0 && { blocked_domains: query.excludeDomains }),
            },
          ],
        },
      }),
    );
    const blocks = objects(response['content']);
    const texts = blocks.filter((block) => block['type'] === 'text');
    const cited = texts.flatMap((block) =>
      objects(block['citations']).map((citation) =>
        source(citation['title'], citation['url'], { snippet: citation['cited_text'] }),
      ),
    );
    const results = blocks
      .filter((block) => block['type'] === 'web_search_tool_result')
      .flatMap((block) =>
        objects(block['content']).map((page) => source(page['title'], page['url'], { date: page['page_age'] })),
      );
    return { answer: texts.map((block) => text(block['text'])).join(''), hits: unique([...cited, ...results]) };
  },
};

/** Google's models with their search tool. */
export const gemini: SearchEngine = {
  async search(query, call) {
    const response = await call.json({
      path: `/v1beta/models/${encodeURIComponent(call.model ?? '')}:generateContent`,
      secrets: { 'x-goog-api-key': call.key ?? '' },
      body: { contents: [{ role: 'user', parts: [{ text: inWords(query) }] }], tools: [{ google_search: {} }] },
    });
    const candidate = objects(object(response)['candidates'])[0] ?? {};
    const answer = objects(object(candidate['content'])['parts'])
      .map((part) => text(part['text']))
      .join('');
    const chunks = objects(object(candidate['groundingMetadata'])['groundingChunks']);
    const hits = unique(chunks.map((chunk) => source(object(chunk['web'])['title'], object(chunk['web'])['uri'])));
    // Its sources are addresses of Google that send their reader on.
    return { answer, hits, hidesSites: true };
  },
};

/** OpenAI's models with their search tool. */
export const openai: SearchEngine = {
  async search(query, call) {
    const response = object(
      await call.json({
        path: '/v1/responses',
        secrets: { authorization: `Bearer ${call.key ?? ''}` },
        body: {
          model: call.model,
          input: inWords({ ...query, domains: [] }),
          tools: [
            { type: 'web_search', ...(query.domains.length > 0 && { filters: { allowed_domains: query.domains } }) },
          ],
        },
      }),
    );
    const parts = objects(response['output'])
      .filter((item) => item['type'] === 'message')
      .flatMap((item) => objects(item['content']))
      .filter((part) => part['type'] === 'output_text');
    const cited = parts.flatMap((part) =>
      objects(part['annotations']).filter((annotation) => annotation['type'] === 'url_citation'),
    );
    return {
      answer: parts.map((part) => text(part['text'])).join(''),
      hits: unique(cited.map((citation) => source(citation['title'], citation['url']))),
    };
  },
};
