// Made by `npm run generate` from `tenon.settings` in package.json. Do not edit.

/** The settings of this plugin, with their defaults filled in. */
export interface SshSettings {
  readonly hosts: Readonly<Record<string, {
    readonly host?: string;
    readonly user?: string;
    readonly port?: number;
    readonly identityFile?: string;
    readonly description?: string;
  }>>;
  readonly configFile: string;
  readonly newHosts: 'refuse' | 'accept';
  readonly timeoutSeconds: number;
  readonly connectSeconds: number;
  readonly idleMinutes: number;
}
