import { folders } from '@tenon/host';
import { documents } from '@tenon/documents/api';
import { definePlugin, type PluginContext, Type } from '@tenon/kernel';
import { authStore, type Endpoint, endpoints } from '@tenon/models/api';
import { tools } from '@tenon/tools/api';
import { urlSchemes } from '@tenon/urls/api';
import manifest from '../package.json' with { type: 'json' };
import { scrapers, searchEngines, webReader } from './api.ts';

import { createFetchTool } from './fetch-tool.ts';
import { createScrapers } from './scrapers/index.ts';
import { SearchChain } from './search/chain.ts';
import { ENGINES } from './search/engines/index.ts';
import { createSearchTool } from './search-tool.ts';
import { webScheme } from './url-scheme.ts';
import type { WebToolsSettings } from './generated/settings.ts';

const MB = 1024 * 1024;

/** Reads web pages and searches the web. */
export default definePlugin({
  id: 'web-tools',
  config: Type.Unsafe<WebToolsSettings>({}),
  needs: { folders },
  defines: [scrapers, searchEngines, webReader],
  activate(ctx) {
    const { config } = ctx;
    const web = lazyWeb(ctx);
    const reader = async () => (await web()).reader;
    ctx.provide(webReader, {
      read: async (url, call) => (await reader()).read(url, call),
      readable: async (html, url, signal) => (await reader()).readable(html, url, signal),
    });
    for (const scheme of ['http', 'https']) ctx.contribute(urlSchemes, scheme, webScheme(reader));
    for (const [name, scraper] of Object.entries(createScrapers(config.sites, process.env))) {
      ctx.contribute(scrapers, name, scraper);
    }
    for (const [name, engine] of Object.entries(ENGINES)) ctx.contribute(searchEngines, name, engine);
    // So that `tenon auth login brave` keeps its key where the others are.
    for (const [name, endpoint] of Object.entries(manifest.tenon.contributes.endpoints)) {
      ctx.contribute(endpoints, name, endpoint as Endpoint);
    }
    const chain = new SearchChain({
      engines: ctx.read(searchEngines),
      config: config.search,
      env: process.env,
      client: async () => (await web()).client,
      storedKeys: async (provider) => (await (await ctx.findOptional(authStore))?.keys(provider)) ?? [],
    });
    const fetchTool = createFetchTool({
      folders: ctx.needs.folders,
      reader,
      documents: () => ctx.findOptional(documents),
    });
    ctx.contribute(tools, 'fetch', fetchTool);
    ctx.contribute(tools, 'web_search', createSearchTool({ results: config.search.results, chain: async () => chain }));
  },
});

/** The client and the reader are made on first use: their libraries take a while to load. */
function lazyWeb(ctx: Pick<PluginContext<WebToolsSettings>, 'config' | 'defer' | 'read'>) {
  const { config } = ctx;
  let opened: ReturnType<typeof open> | undefined;
  const open = async () => {
    const { openWeb } = await import('./web.ts');
    return openWeb({
      config,
      maxBytes: config.maxMegabytes * MB,
      scrapers: config.scrapers ? ctx.read(scrapers) : undefined,
      userAgent: `Tenon/${manifest.version} (coding agent, reads pages for its user)`,
      env: process.env,
    });
  };
  ctx.defer(async () => {
    await (await opened)?.close();
  });
  return () => (opened ??= open());
}
