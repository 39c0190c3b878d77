// Made by `npm run generate` from `tenon.settings` in package.json. Do not edit.

/** The settings of this plugin, with their defaults filled in. */
export interface MarketplaceSettings {
  readonly githubUrl: string;
  readonly maxMegabytes: number;
  readonly maxFiles: number;
  readonly maxRepositoryMegabytes: number;
  readonly timeoutSeconds: number;
}
