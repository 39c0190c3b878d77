import type { KernelAccess, Logger } from '@tenon/kernel';
import type { AssistantMessage, ModelRegistry, StreamEvent } from '@tenon/models/api';
import type { AgentMessage, SessionStore } from '@tenon/sessions/api';
import type { ToolRunner } from '@tenon/tools/api';
import type { AgentEvent, AgentSession, CompactionPlan, FilterCall, RequestParts, RunStart, UserInput } from './api.ts';
import type { AgentSettings } from './generated/settings.ts';

/** What the loop needs from the rest of Tenon while it works on one session, so that it can be tested alone. */
export interface AgentHost extends Pick<KernelAccess, 'run'> {
  readonly config: AgentSettings;
  readonly log: Logger;
  readonly models: Pick<ModelRegistry, 'stream' | 'forRole' | 'find' | 'list'>;
  readonly runner: ToolRunner;
  sessions(): Promise<Pick<SessionStore, 'create' | 'inMemory' | 'open' | 'fork'>>;
  changeInput(input: UserInput): Promise<UserInput>;
  beforeStart(start: RunStart): Promise<RunStart>;
  changeContext(messages: readonly AgentMessage[]): Promise<readonly AgentMessage[]>;
  changeRequest(request: RequestParts): Promise<RequestParts>;
  /** Passes an answer through the filters that plugins contribute. */
  filterStream(
    stream: AsyncIterable<StreamEvent>,
    call: Omit<FilterCall, 'session'>,
  ): Promise<AsyncIterable<StreamEvent>>;
  /** A plugin may call a compaction off, or bring its own. */
  beforeCompact(
    plan: CompactionPlan,
  ): Promise<{ cancelledBy?: string; summary?: string; details?: unknown } | undefined>;
  compacting(plan: CompactionPlan): Promise<CompactionPlan>;
  compacted(entryId: string, fromPlugin: boolean): void;
  /** Tells that the agent is about to end. */
  shutdown(): Promise<void>;
  /** The agent has ended and can no longer be found. */
  closed(agent: AgentSession): void;
  tell(session: string, event: AgentEvent): void;
  /** Tells those who keep accounts. */
  used(message: AssistantMessage, purpose: 'turn' | 'summary'): Promise<void>;
}
