import type { PluginContext } from '@tenon/kernel';
import type { ModelRegistry, Usage } from '@tenon/models/api';
import type { ToolRunner } from '@tenon/tools/api';
import type { AgentEvent } from './api.ts';
import type { Conversation } from './conversation.ts';
import type { AgentSettings } from './generated/settings.ts';
import type { ToolSet } from './tool-set.ts';

interface AgentNeeds {
  readonly models: Pick<ModelRegistry, 'stream' | 'forRole' | 'find' | 'list'>;
  readonly runner: ToolRunner;
}

/** What an agent uses of the rest of Tenon: a part of its plugin's context. */
export type AgentHost = Pick<
  PluginContext<AgentSettings, AgentNeeds>,
  'run' | 'read' | 'find' | 'config' | 'log' | 'needs' | 'signal'
>;

/** What the parts of one agent share. */
export interface AgentParts {
  readonly host: AgentHost;
  readonly conversation: Conversation;
  readonly tools: ToolSet;
  emit(event: AgentEvent): void;
  /** Told what each model call has used. */
  used?(usage: Usage): void;
}
