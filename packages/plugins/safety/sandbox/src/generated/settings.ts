// Made by `npm run generate` from `tenon.settings` in package.json. Do not edit.

/** The settings of this plugin, with their defaults filled in. */
export interface SandboxSettings {
  readonly profile: 'auto' | 'read-only' | 'workspace-write' | 'full';
  readonly required: boolean;
  readonly mechanism: 'auto' | 'bubblewrap' | 'landlock' | 'seatbelt';
  readonly network: {
    readonly allow: readonly string[];
  };
  readonly writable: readonly string[];
  readonly added: readonly string[];
  readonly readable: readonly string[];
  readonly hidden: readonly string[];
  readonly git: 'commit' | 'read-only';
  readonly keepEnvironment: readonly string[];
}
