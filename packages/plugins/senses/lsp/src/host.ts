import type { FileChanges } from '@tenon/file-tools/api';
import type { Folders } from '@tenon/host';
import type { Logger, Registry } from '@tenon/kernel';
import type { Sandboxes } from '@tenon/sandbox/api';
import type { PendingActions } from '@tenon/syntax-tools/api';
import type { ToolRunner } from '@tenon/tools/api';
import type { WorkspaceTrust } from '@tenon/trust/api';
import type { LspSettings } from './generated/settings.ts';
import type { FoundServers } from './servers/found-servers.ts';

/** What this plugin uses of the rest of Tenon. */
export interface LspHost {
  readonly config: LspSettings;
  readonly folders: Folders;
  readonly log: Logger;
  readonly env: NodeJS.ProcessEnv;
  readonly servers: Registry<unknown>;
  /** What other plugins find by folder. */
  readonly found: FoundServers;
  /** Absent where nothing is confined. */
  sandboxes(): Promise<Sandboxes | undefined>;
  /** Absent where nobody is trusted. */
  trust(): Promise<WorkspaceTrust | undefined>;
  changes(): Promise<FileChanges>;
  /** Whoever changes files asks the gate with it, once it is known which. */
  runner(): Promise<ToolRunner>;
  /** Absent where nothing can be previewed. */
  pending(): Promise<PendingActions | undefined>;
}
