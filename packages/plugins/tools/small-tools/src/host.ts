import type { Folders } from '@tenon/host';
import type { Logger, Registry } from '@tenon/kernel';
import type { Tool, ToolRunner } from '@tenon/tools/api';
import type { TaskRunner } from './api.ts';

/** What the tools of this plugin may use of the rest of Tenon. */
export interface SmallToolsHost {
  readonly taskRunners: Registry<TaskRunner>;
  readonly runner: ToolRunner;
  readonly folders: Pick<Folders, 'cwd'>;
  readonly log: Logger;
}

/** What each file in `tools/` exports; it is named as its tool, with dashes. */
export interface ToolModule {
  createTool(host: SmallToolsHost): Tool;
}
