import { AsyncLocalStorage } from 'node:async_hooks';
import { type Disposable, messageOf, type TenonError } from '@tenon/kernel';
import type { ImageContent, Model, ThinkingLevel, ToolChoice, Usage, UserMessage } from '@tenon/models/api';
import type { AgentMessage, CustomMessage, Session } from '@tenon/sessions/api';
import type { Tool } from '@tenon/tools/api';
import { AgentQueues } from './agent-queues.ts';
import {
  agentEvent,
  type AgentEvent,
  type AgentParent,
  type AgentSession,
  type AgentState,
  type AsideOptions,
  beforeStart,
  type HandoffResult,
  input,
  type MoveResult,
  type PromptOptions,
  type RequestParts,
  type RunStart,
  type SendOptions,
  sessionShutdown,
  sessionStart,
  sessionSwitch,
  type SwitchReason,
  type TreeMove,
  type UserInput,
  type WaitingMessage,
} from './api.ts';
import { asideSignal, askAside } from './aside.ts';
import { Compactor } from './compaction/compactor.ts';
import { IdleTimer } from './compaction/idle-timer.ts';
import { Conversation } from './conversation.ts';
import { messageText } from './convert.ts';
import { errors } from './errors.ts';
import { failureIn, faultText } from './fault-text.ts';
import type { AgentHost } from './host.ts';
import { runLoop, say } from './loop.ts';
import type { LoopConfig, LoopHooks, LoopTools } from './loop-config.ts';
import { loopHooks } from './model-hooks.ts';
import { ModelUse } from './model-use.ts';
import { RepeatGuard } from './repeat-guard.ts';
import { SessionMoves } from './session-moves.ts';
import { sessionTools } from './session-tools.ts';
import { StopQuestion } from './stop-question.ts';
import type { ToolSet } from './tool-set.ts';

/** How a session starts. */
export interface LoopSetup {
  readonly host: AgentHost;
  readonly session: Session;
  readonly cwd: string;
  readonly model: Model;
  readonly thinking: ThinkingLevel;
  readonly tools: ToolSet;
  readonly parent?: AgentParent;
  /** The agent that it works for, as long as that is there. */
  parentAgent?(): AgentSession | undefined;
  /** Renders the system prompt for the tools in use. */
  systemPrompt(): string;
  /** The agent has ended and can no longer be found. */
  closed(agent: AgentSession): void;
}

/** What a run begins with. */
type Opening = () => Promise<{ readonly prompt: string; readonly message: AgentMessage } | undefined>;

type OnFailure = NonNullable<PromptOptions['onFailure']>;

/** The run whose opening the present code belongs to: what a slash command calls is called from inside of one. */
const opened = new AsyncLocalStorage<{ readonly agent: AgentSession; isOpening: boolean }>();
let openings = 0;

/** Owns what the loop works with, one session at a time, and everything that can be said to it while it runs. */
export class LoopSession implements AgentSession {
  readonly cwd: string;
  readonly parent?: AgentParent;
  readonly #setup: LoopSetup;
  readonly #host: AgentHost;
  readonly #conversation: Conversation;
  readonly #models: ModelUse;
  readonly #compactor: Compactor;
  readonly #moves: SessionMoves;
  readonly #queues: AgentQueues;
  readonly #repeats: RepeatGuard;
  readonly #stopQuestion: StopQuestion;
  readonly #idleTimer: IdleTimer;
  readonly #loopTools: LoopTools;
  readonly #loopConfig: LoopConfig;
  /** The system prompt of the last run; what plugins add to it is part of it. */
  #systemPrompt: string;
  /** The system prompt of the last request, with what plugins made of it. */
  #sentPrompt: string | undefined;
  #running: Promise<void> | undefined;
  #controller: AbortController | undefined;
  /** Those whose prompts the present run works on. */
  #onFailure: OnFailure[] = [];
  /** Resolves when nothing changes the session outside of a run. */
  #lock: Promise<unknown>;
  #disposed = false;
  /** Ends the questions beside the conversation. */
  readonly #asides = new AbortController();
  readonly #listeners = new Set<(event: AgentEvent) => void>();
  readonly #emit = (event: AgentEvent) => this.emit(event);

  constructor(setup: LoopSetup) {
    const { host, cwd, tools } = setup;
    const { config, log } = host;
    this.#setup = setup;
    this.#host = host;
    this.cwd = cwd;
    if (setup.parent) this.parent = setup.parent;
    const conversation = new Conversation(setup.session, cwd);
    this.#conversation = conversation;
    const used = (usage: Usage) => setup.parentAgent?.()?.addUsage(usage);
    const parts = { host, conversation, tools, emit: this.#emit, used };
    const models = new ModelUse(parts, setup);
    this.#models = models;
    tools.model = () => models.model;
    const handOver = () => this.#moves.handOver({ isAutomatic: true });
    const compactor = new Compactor({ ...parts, models, handOver });
    this.#compactor = compactor;
    this.#repeats = new RepeatGuard(config.repeatLimit);
    this.#stopQuestion = new StopQuestion(parts);
    this.#queues = new AgentQueues(config, this.#stopQuestion);
    this.#idleTimer = new IdleTimer(config.compaction.idleMinutes, {
      log,
      makeRoom: () => this.#whileIdle(() => compactor.whenIdle()),
      abort: () => compactor.abort(),
    });
    this.#loopTools = sessionTools(parts);
    this.#loopConfig = {
      model: models,
      hooks: this.#watched(loopHooks(parts)),
      queues: this.#queues,
      room: compactor,
      repeats: this.#repeats,
    };
    this.#systemPrompt = setup.systemPrompt();
    this.#moves = new SessionMoves({
      ...parts,
      models,
      compactor,
      lastContext: () => ({ systemPrompt: this.#systemPrompt, tools: this.#loopTools }),
      adopt: (session, reason) => this.#adopt(session, reason),
    });
    // The first prompt waits for those who prepare something; making an agent does not.
    const { file } = setup.session;
    this.#lock = host
      .run(sessionStart, {
        ...conversation.place,
        ...(file !== undefined && { file }),
        ...(setup.parent && { parent: setup.parent.session }),
      })
      .catch((fault: unknown) => log.error(`the start of a session could not be told: ${messageOf(fault)}`));
  }

  #watched(hooks: LoopHooks): LoopHooks {
    const request = async (parts: RequestParts) => {
      const changed = await hooks.request(parts);
      this.#sentPrompt = changed.systemPrompt;
      return changed;
    };
    return { ...hooks, request };
  }

  get session(): Session {
    return this.#conversation.session;
  }

  get state(): AgentState {
    const conversation = this.#conversation;
    const setup = this.#setup;
    const sent = this.#sentPrompt;
    const { model } = this.#models;
    return {
      model,
      thinking: this.#models.thinking,
      isStreaming: this.#running !== undefined,
      isCompacting: this.#compactor.isCompacting,
      ...this.#queues.state,
      messageCount: conversation.messages.length,
      // Most who read the state want one thing of it; these are made when they are asked for.
      get contextTokens() {
        // A session that goes on has sent nothing yet, and still its next request has more in it than its messages.
        if (conversation.messages.length > 0 && !conversation.gauge.isSurrounded)
          conversation.surround({ model, systemPrompt: this.systemPrompt, tools: this.tools });
        return conversation.tokens();
      },
      get systemPrompt() {
        return sent ?? setup.systemPrompt();
      },
      get tools() {
        return setup.tools.modelTools();
      },
      autoCompaction: this.#compactor.isAutomatic,
    };
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
        this.#host.log.error(`a listener of "${event.type}" failed: ${messageOf(fault)}`);
      }
    }
    // A plugin that is being unloaded can tell nobody any more; its agents still come to their end.
    if (!this.#host.signal.aborted) void this.#host.run(agentEvent, { session: this.session.id, event });
  }

  #say(message: AgentMessage): Promise<void> {
    return say(message, this.#conversation, this.#emit);
  }

  async prompt(text: string, options: PromptOptions = {}): Promise<void> {
    if (this.#disposed) throw errors.create('AGENT_DISPOSED');
    const { images = [], streamingBehavior, onFailure = () => undefined } = options;
    if (this.#running) {
      if (!streamingBehavior) throw errors.create('AGENT_BUSY');
      this.#onFailure.push(onFailure);
      this[streamingBehavior](text, images);
      return this.#running;
    }
    return this.#start(async () => {
      const typed = await this.#opened({ text, images });
      const refusal = refusalOf(typed);
      if (refusal) throw refusal;
      if (this.#isHandled(typed)) return undefined;
      return { prompt: typed.text, message: userMessage(typed) };
    }, onFailure);
  }

  async send(message: AgentMessage, options: SendOptions = {}): Promise<void> {
    if (this.#disposed) throw errors.create('AGENT_DISPOSED');
    const { deliverAs = 'followUp', triggerTurn = false } = options;
    if (deliverAs === 'nextTurn') this.nextTurn(message);
    else if (this.#running) this.#queues.add(message, deliverAs);
    else if (!triggerTurn) await this.#say(message);
    // Who sends a message does not wait for the answer to it; what goes wrong is told to those who watch.
    else {
      const opening = async () => ({ prompt: messageText(message), message });
      this.#start(opening, (fault) => {
        this.#host.log.error(`a run that a plugin's message began has failed: ${messageOf(fault)}`);
        this.emit({ type: 'notice', level: 'error', text: messageOf(fault) });
      }).catch(() => undefined); // told above
    }
  }

  async idle(): Promise<void> {
    // What made a run fail was told to whoever started it; here only its end matters.
    while (this.#running) await this.#running.catch(() => undefined);
  }

  #start(opening: Opening, onFailure: OnFailure): Promise<void> {
    const controller = new AbortController();
    this.#controller = controller;
    this.#onFailure = [onFailure];
    this.#idleTimer.stop();
    const run = this.#run(opening, this.#lock, controller.signal).finally(() => this.#ended(run));
    this.#running = run;
    return run;
  }

  #ended(run: Promise<void> | undefined): void {
    if (this.#running !== run) return;
    this.#running = undefined;
    this.#controller = undefined;
  }

  async #run(opening: Opening, ready: Promise<unknown>, signal: AbortSignal): Promise<void> {
    await ready;
    if (signal.aborted) return this.#tellEmptyRun();
    const begun = await this.#begin(opening);
    if (!begun) return this.#tellEmptyRun();
    const { message, start } = begun;
    const { systemPrompt } = start;
    const context = { systemPrompt, conversation: this.#conversation, tools: this.#loopTools };
    this.#systemPrompt = systemPrompt;
    this.#repeats.reset();
    this.#stopQuestion.reset();
    this.emit({ type: 'agent_start' });
    this.#conversation.beginRun();
    let failure: string | undefined;
    try {
      let opening: readonly AgentMessage[] = [...this.#queues.takeForPrompt(), message, ...start.inject];
      while (opening.length > 0) {
        await runLoop(opening, context, this.#loopConfig, this.#emit, signal);
        await this.#conversation.flush();
        await this.#models.accounts.settled();
        // A message that comes while the end of the run is being written down must not wait for the next prompt.
        opening = signal.aborted ? [] : await this.#queues.late();
      }
    } catch (fault) {
      failure = faultText(fault);
      this.#tellFailure(fault);
      throw fault;
    } finally {
      this.#ended(this.#running);
      const { said } = this.#conversation;
      const error = failure ?? failureIn(said);
      this.emit({ type: 'agent_end', messages: said, ...(error !== undefined && { error }) });
      if (!this.#running) this.#idleTimer.start();
    }
  }

  /** What a run works with; nothing when there is nothing to be done. */
  async #begin(opening: Opening): Promise<{ message: AgentMessage; start: RunStart } | undefined> {
    try {
      const opened = await opening();
      if (!opened) return undefined;
      const { prompt, message } = opened;
      const systemPrompt = this.#setup.systemPrompt();
      const { place } = this.#conversation;
      return { message, start: await this.#host.run(beforeStart, { ...place, prompt, systemPrompt, inject: [] }) };
    } catch (fault) {
      this.#tellFailure(fault);
      this.#tellEmptyRun(faultText(fault));
      throw fault;
    }
  }

  #tellFailure(fault: unknown): void {
    for (const onFailure of this.#onFailure.splice(0)) onFailure(fault);
  }

  /** A prompt that came to nothing, or was stopped before it did: whoever waits for the end must not wait for ever. */
  #tellEmptyRun(error?: string): void {
    this.emit({ type: 'agent_start' });
    this.#ended(this.#running);
    this.emit({ type: 'agent_end', messages: [], ...(error !== undefined && { error }) });
  }

  steer(text: string, images: readonly ImageContent[] = []): void {
    this.#queues.add(this.#typed(text, images), 'steer', { text, images });
  }

  followUp(text: string, images: readonly ImageContent[] = []): void {
    this.#queues.add(this.#typed(text, images), 'followUp', { text, images });
  }

  waiting(): readonly WaitingMessage[] {
    return this.#queues.waiting();
  }

  takeBack(): WaitingMessage | undefined {
    return this.#queues.takeBack();
  }

  /** What the user said in between; plugins see it as they see a prompt. */
  async #typed(text: string, images: readonly ImageContent[]): Promise<AgentMessage | undefined> {
    try {
      const typed = await this.#changed({ text, images, ...(this.#running && { midRun: true }) });
      if (this.#isHandled(typed)) return undefined;
      const refusal = refusalOf(typed);
      if (!refusal) return userMessage(typed);
      this.emit({ type: 'notice', level: 'warning', text: faultText(refusal) });
    } catch (fault) {
      this.emit({ type: 'notice', level: 'error', text: `A message was not sent: ${messageOf(fault)}` });
    }
    return undefined;
  }

  #changed(typed: UserInput): Promise<UserInput> {
    return this.#host.run(input, { ...this.#conversation.place, ...typed });
  }

  /** What plugins make of a prompt. Nothing runs yet, so they may change the session as if the agent were idle. */
  async #opened(typed: UserInput): Promise<UserInput> {
    const run = { agent: this, isOpening: true };
    openings += 1;
    try {
      return await opened.run(run, () => this.#changed(typed));
    } finally {
      run.isOpening = false;
      openings -= 1;
      // Following every promise of the process costs time, above all while an answer comes.
      if (openings === 0) opened.disable();
    }
  }

  /** True when a plugin did all that was asked for; the user is told what it says. */
  #isHandled({ handled, blocked }: UserInput): boolean {
    if (handled === undefined || blocked !== undefined) return false;
    if (handled !== '') this.emit({ type: 'notice', level: 'info', text: handled, isAnswer: true });
    return true;
  }

  nextTurn(message: AgentMessage): void {
    this.#queues.addForNextTurn(message);
  }

  async abort(): Promise<void> {
    await this.#stop();
  }

  async #stop(): Promise<void> {
    this.#idleTimer.stop();
    this.#compactor.abort();
    this.#controller?.abort(new DOMException('The user stopped the agent.', 'AbortError'));
    await this.#running?.catch(() => undefined); // told to whoever started it
  }

  /** Stops what runs and does work that no run may overlap. Prompts that come meanwhile wait for it. */
  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    if (this.#disposed) return Promise.reject(errors.create('AGENT_DISPOSED'));
    const run = opened.getStore();
    // A slash command must not wait for the end of the run that it opens itself.
    if (run?.agent === this && run.isOpening) return work();
    const done = Promise.all([this.#lock, this.#stop()]).then(work);
    this.#lock = done.catch(() => undefined); // told to whoever asked for the work
    return done;
  }

  /** Does work in the background while the agent has nothing to do; false when it has. */
  async #whileIdle(work: () => Promise<void>): Promise<boolean> {
    if (this.#disposed || this.#running || this.#compactor.isCompacting) return false;
    const done = this.#lock.then(work);
    this.#lock = done.catch(() => undefined); // told by the work itself
    await done;
    return true;
  }

  /** Works on another session from now on. */
  async #adopt(session: Session, reason: SwitchReason): Promise<void> {
    const previous = this.session;
    await previous.flush();
    this.#conversation.adopt(session);
    // What was said to an agent that hands its work over is meant for whoever goes on with it.
    if (reason !== 'handoff') {
      this.#queues.clear();
      this.#models.toolChoices.length = 0;
    }
    this.#models.accounts.startWith(this.#conversation.messages);
    if (reason === 'resume') await this.#models.restore();
    else await this.#models.note();
    await previous.close();
    const file = session.file !== undefined && { sessionFile: session.file };
    this.emit({ type: 'session_switch', reason, sessionId: session.id, previousSessionId: previous.id, ...file });
    for (const repair of session.repairs)
      this.emit({ type: 'notice', level: 'warning', text: `Session ${session.id}: ${repair}` });
    await this.#host.run(sessionSwitch, { ...this.#conversation.place, reason, previous: previous.id });
  }

  async setModel(model: Model, thinking?: ThinkingLevel): Promise<void> {
    await this.#models.use(model, 'set');
    if (thinking !== undefined) await this.setThinking(thinking);
  }

  setThinking(level: ThinkingLevel): Promise<void> {
    return this.#models.think(level);
  }

  setTools(names: readonly string[]): Promise<void> {
    return this.#setup.tools.choose(names);
  }

  addTools(names: readonly string[], options: { budget?: number } = {}): Promise<Disposable> {
    return this.#setup.tools.add(names, options.budget);
  }

  setHostTools(tools: Readonly<Record<string, Tool>>): void {
    this.#setup.tools.setHostTools(tools);
  }

  setQueueModes(modes: Parameters<AgentSession['setQueueModes']>[0]): void {
    this.#queues.setModes(modes);
  }

  queueToolChoice(...choices: readonly ToolChoice[]): void {
    this.#models.toolChoices.push(...choices);
  }

  setAutoCompaction(enabled: boolean): void {
    this.#compactor.isAutomatic = enabled;
  }

  setAutoRetry(enabled: boolean): void {
    this.#models.mayWait = enabled;
  }

  abortRetry(): void {
    this.#models.stopWaiting();
  }

  compact(instructions?: string): Promise<{ tokensBefore: number; tokensAfter: number }> {
    const words = instructions !== undefined && { instructions };
    return this.#exclusively(() => this.#compactor.compact({ reason: 'manual', ...words }));
  }

  branchTo(entryId: string | null, options: { summarize?: boolean; instructions?: string } = {}): Promise<TreeMove> {
    return this.#exclusively(() => this.#moves.navigate(entryId, options));
  }

  branch(entryId: string): Promise<MoveResult & { text: string }> {
    return this.#exclusively(() => this.#moves.branch(entryId));
  }

  newSession(options: { parentSession?: string } = {}): Promise<MoveResult> {
    return this.#exclusively(() => this.#moves.startNew(options.parentSession));
  }

  switchSession(idOrFile: string): Promise<MoveResult> {
    return this.#exclusively(() => this.#moves.switchTo(idOrFile));
  }

  handoff(instructions?: string): Promise<HandoffResult | undefined> {
    const words = instructions !== undefined && { instructions };
    return this.#exclusively(() => this.#moves.handOver({ isAutomatic: false, ...words }));
  }

  reload(): void {
    this.#conversation.reload();
  }

  async aside(text: string, options: AsideOptions = {}): Promise<string> {
    if (this.#disposed) throw errors.create('AGENT_DISPOSED');
    const parts = { host: this.#host, conversation: this.#conversation, models: this.#models };
    const context = { systemPrompt: this.#systemPrompt, tools: this.#loopTools };
    const signal = asideSignal(this.#asides.signal, options);
    return askAside(parts, context, text, { ...(options.alone && { alone: true }), signal });
  }

  usage(): Usage {
    return this.#models.accounts.total;
  }

  addUsage(usage: Usage): void {
    this.#models.accounts.add(usage, Promise.resolve());
    this.#setup.parentAgent?.()?.addUsage(usage);
  }

  async dispose(): Promise<void> {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#asides.abort(new DOMException('The session has ended.', 'AbortError'));
    await Promise.all([this.#lock, this.#stop()]);
    if (!this.#host.signal.aborted) await this.#host.run(sessionShutdown, this.#conversation.place);
    this.#listeners.clear();
    this.#setup.closed(this);
    await this.session.close();
  }
}

/** Why what was typed goes nowhere. */
function refusalOf({ blocked: reason, remedy }: UserInput): TenonError | undefined {
  if (reason === undefined) return undefined;
  if (remedy === undefined) return errors.create('AGENT_PROMPT_BLOCKED', { reason });
  return errors.create('AGENT_COMMAND_REFUSED', { reason, remedy });
}

function userMessage({ text, images, custom }: UserInput): UserMessage | CustomMessage {
  const content = images.length === 0 ? text : [{ type: 'text' as const, text }, ...images];
  const timestamp = Date.now();
  if (!custom) return { role: 'user', content, timestamp };
  return { role: 'custom', ...custom, content, display: true, attribution: 'user', timestamp };
}
