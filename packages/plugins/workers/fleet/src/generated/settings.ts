// Made by `npm run generate` from `tenon.settings` in package.json. Do not edit.

/** The settings of this plugin, with their defaults filled in. */
export interface FleetSettings {
  readonly secretLabels: readonly string[];
  readonly workspaces: 'bundle' | 'remote';
  readonly remoteFolders: readonly string[];
  readonly maxBundleMegabytes: number;
  readonly allowUnsandboxed: boolean;
}
