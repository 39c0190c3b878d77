/** What OpenCode modules reach of Tenon, found when it is needed. */
import type { Disposable } from '@tenon/kernel';
import type { ForeignServices } from '@tenon/pack-host/api';
import type { Tool, ToolData } from '@tenon/tools/api';
import type { WorkspaceTrust } from '@tenon/trust/api';
import type { OpencodeCompatSettings } from '../generated/settings.ts';

/** Tenon, as the modules are served by it. */
export interface Services extends ForeignServices<OpencodeCompatSettings> {
  trust(): Promise<WorkspaceTrust>;
  contributeTool(name: string, tool: Tool, data: ToolData, file: string): Disposable;
  /** True with --no-extensions: no foreign code is looked for. */
  noExtensions(): Promise<boolean>;
}
