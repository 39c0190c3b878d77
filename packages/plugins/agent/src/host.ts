import type { Logger } from '@tenon/kernel';
import type {
  AssistantMessage,
  ImageContent,
  ModelMessage,
  ModelRegistry,
  ModelTool,
  StreamEvent,
} from '@tenon/models/api';
import type { AgentMessage } from '@tenon/sessions/api';
import type { ToolRunner } from '@tenon/tools/api';
import type { AgentEvent, CompactionPlan, InterruptMode, QueueMode } from './api.ts';

/** The plugin's settings. */
export interface AgentConfig {
  readonly steeringMode: QueueMode;
  readonly followUpMode: QueueMode;
  readonly interruptMode: InterruptMode;
  readonly repeatLimit: number;
  readonly compaction: {
    readonly enabled: boolean;
    readonly reserveTokens: number;
    readonly keepRecentTokens: number;
    readonly thresholdPercent: number;
  };
}

/** What the loop needs from the rest of Tenon, so that it can be tested alone. */
export interface AgentHost {
  readonly config: AgentConfig;
  readonly log: Logger;
  readonly models: Pick<ModelRegistry, 'stream' | 'forRole'>;
  readonly runner: ToolRunner;
  changeInput(input: {
    text: string;
    images: readonly ImageContent[];
  }): Promise<{ text: string; images: readonly ImageContent[] }>;
  beforeStart(start: BeforeStart): Promise<BeforeStart>;
  changeContext(messages: readonly AgentMessage[]): Promise<readonly AgentMessage[]>;
  changeRequest(request: RequestParts): Promise<RequestParts>;
  /** Passes an answer through the filters that plugins contribute. */
  filterStream(stream: AsyncIterable<StreamEvent>, signal: AbortSignal): Promise<AsyncIterable<StreamEvent>>;
  /** A plugin may call a compaction off, or bring its own. */
  beforeCompact(
    plan: CompactionPlan,
  ): Promise<{ cancelledBy?: string; summary?: string; details?: unknown } | undefined>;
  compacting(plan: CompactionPlan): Promise<CompactionPlan>;
  compacted(entryId: string, fromPlugin: boolean): void;
  tell(session: string, event: AgentEvent): void;
  /** Tells those who keep accounts. */
  used(message: AssistantMessage, purpose: 'turn' | 'summary'): Promise<void>;
}

/** What a run starts with. */
export interface BeforeStart {
  readonly prompt: string;
  readonly systemPrompt: string;
  readonly inject: readonly AgentMessage[];
}

/** The parts of a model call that plugins may change. */
export interface RequestParts {
  readonly systemPrompt: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
}
