// Made by `npm run generate` from `tenon.settings` in package.json. Do not edit.

/** The settings of this plugin, with their defaults filled in. */
export interface ChannelsSettings {
  readonly use: Readonly<Record<string, {
    readonly kind: string;
    readonly to?: string;
    readonly users?: readonly string[];
    readonly server?: string;
    readonly replies?: string;
    readonly listen?: string;
    readonly sources?: readonly string[];
    readonly threads?: {
      readonly cwd: string;
      readonly worker?: string;
      readonly model?: string;
      readonly worktree?: 'auto' | 'always' | 'never';
    };
  }>>;
  readonly delaySeconds: number;
}
