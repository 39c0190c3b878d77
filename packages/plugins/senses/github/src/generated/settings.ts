// Made by `npm run generate` from `tenon.settings` in package.json. Do not edit.

/** The settings of this plugin, with their defaults filled in. */
export interface GithubSettings {
  readonly hosts: Readonly<Record<string, {
    readonly forge?: string;
    readonly api?: string;
    readonly tokenEnv?: string;
  }>>;
  readonly useGh: boolean;
  readonly maxWaitSeconds: number;
  readonly pollSeconds: number;
  readonly timeoutSeconds: number;
  readonly watchMinutes: number;
}
