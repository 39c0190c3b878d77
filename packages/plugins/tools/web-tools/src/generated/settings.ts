// Made by `npm run generate` from `tenon.settings` in package.json. Do not edit.

/** The settings of this plugin, with their defaults filled in. */
export interface WebToolsSettings {
  readonly privateAddresses: 'refuse' | 'allow';
  readonly allowHosts: readonly string[];
  readonly timeoutSeconds: number;
  readonly maxMegabytes: number;
  readonly cacheMinutes: number;
  readonly scrapers: boolean;
  readonly sites: {
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
  };
  readonly search: {
    readonly order: readonly string[];
    readonly results: number;
    readonly engines: Readonly<Record<string, {
      readonly baseUrl?: string;
      readonly model?: string;
    }>>;
  };
}
