/** What OpenCode modules reach of Tenon, found when it is needed. */
import type { LiveAgents } from '@tenon/agent/api';
import type { Discovery } from '@tenon/discovery/api';
import type { Folders, UserInterface } from '@tenon/host';
import type { Disposable, Logger, Registry, TenonError } from '@tenon/kernel';
import type { PackHosts } from '@tenon/pack-host/api';
import type { Tool, ToolData } from '@tenon/tools/api';
import type { WorkspaceTrust } from '@tenon/trust/api';
import type { OpencodeCompatSettings } from '../generated/settings.ts';

/** Tenon, as the modules are served by it. */
export interface Services {
  readonly config: OpencodeCompatSettings;
  readonly folders: Folders;
  readonly log: Logger;
  report(error: TenonError, severity?: 'error' | 'warning'): void;
  agents(): Promise<LiveAgents>;
  ui(): Promise<UserInterface>;
  discovery(): Promise<Discovery | undefined>;
  trust(): Promise<WorkspaceTrust>;
  hosts(): Promise<PackHosts>;
  readonly tools: Registry<Tool>;
  contributeTool(name: string, tool: Tool, data: ToolData, file: string): Disposable;
  /** True with --no-extensions: no foreign code is looked for. */
  noExtensions(): Promise<boolean>;
}
