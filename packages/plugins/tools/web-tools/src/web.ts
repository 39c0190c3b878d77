/** The parts that talk to the web, put together. Imported on first use. */
import type { Registry } from '@tenon/kernel';
import type { Scraper, WebReader } from './api.ts';

import { HttpClient } from './http/client.ts';
import { HtmlConverter } from './page/html-converter.ts';
import { createReader } from './page/reader.ts';
import type { WebToolsSettings } from './generated/settings.ts';

/** What it is made with. */
export interface WebOptions {
  readonly config: Pick<
    WebToolsSettings,
    'privateAddresses' | 'allowHosts' | 'timeoutSeconds' | 'cacheMinutes' | 'sites'
  >;
  readonly maxBytes: number;
  readonly scrapers: Registry<Scraper> | undefined;
  readonly userAgent: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Opens the client and the reader over it. */
export function openWeb({ config, maxBytes, scrapers, userAgent, env }: WebOptions): {
  readonly client: HttpClient;
  readonly reader: WebReader;
  close(): Promise<void>;
} {
  const { privateAddresses, allowHosts } = config;
  const client = new HttpClient({
    privateAddresses,
    allowHosts,
    timeoutMs: config.timeoutSeconds * 1000,
    maxBytes,
    userAgent,
    env,
  });
  const converter = new HtmlConverter();
  const origins = Object.values<string>({ ...config.sites }).map((site) => site.replace('{lang}', 'en'));
  const reader = createReader({
    client,
    converter,
    scrapers,
    maxBytes,
    cacheMs: config.cacheMinutes * 60_000,
    trustedOrigins: new Set(origins.filter((site) => URL.canParse(site)).map((site) => new URL(site).origin)),
  });
  return {
    client,
    reader,
    async close() {
      await converter.close();
      await client.close();
    },
  };
}
