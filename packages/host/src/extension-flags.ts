import { service } from '@tenon/kernel';

/** What the command line says about extensions of pi and oh-my-pi. */
export interface ExtensionFlags {
  /** Paths that are loaded for this run. */
  readonly extensions: readonly string[];
  /** True when no others are looked for. */
  readonly noExtensions: boolean;
  /** Flags of the command line by name; extensions read those that they registered. */
  readonly values?: Readonly<Record<string, string | boolean>>;
}

/** What the command line that started the agent says to plugins; nothing where the agent is embedded. */
export const extensionFlags = service<{ current(): ExtensionFlags | undefined }>('extension-flags');
