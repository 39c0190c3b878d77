/** Every search engine against a server that speaks its interface. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import source from '../package.json' with { type: 'json' };
import { type Asked, type FakeWeb, openFakeWeb, type Reply } from './fake-web.ts';
import { openWebBench, textOf, type WebBench, withoutKeys } from './web-bench.ts';

const engines = source.tenon.contributes['search-engines'];
type Engine = keyof typeof engines;
const SITE = 'https://docs.example.org/a';

/** What each service expects and gives. `asks` sees the question that must have come. */
const WIRES: Record<Engine, { path: string; reply: unknown; asks(asked: Asked): unknown; expected: unknown }> = {
  perplexity: {
    path: '/chat/completions',
    reply: {
      choices: [{ message: { content: 'Foxes run [1].' } }],
      search_results: [{ title: 'A', url: SITE, date: '2024-01-01', snippet: 's' }],
      citations: [SITE],
    },
    asks: ({ headers, body }) => [headers['authorization'], JSON.parse(body)],
    expected: [
      'Bearer k-perplexity',
      {
        model: 'sonar',
        search_domain_filter: ['example.org', '-bad.example'],
        search_recency_filter: 'week',
        messages: [{ role: 'user', content: 'fast foxes' }],
      },
    ],
  },
  brave: {
    path: '/res/v1/web/search',
    reply: { web: { results: [{ title: 'A', url: SITE, description: 's', page_age: '2024-01-01' }] } },
    asks: ({ headers, query }) => [
      headers['x-subscription-token'],
      query.get('q'),
      query.get('freshness'),
      query.get('count'),
    ],
    expected: ['k-brave', 'fast foxes site:example.org -site:bad.example', 'pw', '5'],
  },
  jina: {
    path: '/',
    reply: { code: 200, data: [{ title: 'A', url: SITE, description: 's' }] },
    asks: ({ headers, query }) => [headers['authorization'], headers['x-respond-with'], query.get('q')],
    expected: ['Bearer k-jina', 'no-content', 'fast foxes site:example.org -site:bad.example'],
  },
  kimi: {
    path: '/search',
    reply: { search_results: [{ site_name: 'x', title: 'A', url: SITE, snippet: 's', date: '2024-01-01' }] },
    asks: ({ headers, body }) => [headers['authorization'], JSON.parse(body)],
    expected: [
      'Bearer k-kimi',
      { text_query: 'fast foxes site:example.org -site:bad.example', limit: 5, enable_page_crawling: false },
    ],
  },
  anthropic: {
    path: '/v1/messages',
    reply: {
      content: [
        { type: 'server_tool_use', name: 'web_search', input: { query: 'x' } },
        {
          type: 'web_search_tool_result',
          content: [{ type: 'web_search_result', title: 'A', url: SITE, page_age: '1 day' }],
        },
        {
          type: 'text',
          text: 'Foxes run.',
          citations: [{ type: 'web_search_result_location', url: SITE, title: 'A', cited_text: 's' }],
        },
      ],
    },
    asks: ({ headers, body }) => [headers['x-api-key'], headers['anthropic-version'], JSON.parse(body)],
    expected: [
      'k-anthropic',
      '2023-06-01',
      {
        model: 'claude-haiku-4-5',
        tools: [{ type: 'web_search_20250305', name: 'web_search', allowed_domains: ['example.org'] }],
      },
    ],
  },
  gemini: {
    path: '/v1beta/models/gemini-2.5-flash:generateContent',
    reply: {
      candidates: [
        {
          content: { parts: [{ text: 'Foxes run.' }] },
          groundingMetadata: {
            groundingChunks: [{ web: { title: 'docs.example.org', uri: 'https://redirect.example/1' } }],
          },
        },
      ],
    },
    asks: ({ headers, body }) => [headers['x-goog-api-key'], JSON.parse(body)],
    expected: [
      'k-gemini',
      {
        tools: [{ google_search: {} }],
        contents: [{ role: 'user', parts: [{ text: expect.stringContaining('Use only these sites: example.org.') }] }],
      },
    ],
  },
  openai: {
    path: '/v1/responses',
    reply: {
      output: [
        { type: 'web_search_call' },
        {
          type: 'message',
          content: [
            { type: 'output_text', text: 'Foxes run.', annotations: [{ type: 'url_citation', url: SITE, title: 'A' }] },
          ],
        },
      ],
    },
    asks: ({ headers, body }) => [headers['authorization'], JSON.parse(body)],
    expected: [
      'Bearer k-openai',
      {
        tools: [{ type: 'web_search', filters: { allowed_domains: ['example.org'] } }],
        input: expect.stringContaining('fast foxes'),
      },
    ],
  },
  zai: {
    path: '/web_search',
    reply: { search_result: [{ title: 'A', link: SITE, content: 's', publish_date: '2024-01-01' }] },
    asks: ({ headers, body }) => [headers['authorization'], JSON.parse(body)],
    expected: [
      'Bearer k-zai',
      {
        search_engine: 'search-prime',
        search_query: 'fast foxes site:example.org -site:bad.example',
        count: 5,
        search_recency_filter: 'oneWeek',
      },
    ],
  },
  exa: {
    path: '/search',
    reply: { results: [{ title: 'A', url: SITE, publishedDate: '2024-01-01', highlights: ['s'] }] },
    asks: ({ headers, body }) => [headers['x-api-key'], JSON.parse(body)],
    expected: [
      'k-exa',
      {
        query: 'fast foxes',
        numResults: 5,
        includeDomains: ['example.org'],
        excludeDomains: ['bad.example'],
        startPublishedDate: expect.stringMatching(/^\d{4}-/),
      },
    ],
  },
  tavily: {
    path: '/search',
    reply: { answer: 'Foxes run.', results: [{ title: 'A', url: SITE, content: 's', score: 0.9 }] },
    asks: ({ headers, body }) => [headers['authorization'], JSON.parse(body)],
    expected: [
      'Bearer k-tavily',
      {
        query: 'fast foxes',
        max_results: 5,
        include_domains: ['example.org'],
        exclude_domains: ['bad.example'],
        time_range: 'week',
      },
    ],
  },
  kagi: {
    path: '/api/v0/search',
    reply: {
      meta: {},
      data: [
        { t: 0, url: SITE, title: 'A', snippet: 's', published: '2024-01-01' },
        { t: 1, list: ['other'] },
      ],
    },
    asks: ({ headers, query }) => [headers['authorization'], query.get('q'), query.get('limit')],
    expected: ['Bot k-kagi', 'fast foxes site:example.org -site:bad.example', '5'],
  },
  parallel: {
    path: '/v1beta/search',
    reply: { search_id: 'x', results: [{ title: 'A', url: SITE, publish_date: '2024-01-01', excerpts: ['s'] }] },
    asks: ({ headers, body }) => [headers['x-api-key'], JSON.parse(body)],
    expected: [
      'k-parallel',
      {
        objective: 'fast foxes',
        max_results: 5,
        source_policy: { include_domains: ['example.org'], exclude_domains: ['bad.example'] },
      },
    ],
  },
  google: {
    path: '/customsearch/v1',
    reply: { items: [{ title: 'A', link: SITE, snippet: 's' }] },
    asks: ({ headers, query }) => [
      headers['x-goog-api-key'],
      query.get('cx'),
      query.get('q'),
      query.get('dateRestrict'),
      query.get('num'),
    ],
    expected: ['k-google', 'my-cx', 'fast foxes site:example.org -site:bad.example', 'w1', '5'],
  },
  synthetic: {
    path: '/v2/search',
    reply: { results: [{ title: 'A', url: SITE, text: 's', published: '2024-01-01' }] },
    asks: ({ headers, body }) => [headers['authorization'], JSON.parse(body)],
    expected: ['Bearer k-synthetic', { query: 'fast foxes site:example.org -site:bad.example' }],
  },
  searxng: {
    path: '/search',
    reply: { answers: [], results: [{ title: 'A', url: SITE, content: 's', publishedDate: '2024-01-01' }] },
    asks: ({ headers, query }) => [
      headers['authorization'],
      query.get('format'),
      query.get('q'),
      query.get('time_range'),
    ],
    expected: ['Bearer k-searxng', 'json', 'fast foxes site:example.org -site:bad.example', 'week'],
  },
};

let web: FakeWeb;
let bench: WebBench;
let restore: () => void;
beforeAll(async () => {
  restore = withoutKeys();
  web = await openFakeWeb();
  const addresses = Object.keys(engines).map((id) => [id, { baseUrl: `${web.origin}/${id}/` }]);
  bench = await openWebBench({ search: { engines: Object.fromEntries(addresses), order: ['brave', 'tavily', 'exa'] } });
});
afterAll(async () => {
  await bench.dispose();
  await web.close();
  restore();
});

/** Runs with variables set, and takes them away again. */
async function withEnv<T>(env: Record<string, string>, work: () => Promise<T>): Promise<T> {
  Object.assign(process.env, env);
  try {
    return await work();
  } finally {
    for (const name of Object.keys(env)) delete process.env[name];
  }
}

const answer = (engine: Engine, reply: Reply | ((asked: Asked) => Reply) = { json: WIRES[engine].reply }) =>
  void web.rules.set(`/${engine}${WIRES[engine].path}`, reply);
const input = {
  query: 'fast foxes',
  limit: 5,
  recency: 'week',
  domains: ['https://www.example.org/'],
  exclude_domains: ['bad.example'],
};
const search = (more: object = {}) => bench.run('web_search', { query: 'fast foxes', ...more });

describe('engines', () => {
  it.each(Object.keys(engines) as Engine[])('%s speaks its interface', async (engine) => {
    answer(engine);
    const [variable = ''] = engines[engine].env ?? [];
    const result = await withEnv({ [variable]: `k-${engine}`, GOOGLE_CSE_ID: 'my-cx' }, () =>
      bench.run('web_search', { ...input, engine }),
    );
    expect(textOf(result)).toContain('1. ');
    expect(result.isError).toBeUndefined();
    const { asks, expected } = WIRES[engine];
    const asked = web.asked.at(-1);
    if (!asked) throw new Error('nothing was asked');
    expect(asks(asked)).toMatchObject(expected as object);
    expect(result.details).toMatchObject({
      engine,
      results: [{ url: expect.stringMatching(engine === 'gemini' ? /redirect/ : /docs\.example\.org\/a/) }],
    });
    // The key is nowhere in what the model or a log sees.
    expect(JSON.stringify(result)).not.toContain(`k-${engine}`);
  });

  it('there is a wire for every engine of the manifest', () => {
    expect(Object.keys(WIRES).sort()).toEqual(Object.keys(engines).sort());
    expect([...source.tenon.settings.properties.search.properties.order.default].sort()).toEqual(
      Object.keys(engines).sort(),
    );
  });

  it('SearXNG takes a user name and password, or nothing', async () => {
    answer('searxng');
    await withEnv({ SEARXNG_BASIC_USERNAME: 'u', SEARXNG_BASIC_PASSWORD: 'p' }, () => search({ engine: 'searxng' }));
    expect(web.asked.at(-1)?.headers['authorization']).toBe(`Basic ${Buffer.from('u:p').toString('base64')}`);
    await search({ engine: 'searxng' });
    expect(web.asked.at(-1)?.headers['authorization']).toBeUndefined();
  });
});

describe('the chain', () => {
  it('shows results with their sources', async () => {
    answer('brave', {
      json: {
        web: {
          results: [
            { title: 'A\n b', url: SITE, description: 'About  foxes', page_age: '2024-01-01' },
            { title: 'B', url: 'https://b.example/' },
            { title: 'again', url: SITE },
          ],
        },
      },
    });
    const text = textOf(await withEnv({ BRAVE_API_KEY: 'k' }, () => search()));
    expect(text).toBe(
      `1. A b (2024-01-01)\n   ${SITE}\n   About foxes\n2. B\n   https://b.example/\n\n[Found by Brave Search]`,
    );
  });

  it('puts an answer before its sources', async () => {
    answer('tavily');
    expect(textOf(await withEnv({ TAVILY_API_KEY: 'k' }, () => search()))).toBe(
      `Foxes run.\n\nSources:\n1. A\n   ${SITE}\n   s\n\n[Found by Tavily]`,
    );
  });

  it('goes on to the next engine when one fails, and says so', async () => {
    answer('brave', { status: 429, json: { error: { message: 'too many' } } });
    answer('tavily', { status: 200, body: 'not json' });
    answer('exa');
    const result = await withEnv({ BRAVE_API_KEY: 'k', TAVILY_API_KEY: 'k', EXA_API_KEY: 'k' }, () => search());
    expect(result.details).toMatchObject({ engine: 'exa', failed: [{ engine: 'brave' }, { engine: 'tavily' }] });
    expect(textOf(result)).toContain('[brave was asked before: Brave Search answered 429: too many.]');
  });

  it('goes on when an engine finds nothing, and says when none does', async () => {
    answer('brave', { json: { web: { results: [] } } });
    answer('tavily');
    expect((await withEnv({ BRAVE_API_KEY: 'k', TAVILY_API_KEY: 'k' }, () => search())).details).toMatchObject({
      engine: 'tavily',
    });
    answer('searxng', { json: { results: [] } });
    expect(textOf(await withEnv({ BRAVE_API_KEY: 'k' }, () => search()))).toContain('Nothing was found');
  });

  it('keeps to the sites that were asked for, whatever the engine gives', async () => {
    answer('brave', {
      json: {
        web: {
          results: [
            { title: 'in', url: 'https://docs.example.org/' },
            { title: 'out', url: 'https://notexample.org/' },
            { title: 'bad', url: 'https://x.bad.example/' },
          ],
        },
      },
    });
    const result = await withEnv({ BRAVE_API_KEY: 'k' }, () => search({ domains: ['example.org'] }));
    expect(result.details).toMatchObject({ results: [{ title: 'in' }] });
  });

  it('tries another key when one is used up', async () => {
    answer('brave', ({ headers }) =>
      headers['x-subscription-token'] === 'second'
        ? { json: WIRES.brave.reply }
        : { status: 401, json: { message: 'bad key' } },
    );
    expect((await withEnv({ BRAVE_API_KEY: 'first, second' }, () => search())).details).toMatchObject({
      engine: 'brave',
      failed: [],
    });
  });

  it('finds keys in the credential store', async () => {
    answer('exa');
    const own = await openWebBench(
      { search: { engines: { exa: { baseUrl: `${web.origin}/exa` } } } },
      { keys: { exa: ['stored-key'] } },
    );
    expect((await own.run('web_search', { query: 'x' })).details).toMatchObject({ engine: 'exa' });
    expect(web.asked.at(-1)?.headers['x-api-key']).toBe('stored-key');
    await own.dispose();
  });

  it('says which variables help when there is no key', async () => {
    const own = await openWebBench();
    expect(await own.fails('web_search', { query: 'x' })).toMatch(
      /none has a key.*PERPLEXITY_API_KEY, BRAVE_API_KEY.*SEARXNG_ENDPOINT/s,
    );
    expect(await own.fails('web_search', { query: 'x', engine: 'kagi' })).toContain('Set KAGI_API_KEY');
    expect(await own.fails('web_search', { query: 'x', engine: 'brve' })).toMatch(/brave/);
    await own.dispose();
  });

  it('gives all reasons when every engine fails', async () => {
    answer('brave', { status: 500, body: '<h1>Oops</h1>' });
    answer('tavily', { status: 401, json: { detail: 'no such key' } });
    answer('searxng', { status: 502 });
    const text = await withEnv({ BRAVE_API_KEY: 'k', TAVILY_API_KEY: 'k' }, () =>
      bench.fails('web_search', { query: 'x' }),
    );
    expect(text).toContain('brave: Brave Search answered 500: Oops.');
    expect(text).toContain('tavily: Tavily answered 401: no such key.');
  });

  it('is cancelled with its call', async () => {
    web.rules.set('/brave/res/v1/web/search', () => undefined);
    const controller = new AbortController();
    const pending = withEnv({ BRAVE_API_KEY: 'k' }, () =>
      bench.run('web_search', { query: 'x' }, { signal: controller.signal }),
    );
    setTimeout(() => controller.abort(new Error('enough')), 50);
    await expect(pending).rejects.toThrow('enough');
  });
});
