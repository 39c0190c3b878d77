/** What extensions reach of Tenon, found when it is needed. */
import type { Disposable, Registry } from '@tenon/kernel';
import type { McpHub } from '@tenon/mcp/api';
import type { AuthStore, Endpoint, Model, ModelRegistry, Provider } from '@tenon/models/api';
import type { ForeignServices } from '@tenon/pack-host/api';
import type { PendingActions } from '@tenon/syntax-tools/api';
import type { Tool, ToolData, ToolRunner } from '@tenon/tools/api';
import type { WorkspaceTrust } from '@tenon/trust/api';
import type { PiCompatSettings } from '../generated/settings.ts';

/** Tenon, as extensions are served by it. */
export interface ExtensionServices extends ForeignServices<PiCompatSettings> {
  trust(): Promise<WorkspaceTrust>;
  models(): Promise<ModelRegistry>;
  auth(): Promise<AuthStore>;
  pendingActions(): Promise<PendingActions>;
  runner(): Promise<ToolRunner>;
  mcp(): Promise<Pick<McpHub, 'refresh' | 'prepare'> | undefined>;
  readonly endpoints: Registry<Endpoint>;
  contributeTool(name: string, tool: Tool, data: ToolData, options: { file: string; priority: number }): Disposable;
  contributeEndpoint(name: string, endpoint: Endpoint, priority: number): Disposable;
  contributeModel(key: string, model: Model): Disposable;
  contributeProvider(api: string, provider: Provider): Disposable;
  /** Flags of the command line by name. */
  flagValues(): Promise<Readonly<Record<string, string | boolean>>>;
  /** Ends the running mode, once the agent has nothing to do. */
  endMode(): Promise<void>;
  /** Extensions that the command line names, and whether any others are looked for. */
  flags(): Promise<{ readonly extensions: readonly string[]; readonly noExtensions: boolean }>;
}
