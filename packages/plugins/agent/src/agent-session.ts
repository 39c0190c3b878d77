import { messageOf } from '@tenon/kernel';
import type {
  AssistantMessage,
  ImageContent,
  Model,
  ThinkingLevel,
  ToolChoice,
  Usage,
  UserMessage,
} from '@tenon/models/api';
import type { AgentMessage, Session } from '@tenon/sessions/api';
import type { Tool } from '@tenon/tools/api';
import type { AgentEvent, AgentSession, AgentState, PromptOptions } from './api.ts';
import { Compactor } from './compaction/compactor.ts';
import { Conversation } from './conversation.ts';
import { errors } from './errors.ts';
import type { AgentHost } from './host.ts';
import { runLoop } from './loop.ts';
import { MessageQueue } from './message-queue.ts';
import { RepeatGuard } from './repeat-guard.ts';
import type { ToolSet } from './tool-set.ts';
import { addUsage } from './usage.ts';

/** How a session starts. */
export interface LoopSetup {
  readonly session: Session;
  readonly model: Model;
  readonly thinking: ThinkingLevel;
  readonly tools: ToolSet;
  /** Renders the system prompt for the tools in use. */
  systemPrompt(): string;
}

/** The loop over one session, with everything that can be said to it while it runs. */
export class LoopSession implements AgentSession {
  readonly session: Session;
  readonly conversation: Conversation;
  readonly steering: MessageQueue<UserMessage>;
  readonly followUps: MessageQueue<UserMessage>;
  readonly toolChoices: ToolChoice[] = [];
  readonly tools: ToolSet;
  readonly guard: RepeatGuard;
  readonly host: AgentHost;
  readonly compactor: Compactor;
  model: Model;
  thinking: ThinkingLevel;
  isCompacting = false;
  autoCompaction: boolean;
  #interruptMode: AgentState['interruptMode'];
  #nextTurn: AgentMessage[] = [];
  #usage: Usage;
  #running: Promise<void> | undefined;
  #controller: AbortController | undefined;
  #disposed = false;
  /** Accounts that are being written. */
  readonly #accounts = new Set<Promise<void>>();
  readonly #listeners = new Set<(event: AgentEvent) => void>();
  readonly #setup: LoopSetup;

  constructor(host: AgentHost, setup: LoopSetup) {
    const { config } = host;
    this.host = host;
    this.#setup = setup;
    this.session = setup.session;
    this.conversation = new Conversation(setup.session);
    this.model = setup.model;
    this.thinking = setup.thinking;
    this.tools = setup.tools;
    this.steering = new MessageQueue(config.steeringMode);
    this.followUps = new MessageQueue(config.followUpMode);
    this.#interruptMode = config.interruptMode;
    this.autoCompaction = config.compaction.enabled;
    this.guard = new RepeatGuard(config.repeatLimit);
    this.compactor = new Compactor(this);
    this.#usage = addUsage(
      this.conversation.messages.flatMap((message) => (message.role === 'assistant' ? [message.usage] : [])),
    );
  }

  get state(): AgentState {
    return {
      model: this.model,
      thinking: this.thinking,
      isStreaming: this.#running !== undefined,
      isCompacting: this.isCompacting,
      steeringMode: this.steering.mode,
      followUpMode: this.followUps.mode,
      interruptMode: this.#interruptMode,
      queuedMessages: this.steering.size + this.followUps.size + this.#nextTurn.length,
      systemPrompt: this.#setup.systemPrompt(),
      tools: this.tools.modelTools(),
      autoCompaction: this.autoCompaction,
    };
  }

  /** True when steering should keep calls that have not started from starting. */
  get cutsIn(): boolean {
    return this.#interruptMode === 'immediate' && this.steering.size > 0;
  }

  subscribe(listener: (event: AgentEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Tells everybody what happens. A listener that fails is logged and does not stop the work. */
  emit(event: AgentEvent): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(event);
      } catch (fault) {
        this.host.log.error(`a listener of "${event.type}" failed: ${messageOf(fault)}`);
      }
    }
    this.host.tell(this.session.id, event);
  }

  /** Adds a message to the conversation and tells about it. */
  async say(message: AgentMessage): Promise<void> {
    this.emit({ type: 'message_start', message });
    await this.conversation.add(message);
    this.emit({ type: 'message_end', message });
  }

  /** Counts what a model call used. */
  count(message: AssistantMessage, purpose: 'turn' | 'summary'): void {
    this.#usage = addUsage([this.#usage, message.usage]);
    const told = this.host.used(message, purpose).finally(() => this.#accounts.delete(told));
    this.#accounts.add(told);
  }

  async prompt(text: string, options: PromptOptions = {}): Promise<void> {
    if (this.#disposed) throw errors.create('AGENT_DISPOSED');
    const { images = [], whenBusy } = options;
    if (this.#running) {
      if (!whenBusy) throw errors.create('AGENT_BUSY');
      this[whenBusy](text, images);
      return this.#running;
    }
    this.#running = this.#run(text, images).finally(() => {
      this.#running = undefined;
      this.#controller = undefined;
    });
    return this.#running;
  }

  async #run(typed: string, pictures: readonly ImageContent[]): Promise<void> {
    const controller = new AbortController();
    this.#controller = controller;
    const { text, images } = await this.host.changeInput({ text: typed, images: pictures });
    const start = await this.host.beforeStart({ prompt: text, systemPrompt: this.#setup.systemPrompt(), inject: [] });
    this.guard.reset();
    this.emit({ type: 'agent_start' });
    const first = this.conversation.messages.length;
    try {
      const waiting = this.#nextTurn.splice(0);
      for (const message of [...waiting, userMessage(text, images), ...start.inject]) await this.say(message);
      await runLoop(this, { systemPrompt: start.systemPrompt, signal: controller.signal });
    } finally {
      await this.session.flush();
      await Promise.all(this.#accounts);
      this.emit({
        type: 'agent_end',
        messages: this.conversation.messages.slice(Math.min(first, this.conversation.messages.length)),
      });
    }
  }

  steer(text: string, images: readonly ImageContent[] = []): void {
    this.steering.add(userMessage(text, images));
  }

  followUp(text: string, images: readonly ImageContent[] = []): void {
    this.followUps.add(userMessage(text, images));
  }

  nextTurn(message: AgentMessage): void {
    this.#nextTurn.push(message);
  }

  async abort(): Promise<void> {
    this.#controller?.abort(new DOMException('The user stopped the agent.', 'AbortError'));
    this.compactor.abort();
    // What made the run fail was told to whoever started it; here only its end matters.
    await this.#running?.catch(() => undefined);
  }

  async setModel(model: Model, thinking?: ThinkingLevel): Promise<void> {
    this.model = model;
    await this.session.append('model_change', { model: `${model.provider}/${model.id}` });
    if (thinking !== undefined) await this.setThinking(thinking);
  }

  async setThinking(level: ThinkingLevel): Promise<void> {
    this.thinking = level;
    await this.session.append('thinking_level_change', { thinkingLevel: level });
  }

  setTools(names: readonly string[]): Promise<void> {
    return this.tools.choose(names);
  }

  setHostTools(tools: Readonly<Record<string, Tool>>): void {
    this.tools.setHostTools(tools);
  }

  setQueueModes(modes: Parameters<AgentSession['setQueueModes']>[0]): void {
    this.steering.mode = modes.steering ?? this.steering.mode;
    this.followUps.mode = modes.followUp ?? this.followUps.mode;
    this.#interruptMode = modes.interrupt ?? this.#interruptMode;
  }

  queueToolChoice(...choices: readonly ToolChoice[]): void {
    this.toolChoices.push(...choices);
  }

  setAutoCompaction(enabled: boolean): void {
    this.autoCompaction = enabled;
  }

  async compact(instructions?: string): Promise<{ tokensBefore: number; tokensAfter: number }> {
    await this.abort();
    return this.compactor.compact({ reason: 'manual', ...(instructions !== undefined && { instructions }) });
  }

  async branchTo(entryId: string | null, options: { summarize?: boolean } = {}): Promise<void> {
    await this.abort();
    const summary = options.summarize ? await this.compactor.summarizeBranch(entryId) : undefined;
    this.session.moveTo(entryId);
    if (summary) await this.session.append('branch_summary', { fromId: entryId ?? 'root', ...summary });
    this.conversation.reload();
  }

  usage(): Usage {
    return this.#usage;
  }

  async dispose(): Promise<void> {
    if (this.#disposed) return;
    this.#disposed = true;
    await this.abort();
    this.#listeners.clear();
    await this.session.close();
  }
}

function userMessage(text: string, images: readonly ImageContent[]): UserMessage {
  const content = images.length === 0 ? text : [{ type: 'text' as const, text }, ...images];
  return { role: 'user', content, timestamp: Date.now() };
}
