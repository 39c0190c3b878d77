/** The plugin's settings, as the manifest describes them. */
export interface WebToolsConfig {
  readonly privateAddresses: 'refuse' | 'allow';
  readonly allowHosts: readonly string[];
  readonly timeoutSeconds: number;
  readonly maxMegabytes: number;
  readonly cacheMinutes: number;
  readonly scrapers: boolean;
  /** Base URLs by site: `github`, `githubRaw`, `npm`, … */
  readonly sites: SiteAddresses;
  readonly search: {
    readonly order: readonly string[];
    readonly results: number;
    readonly engines: Readonly<Record<string, { readonly baseUrl?: string; readonly model?: string }>>;
  };
}

/** Where the interfaces of known sites are. `{lang}` stands for the language. */
export interface SiteAddresses {
  readonly github: string;
  readonly githubRaw: string;
  readonly npm: string;
  readonly pypi: string;
  readonly crates: string;
  readonly arxiv: string;
  readonly stackexchange: string;
  readonly wikipedia: string;
  readonly hackernews: string;
  readonly mdn: string;
}
