import type { ExtraPaths } from '../api.ts';
import type { Policy } from '../policy.ts';

/** A policy put into words for the operating system. */
export interface Wrapping {
  /** The words before a program. */
  argv(extra: ExtraPaths): readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What holds here beyond the profile, or not at all, in words. */
  readonly notes: readonly string[];
  dispose(): Promise<void>;
}

/** What a mechanism is given beside the policy. */
export interface WrapOptions {
  readonly policy: Policy;
  /** A private folder of Tenon's for this confinement. */
  readonly folder: string;
  readonly terminal: boolean;
  /** The proxy's Unix socket, or its loopback port, when hosts are allowed. */
  readonly proxy: { readonly socket?: string; readonly port?: number } | undefined;
}
