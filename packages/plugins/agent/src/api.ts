import { hook, service, slot } from '@tenon/kernel';
import type {
  AssistantMessage,
  ImageContent,
  Model,
  ModelMessage,
  ModelTool,
  RetryNotice,
  StreamEvent,
  ThinkingLevel,
  ToolChoice,
  Usage,
} from '@tenon/models/api';
import type { AgentMessage, Session } from '@tenon/sessions/api';
import type { Tool, ToolResult } from '@tenon/tools/api';

/** What a session tells those who watch it. The names are those of the RPC protocol. */
export type AgentEvent =
  | { readonly type: 'agent_start' }
  | { readonly type: 'agent_end'; readonly messages: readonly AgentMessage[] }
  | { readonly type: 'turn_start' }
  | { readonly type: 'turn_end'; readonly message: AssistantMessage; readonly toolResults: readonly AgentMessage[] }
  | { readonly type: 'message_start' | 'message_end'; readonly message: AgentMessage }
  | { readonly type: 'message_update'; readonly message: AssistantMessage; readonly assistantMessageEvent: StreamEvent }
  | {
      readonly type: 'tool_execution_start';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly args: unknown;
    }
  | {
      readonly type: 'tool_execution_update';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly args: unknown;
      readonly partialResult: ToolResult;
    }
  | {
      readonly type: 'tool_execution_end';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly result: ToolResult;
      readonly isError: boolean;
    }
  | ({ readonly type: 'auto_retry_start' } & RetryNotice)
  | {
      readonly type: 'auto_retry_end';
      readonly success: boolean;
      readonly attempt: number;
      readonly finalError?: string;
    }
  | { readonly type: 'auto_compaction_start'; readonly reason: 'threshold' | 'overflow' | 'idle' }
  | {
      readonly type: 'auto_compaction_end';
      readonly aborted: boolean;
      readonly willRetry: boolean;
      readonly errorMessage?: string;
      readonly tokensBefore?: number;
      readonly tokensAfter?: number;
    }
  | { readonly type: 'loop_suspected'; readonly toolName: string; readonly repeats: number }
  | { readonly type: 'notice'; readonly level: 'info' | 'warning' | 'error'; readonly text: string };

/** How queued messages leave their queue: one per turn, or all at once. */
export type QueueMode = 'one-at-a-time' | 'all';

/** Whether steering cuts into running tools or waits for the turn's end. */
export type InterruptMode = 'immediate' | 'wait';

/** What a prompt carries beside its text. */
export interface PromptOptions {
  readonly images?: readonly ImageContent[];
  /** What to do when the agent is busy; without it that is an error. */
  readonly whenBusy?: 'steer' | 'followUp';
}

/** A conversation that can be driven: the loop over one session. */
export interface AgentSession {
  readonly session: Session;
  readonly state: AgentState;
  subscribe(listener: (event: AgentEvent) => void): () => void;
  /** Sends a prompt and resolves when the agent is idle again. */
  prompt(text: string, options?: PromptOptions): Promise<void>;
  steer(text: string, images?: readonly ImageContent[]): void;
  followUp(text: string, images?: readonly ImageContent[]): void;
  /** Kept for the next prompt. */
  nextTurn(message: AgentMessage): void;
  /** Stops the model and the tools; resolves when both have stopped. */
  abort(): Promise<void>;
  setModel(model: Model, thinking?: ThinkingLevel): Promise<void>;
  setThinking(level: ThinkingLevel): Promise<void>;
  setTools(names: readonly string[]): Promise<void>;
  /** Tools of the program that embeds the agent. */
  setHostTools(tools: Readonly<Record<string, Tool>>): void;
  setQueueModes(modes: {
    readonly steering?: QueueMode;
    readonly followUp?: QueueMode;
    readonly interrupt?: InterruptMode;
  }): void;
  /** Forces the tool choice of coming turns, in order. */
  queueToolChoice(...choices: readonly ToolChoice[]): void;
  /** Whether long conversations are summarized by themselves, from now on. */
  setAutoCompaction(enabled: boolean): void;
  compact(instructions?: string): Promise<{ readonly tokensBefore: number; readonly tokensAfter: number }>;
  /** Starts a branch at an entry, optionally with a summary of what is left behind. */
  branchTo(entryId: string | null, options?: { readonly summarize?: boolean }): Promise<void>;
  usage(): Usage;
  dispose(): Promise<void>;
}

/** Where an agent session stands. */
export interface AgentState {
  readonly model: Model;
  readonly thinking: ThinkingLevel;
  readonly isStreaming: boolean;
  readonly isCompacting: boolean;
  readonly steeringMode: QueueMode;
  readonly followUpMode: QueueMode;
  readonly interruptMode: InterruptMode;
  readonly queuedMessages: number;
  readonly systemPrompt: string;
  readonly tools: readonly ModelTool[];
  readonly autoCompaction: boolean;
}

/** How an agent session is made. What is left out is discovered. */
export interface AgentOptions {
  readonly session: Session;
  readonly cwd: string;
  /** `provider/id` or a pattern. */
  readonly model?: string;
  readonly thinking?: ThinkingLevel;
  readonly tools?: readonly string[];
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
}

/** Makes agent sessions. */
export interface AgentFactory {
  create(options: AgentOptions): Promise<{ readonly agent: AgentSession; readonly modelFallbackMessage?: string }>;
}

/** The agent loop. */
export const agentFactory = service<AgentFactory>('agent-factory');

/** May change what the user typed before anything sees it. */
export const input = hook<'reduce', { readonly text: string; readonly images: readonly ImageContent[] }>(
  'input',
  'reduce',
  { access: 'packs' },
);

/** May add to the system prompt and the messages before the first turn of a prompt. */
export const beforeStart = hook<
  'reduce',
  { readonly prompt: string; readonly systemPrompt: string; readonly inject: readonly AgentMessage[] }
>('agent.before-start', 'reduce', { access: 'packs' });

/** May change what the model is about to see. */
export const context = hook<'reduce', { readonly messages: readonly AgentMessage[] }>('context', 'reduce', {
  access: 'packs',
});

/** May change the request for one model call: secrets are masked here. */
export const modelRequest = hook<
  'reduce',
  { readonly systemPrompt: string; readonly messages: readonly ModelMessage[]; readonly tools: readonly ModelTool[] }
>('model.request', 'reduce', { strict: true });

/** Watches everything that a session tells. */
export const agentEvent = hook<'notify', { readonly session: string; readonly event: AgentEvent }>(
  'agent.event',
  'notify',
  { access: 'packs' },
);

/** Told after every call of a model, those for summaries included. */
export const modelUsed = hook<
  'notify',
  {
    readonly session: string;
    readonly cwd: string;
    readonly purpose: 'turn' | 'summary';
    readonly message: Pick<AssistantMessage, 'provider' | 'model' | 'usage' | 'stopReason'>;
  }
>('model.used', 'notify', { access: 'packs' });

/** A summary that is about to be made. */
export interface CompactionPlan {
  readonly reason: 'manual' | 'threshold' | 'overflow' | 'idle';
  readonly tokensBefore: number;
  /** What is about to be replaced by the summary. */
  readonly messages: readonly AgentMessage[];
  readonly firstKeptEntryId: string;
  readonly previousSummary?: string;
  readonly instructions?: string;
  /** Lines to be mentioned in the summary. */
  readonly context: readonly string[];
  /** Replaces the standard question to the model. */
  readonly prompt?: string;
  /** Kept with the summary for the plugin's own use. */
  readonly preserveData?: Readonly<Record<string, unknown>>;
}

/** May call a summary off, or bring one of its own. */
export const beforeCompact = hook<
  'first',
  CompactionPlan,
  { readonly cancel?: boolean; readonly by?: string; readonly summary?: string; readonly details?: unknown }
>('session.before-compact', 'first', { access: 'packs' });

/** May change how a summary is asked for. */
export const compacting = hook<'reduce', CompactionPlan>('session.compacting', 'reduce', { access: 'packs' });

/** Told after a summary replaced the older part of a session. */
export const compacted = hook<
  'notify',
  { readonly session: string; readonly entryId: string; readonly fromPlugin: boolean }
>('session.compacted', 'notify', { access: 'packs' });

/** Sees a model's answer while it streams, and may change it or cut it off. */
export interface StreamFilter {
  filter(
    stream: AsyncIterable<StreamEvent>,
    call: { readonly session: string; readonly signal: AbortSignal },
  ): AsyncIterable<StreamEvent>;
}

/** Filters of answers, the one with the highest priority nearest to the provider. */
export const streamFilters = slot<StreamFilter>('stream-filters');
