// Made by `npm run generate` from `tenon.settings` in package.json. Do not edit.

/** The settings of this plugin, with their defaults filled in. */
export interface BrowserSettings {
  readonly program: string;
  readonly cdpUrl: string;
  readonly allowHosts: readonly string[];
  readonly network: 'public' | 'listed';
  readonly files: boolean;
  readonly sandbox: 'auto' | 'off';
  readonly headless: boolean;
  readonly keepProfile: boolean;
  readonly timeoutSeconds: number;
  readonly maxTabs: number;
  readonly maxDownloadMegabytes: number;
}
