// Made by `npm run generate` from `tenon.settings` in package.json. Do not edit.

/** The settings of this plugin, with their defaults filled in. */
export interface DiscoverySettings {
  readonly families: Readonly<Record<string, {
    readonly enabled?: boolean;
    readonly user?: boolean;
    readonly project?: boolean;
    readonly kinds?: Readonly<Record<string, boolean>>;
  }>>;
  readonly disabled: readonly string[];
  readonly contextFiles: 'distinct' | 'first';
  readonly skills: {
    readonly include: readonly string[];
    readonly ignore: readonly string[];
    readonly folders: readonly string[];
  };
  readonly mcpConfigs: readonly string[];
  readonly recheckMs: number;
}
