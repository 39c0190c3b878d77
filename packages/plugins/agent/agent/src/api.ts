import { type Disposable, service, slot } from '@tenon/kernel';
import type {
  FoundModel,
  ImageContent,
  Model,
  ModelTool,
  StreamEvent,
  ThinkingLevel,
  ToolChoice,
  Usage,
} from '@tenon/models/api';
import type { AgentMessage, Session } from '@tenon/sessions/api';
import type { Tool } from '@tenon/tools/api';
import type { AgentEvent } from './events.ts';

export type * from './events.ts';
export * from './hooks.ts';
export { faultText } from './fault-text.ts';
export { usageIn } from './accounts.ts';
export { addUsage } from './usage.ts';
export {
  failedUserCommand,
  STOPPED_COMMAND,
  userBash,
  type UserCommand,
  type UserCommandResult,
  userPython,
} from './user-commands.ts';

/** How queued messages leave their queue: one per turn, or all at once. */
export type QueueMode = 'one-at-a-time' | 'all';

/** Whether steering cuts into running tools or waits for the turn's end. */
export type InterruptMode = 'immediate' | 'wait';

/** What a prompt carries beside its text. */
export interface PromptOptions {
  readonly images?: readonly ImageContent[];
  /** What to do when the agent is busy; without it that is an error. */
  readonly streamingBehavior?: 'steer' | 'followUp';
  /** Told why the work could not be done, before `agent_end` is; the promise rejects all the same. */
  onFailure?(fault: unknown): void;
}

/** Something that the user said while the agent worked, before the agent took it. */
export interface WaitingMessage {
  readonly text: string;
  readonly images: readonly ImageContent[];
  readonly deliverAs: 'steer' | 'followUp';
}

/** How a plugin's message reaches a session. */
export interface SendOptions {
  /** `steer` cuts in, `followUp` (the default) waits for the end of the run, `nextTurn` for the next prompt. */
  readonly deliverAs?: 'steer' | 'followUp' | 'nextTurn';
  /** Whether an idle agent answers it at once. */
  readonly triggerTurn?: boolean;
}

/** How a change of the session ended. */
export interface MoveResult {
  /** True when a plugin called it off; nothing was changed then. */
  readonly cancelled: boolean;
}

/** How a move within a session ended. */
export interface TreeMove extends MoveResult {
  /** Where the session stands now; the next message follows this entry. */
  readonly leafId: string | null;
  /** What was said at the target, when that was a message of the user or of a plugin: to be changed and said again. */
  readonly text?: string;
}

/** What a handover gave. */
export interface HandoffResult {
  readonly document: string;
  /** The file with the document, when the setting `agent.compaction.handoffSaveToDisk` asks for one. */
  readonly savedPath?: string;
}

/** How a question beside the conversation is asked. */
export interface AsideOptions {
  /** True when the model is not to see the conversation: the small model of the same provider answers the question alone. */
  readonly alone?: boolean;
  readonly signal?: AbortSignal;
}

/** A conversation that can be driven: the loop over one session at a time. */
export interface AgentSession {
  /** Who it works for, when it is a subagent. */
  readonly parent?: AgentParent;
  /** The session it works on now: `newSession`, `switchSession`, `branch` and `handoff` change it. */
  readonly session: Session;
  readonly cwd: string;
  readonly state: AgentState;
  /** Tells everybody who watches: for plugins that have something to say about this session. */
  emit(event: AgentEvent): void;
  subscribe(listener: (event: AgentEvent) => void): () => void;
  /** Sends a prompt and resolves when the agent is idle again. */
  prompt(text: string, options?: PromptOptions): Promise<void>;
  steer(text: string, images?: readonly ImageContent[]): void;
  followUp(text: string, images?: readonly ImageContent[]): void;
  /** What the user said with `steer` and `followUp` and the agent has not taken yet. */
  waiting(): readonly WaitingMessage[];
  /** Takes the last of those out again, to be changed or dropped. */
  takeBack(): WaitingMessage | undefined;
  /** Kept for the next prompt. */
  nextTurn(message: AgentMessage): void;
  /**
   * Puts a message of a plugin into the conversation: now if the agent is idle, else as `deliverAs` says. Resolves when the
   * message is in the session or in a queue, not when it was answered; `idle()` waits for that.
   */
  send(message: AgentMessage, options?: SendOptions): Promise<void>;
  /** Resolves when the agent has nothing to do. */
  idle(): Promise<void>;
  /** Stops the model and the tools; resolves when both have stopped. */
  abort(): Promise<void>;
  setModel(model: Model, thinking?: ThinkingLevel): Promise<void>;
  setThinking(level: ThinkingLevel): Promise<void>;
  /** Which tools the model may use, by name or pattern; while the agent works this counts from its next turn on. */
  setTools(names: readonly string[]): Promise<void>;
  /**
   * Adds tools of the slot beside those that the session began with, as many as fit into `budget` tokens together (without
   * it, into what is left of `tools.schemaBudget`). The rest can be found by search. Does nothing in a session whose tools
   * somebody chose. Tools that leave the slot leave the session; disposing takes back what was added.
   */
  addTools(names: readonly string[], options?: { readonly budget?: number }): Promise<Disposable>;
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
  /** Whether a failed model call is made again after a wait, from now on. Other keys and models take over all the same. */
  setAutoRetry(enabled: boolean): void;
  /** Ends the wait for a retry, if there is one: the run ends with what the provider said. */
  abortRetry(): void;
  compact(instructions?: string): Promise<{ readonly tokensBefore: number; readonly tokensAfter: number }>;
  /**
   * Moves to an entry of the same session, optionally with a summary of what is left behind. A message of the user, or of a
   * plugin, is said anew: the session goes to the entry before it, and its text is given back.
   */
  branchTo(
    entryId: string | null,
    options?: { readonly summarize?: boolean; readonly instructions?: string },
  ): Promise<TreeMove>;
  /** Takes the messages from the session again: for a plugin that moved its leaf in the hook `context`, between two turns. */
  reload(): void;
  /** Goes back to before a message of the user, in a copy of the session; gives the text of that message. */
  branch(entryId: string): Promise<MoveResult & { readonly text: string }>;
  /** Begins a new session with the same model and tools. */
  newSession(options?: { readonly parentSession?: string }): Promise<MoveResult>;
  /** Goes on with another session, by its id or file, and with the model that it used. */
  switchSession(idOrFile: string): Promise<MoveResult>;
  /**
   * Lets the model write down where the work stands, and goes on in a new session that begins with that. Nothing when
   * there is no document, or a plugin called it off.
   */
  handoff(instructions?: string): Promise<HandoffResult | undefined>;
  /**
   * Asks the model something beside the conversation, also while a run works: it sees what was said, calls no tools, and
   * neither question nor answer is kept. What it used counts for the session.
   */
  aside(text: string, options?: AsideOptions): Promise<string>;
  /** What its model calls have used, and those of its subagents. */
  usage(): Usage;
  /** Counts what somebody else has used for this session: a subagent in a process of its own, a tool that asks a model. */
  addUsage(usage: Usage): void;
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
  /** How many messages the model sees. */
  readonly messageCount: number;
  /** About how many tokens they have. */
  readonly contextTokens: number;
  readonly systemPrompt: string;
  readonly tools: readonly ModelTool[];
  readonly autoCompaction: boolean;
}

/** Who a subagent works for. */
export interface AgentParent {
  /** The session of the agent that started it. */
  readonly session: string;
  /** What people call the subagent: `explore auth-flow`. */
  readonly label: string;
  /** The call of that agent that started it. */
  readonly call?: string;
}

/** How an agent session is made. What is left out is discovered. */
export interface AgentOptions {
  /** For a subagent: what it uses counts for its parent, too. */
  readonly parent?: AgentParent;
  readonly session: Session;
  readonly cwd: string;
  /** `provider/id` or a pattern. */
  readonly model?: string;
  readonly thinking?: ThinkingLevel;
  /** Names and patterns (`mcp__files__*`), those of MCP servers and extensions of the folder too. */
  readonly tools?: readonly string[];
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
}

/** Makes agent sessions. */
export interface AgentFactory {
  /** The session belongs to the agent from now on: it is closed with it, and also when no agent can be made. */
  create(options: AgentOptions): Promise<MadeAgent>;
}

/** A new agent, and what there is to say about its model. */
export interface MadeAgent {
  readonly agent: AgentSession;
  readonly modelFallbackMessage?: string;
  /** Set when nobody chose the model: neither a flag nor a setting nor the session. */
  readonly foundModel?: FoundModel;
}

/** The agent loop. */
export const agentFactory = service<AgentFactory>('agent-factory');

/** The agents of this process. */
export interface LiveAgents {
  get(session: string): AgentSession | undefined;
  list(): readonly AgentSession[];
}

/** The agents of this process, for plugins that act on a session. */
export const liveAgents = service<LiveAgents>('live-agents');

/** What becomes of an answer that is cut off, and what the model is told before it is asked again. */
export interface CutOff {
  /** False when the model must not see what it said: the answer stays in the session, on a branch of its own. */
  readonly keepAnswer: boolean;
  readonly messages: readonly AgentMessage[];
  /** Called when the answer is kept or set aside, before the messages: for entries of the plugin's own. */
  written?(): Promise<void>;
}

/** What a filter is told about the answer that it sees. */
export interface FilterCall {
  readonly session: string;
  /** Aborts when the user stops the agent, and when the answer is cut off. */
  readonly signal: AbortSignal;
  /** Stops the model. The filter then ends its stream with an `error` event, and the model is asked again. */
  cutOff(how: CutOff): void;
}

/** Sees a model's answer while it streams, and may change it or cut it off. */
export interface StreamFilter {
  filter(stream: AsyncIterable<StreamEvent>, call: FilterCall): AsyncIterable<StreamEvent>;
}

/** Filters of answers, the one with the highest priority nearest to the provider. */
export const streamFilters = slot<StreamFilter>('stream-filters');
