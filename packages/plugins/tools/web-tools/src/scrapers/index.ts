import type { Scraper } from '../api.ts';
import type { WebToolsSettings } from '../generated/settings.ts';
import { githubScraper } from './github.ts';
import {
  arxivScraper,
  feedScraper,
  hackerNewsScraper,
  mdnScraper,
  stackExchangeScraper,
  wikipediaScraper,
} from './knowledge.ts';
import { cratesScraper, npmScraper, pypiScraper } from './packages.ts';

/** The scrapers that come with Tenon, by the names of the manifest. */
export function createScrapers(
  sites: WebToolsSettings['sites'],
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, Scraper>> {
  return {
    github: githubScraper({ api: sites.github, raw: sites.githubRaw, token: env['GITHUB_TOKEN'] ?? env['GH_TOKEN'] }),
    npm: npmScraper(sites.npm),
    pypi: pypiScraper(sites.pypi),
    crates: cratesScraper(sites.crates),
    arxiv: arxivScraper(sites.arxiv),
    stackexchange: stackExchangeScraper(sites.stackexchange),
    wikipedia: wikipediaScraper(sites.wikipedia),
    hackernews: hackerNewsScraper(sites.hackernews),
    mdn: mdnScraper(sites.mdn),
    feed: feedScraper(),
  };
}
