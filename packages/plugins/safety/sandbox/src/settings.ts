import type { Profile } from './api.ts';

/** The plugin's settings. */
export interface SandboxSettings {
  readonly profile: Profile | 'auto';
  readonly mechanism: 'auto' | 'bubblewrap' | 'landlock' | 'seatbelt';
  readonly network: { readonly allow: readonly string[] };
  readonly writable: readonly string[];
  readonly readable: readonly string[];
  readonly hidden: readonly string[];
  readonly git: 'commit' | 'read-only';
  readonly keepEnvironment: readonly string[];
}

/** The kinds of sandbox, strongest first. */
export const MECHANISMS = ['bubblewrap', 'seatbelt', 'landlock'] as const;

/** One kind of sandbox. */
export type Mechanism = (typeof MECHANISMS)[number];
