/** What the loop works with, and how. A test can give it plain values; agent-session.ts gives it a session and the kernel's hooks. */
import type {
  AssistantMessage,
  ModelRequest,
  ModelTool,
  ProviderFailure,
  RetryNotice,
  StreamEvent,
  ToolCallContent,
} from '@tenon/models/api';
import type { AgentMessage } from '@tenon/sessions/api';
import type { ToolResult } from '@tenon/tools/api';
import type { AgentEvent, FilterCall, RequestParts } from './api.ts';

/** What is talked about. It is read anew for every call of the model, and may change between two of them. */
export interface LoopContext {
  readonly systemPrompt: string;
  readonly conversation: LoopConversation;
  readonly tools: LoopTools;
}

/** The messages, kept somewhere. */
export interface LoopConversation {
  readonly messages: readonly AgentMessage[];
  /** Adds a message; resolves when it is kept. */
  add(message: AgentMessage): Promise<unknown>;
  /** Keeps an answer that the model must not see. */
  addAside(message: AgentMessage): Promise<unknown>;
  /** Drops a last message that must not be sent again. */
  dropLast(): void;
  /** Goes on from before this run: what was said in it stays in the session, and the model does not see it. */
  setRunAside(): Promise<unknown>;
  /** Resolves when nothing can be lost any more. */
  flush(): Promise<void>;
}

/** What the model can use. */
export interface LoopTools {
  modelTools(): readonly ModelTool[];
  /** True for tools that must run alone. */
  isExclusive(name: string): boolean;
  run(
    call: ToolCallContent,
    options: { readonly signal: AbortSignal; onUpdate(partial: ToolResult): void },
  ): Promise<ToolResult>;
}

/** How it is done. */
export interface LoopConfig {
  readonly model: LoopModel;
  readonly hooks: LoopHooks;
  readonly queues: LoopQueues;
  readonly room: LoopRoom;
  /** Counts a finished call; gives how often it was seen when that is worth pointing out. */
  readonly repeats: { note(tool: string, args: unknown, result: ToolResult): number | undefined };
}

/** Who answers. */
export interface LoopModel {
  /** The model of the next call. */
  current(): Pick<ModelRequest, 'model' | 'thinking'>;
  stream(request: TurnRequest, call: TurnCall): AsyncIterable<StreamEvent>;
  /** Told after every answer. */
  used(message: AssistantMessage): void;
}

/** One question to a model. */
export type TurnRequest = RequestParts & Pick<ModelRequest, 'model' | 'thinking'>;

/** How it is asked. */
export interface TurnCall {
  readonly signal: AbortSignal;
  onRetry(notice: RetryNotice): void;
}

/** Who may change what goes out and what comes in. */
export interface LoopHooks {
  context(messages: readonly AgentMessage[]): Promise<readonly AgentMessage[]>;
  request(request: RequestParts): Promise<RequestParts>;
  filter(stream: AsyncIterable<StreamEvent>, call: Omit<FilterCall, 'session'>): Promise<AsyncIterable<StreamEvent>>;
}

/** What is said to the agent while it works. */
export interface LoopQueues {
  /** What to say before the next answer. */
  steering(): Promise<readonly AgentMessage[]>;
  /** True when steering keeps calls that have not started from starting. */
  cutsIn(): boolean;
  /** What to go on with where the agent would stop. */
  followUps(): Promise<readonly AgentMessage[]>;
}

/** Keeps the conversation within the window of its model. */
export interface LoopRoom {
  /** Before the first question of a run: a session may be too long when it is opened, or because of the prompt. */
  beforeRun(context: Pick<LoopContext, 'systemPrompt' | 'tools'>, signal: AbortSignal): Promise<void>;
  afterTurn(signal: AbortSignal): Promise<void>;
  /** True when it is worth asking again. */
  afterOverflow(failure: ProviderFailure, signal: AbortSignal): Promise<boolean>;
}

/** Tells everybody what happens. */
export type Emit = (event: AgentEvent) => void;
