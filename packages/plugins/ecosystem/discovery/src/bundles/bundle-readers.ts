/** Reads a folder that holds many kinds at once. What is inside differs little; where it is said differs by format. */
import type * as kinds from '../kinds.ts';
import type { Origin, Search } from '../search.ts';

type Read<V> = (search: Search<V>, place: Origin, bundle: kinds.Bundle) => Promise<void>;

/** How the kinds of a bundle are read. */
export interface BundleReaders {
  readonly contextFiles?: Read<kinds.ContextFile>;
  readonly skills?: Read<kinds.Skill>;
  readonly rules?: Read<kinds.Rule>;
  readonly commands?: Read<kinds.CommandFile>;
  readonly prompts?: Read<kinds.CommandFile>;
  readonly externalHooks?: Read<kinds.ExternalHook>;
  readonly hookModules?: Read<kinds.HookModule>;
  readonly toolModules?: Read<kinds.ToolModule>;
  readonly agents?: Read<kinds.AgentDefinition>;
  readonly mcpServers?: Read<kinds.McpServerConfig>;
  readonly lspServers?: Read<kinds.LspServerConfig>;
  readonly extensionModules?: Read<kinds.ExtensionModule>;
  readonly themes?: Read<kinds.ThemeFile>;
}
