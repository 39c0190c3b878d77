import { PRUNED_OUTPUT, type SessionEntry } from '@tenon/sessions/api';
import { TenonError } from '@tenon/kernel';
import type { ProviderFailure } from '@tenon/models/api';
import { compacted, type CompactionPlan, type HandoffResult } from '../api.ts';
import { errors } from '../errors.ts';
import { faultText } from '../fault-text.ts';
import type { AgentParts } from '../host.ts';
import type { LoopContext, LoopRoom } from '../loop-config.ts';
import type { ModelUse } from '../model-use.ts';
import { estimateMessage, estimateText } from '../tokens.ts';
import { activeBranch } from './active-branch.ts';
import { activePart } from './active-part.ts';
import { type Cut, findCut, sizeOf } from './cut-point.ts';
import { pruningFor, recentFor, thresholdFor } from './policy.ts';
import { roomierModel } from './promotion.ts';
import { prunable } from './prune.ts';
import { SQUEEZE_LEVELS } from './squeeze.ts';
import { isHopeless, squeezeConversation } from './squeezer.ts';
import { writeSummary } from './summary-writing.ts';

type Reason = CompactionPlan['reason'];

/** What conversations are made shorter with. */
export interface CompactorParts extends AgentParts {
  readonly models: ModelUse;
  /** Goes on in a new session with what the model wrote down; undefined when that came to nothing. */
  handOver(): Promise<HandoffResult | undefined>;
}

/**
 * Keeps a conversation within its model's window. What is tried first loses least: the output of old tool calls is taken
 * out, a model with a bigger window takes over, and only then the older part is summarized or handed over.
 */
export class Compactor implements LoopRoom {
  /** Whether long conversations are made shorter by themselves. */
  isAutomatic: boolean;
  readonly #parts: CompactorParts;
  #controller: AbortController | undefined;
  /** Set when a compaction did not help; cleared by the next prompt that makes the conversation longer. */
  #gaveUpAt: number | undefined;
  /** How many of the ways to make room were tried since the provider refused for the first time. */
  #tried = 0;

  constructor(parts: CompactorParts) {
    this.#parts = parts;
    this.isAutomatic = parts.host.config.compaction.enabled;
  }

  get isCompacting(): boolean {
    return this.#controller !== undefined;
  }

  abort(): void {
    this.#controller?.abort(new DOMException('The user stopped the summary.', 'AbortError'));
  }

  get #policy() {
    return this.#parts.host.config.compaction;
  }

  /** How many tokens the conversation may have before something is done about it. */
  threshold(): number {
    return thresholdFor(this.#parts.models.window, this.#policy);
  }

  get #isOn(): boolean {
    return this.isAutomatic && this.#policy.strategy !== 'off';
  }

  /** Makes room for a prompt: the session may have been too long when it was opened, or written with another model. */
  async beforeRun(
    { systemPrompt, tools }: Pick<LoopContext, 'systemPrompt' | 'tools'>,
    signal: AbortSignal,
  ): Promise<void> {
    const { conversation, models } = this.#parts;
    conversation.gauge.refusals = 0;
    conversation.surround({ model: models.model, systemPrompt, tools: tools.modelTools() });
    // A prompt must not be handed over: it waits for its answer here.
    if (!isHopeless(this.#parts)) await this.#makeRoom(signal, { mayHandOver: false });
  }

  /** Makes room when the conversation has grown past the threshold. A failure is told and does not end the work. */
  async afterTurn(signal: AbortSignal): Promise<void> {
    // After a refusal the provider judges whether enough was done.
    if (this.#parts.conversation.gauge.refusals === 0) await this.#makeRoom(signal, { mayHandOver: true });
  }

  async #makeRoom(signal: AbortSignal, { mayHandOver }: { readonly mayHandOver: boolean }): Promise<void> {
    const { conversation } = this.#parts;
    if (signal.aborted || conversation.tokens() <= this.threshold()) return;
    if (this.#isOn && (await this.prune()) && conversation.tokens() <= this.threshold()) return;
    if (await this.#promote()) return;
    const tokens = conversation.tokens();
    if (!this.#isOn || (this.#gaveUpAt !== undefined && tokens < this.#gaveUpAt * 1.1)) return;
    if (mayHandOver && this.#policy.strategy === 'handoff' && (await this.#handOver())) return;
    // Where nothing can be cut off (a first question in a small window) there is nothing to tell either.
    if (this.#cut().cut) await this.#automatic('threshold', false);
  }

  /** Makes room after the provider said that the conversation is too long. True when it is worth asking again. */
  async afterOverflow(failure: ProviderFailure, signal: AbortSignal): Promise<boolean> {
    const { gauge } = this.#parts.conversation;
    const isAnswerTooLong = gauge.refused(failure.message, this.#parts.models.model);
    if (signal.aborted) return false;
    if (gauge.refusals === 1) {
      this.#tried = 0;
      // The next request asks for less, because the gauge knows more.
      if (isAnswerTooLong) return true;
    }
    if (await this.#promote()) return true;
    if (!this.#isOn) return false;
    const ways = this.#ways();
    // Where the prompt alone seems to be too big, it is tried alone at once.
    if (this.#tried === 0 && isHopeless(this.#parts)) this.#tried = ways.length - 1;
    while (this.#tried < ways.length) {
      const done = await ways[this.#tried++]?.();
      if (signal.aborted || done === 'stopped') return false;
      if (done === true) return true;
    }
    return false;
  }

  /** What can be done against an overflow. What comes first loses least; the last leaves nothing but the prompt. */
  #ways(): (() => Promise<boolean | 'stopped'>)[] {
    return [
      () => this.prune(),
      async () => this.#cut().cut !== undefined && this.#automatic('overflow', true),
      ...SQUEEZE_LEVELS.map((level) => () => squeezeConversation(this.#parts, level)),
    ];
  }

  /** Makes room while nobody waits for an answer, from a lower threshold on. */
  async whenIdle(): Promise<void> {
    const { idleThresholdPercent } = this.#policy;
    const { conversation, models } = this.#parts;
    const limit = (models.window * idleThresholdPercent) / 100;
    const isEnough = () => conversation.tokens() <= limit;
    if (!this.#isOn || isEnough() || this.#gaveUpAt !== undefined) return;
    if ((await this.prune()) && isEnough()) return;
    await this.#automatic('idle', false);
  }

  /** Takes the output of old tool calls out of the context, for good; true when there was enough of it. */
  async prune(): Promise<boolean> {
    if (!this.#policy.prune) return false;
    const { conversation, tools, models, emit } = this.#parts;
    const { session } = conversation;
    const policy = pruningFor(models.window, this.#policy);
    const results = prunable(activeBranch(session), policy, (tool) => tools.keepsResult(tool));
    if (results.length === 0) return false;
    await session.append('custom', { customType: PRUNED_OUTPUT, data: { results } });
    conversation.reload();
    const saved = results.reduce((sum, { tokens }) => sum + tokens, 0);
    const text = `The output of ${results.length} earlier tool calls (about ${saved} tokens) is no longer sent to the model.`;
    emit({ type: 'notice', level: 'info', text });
    return true;
  }

  /** Goes on with a model that has more room, if one is configured. */
  async #promote(): Promise<boolean> {
    const { host, conversation, models, emit } = this.#parts;
    const model = await roomierModel(host, models.model, conversation.tokens());
    if (!model) return false;
    const text = `The conversation has outgrown ${models.model.name}; ${model.name} goes on with it.`;
    await models.use(model, 'promotion');
    emit({ type: 'notice', level: 'info', text });
    return true;
  }

  /** Goes on in a new session with what the model wrote down; false when a summary has to do instead. */
  async #handOver(): Promise<boolean> {
    const { conversation, emit, handOver } = this.#parts;
    emit({ type: 'auto_compaction_start', reason: 'threshold' });
    try {
      const tokensBefore = conversation.tokens();
      const done = await handOver();
      const after = done && { tokensBefore, tokensAfter: conversation.tokens() };
      emit({ type: 'auto_compaction_end', aborted: false, willRetry: false, ...after });
      return done !== undefined;
    } catch (fault) {
      this.#tellFailure(fault);
      // Whoever stopped it wants no summary in its place either.
      return isAbort(fault);
    }
  }

  /** True when it is shorter now, `stopped` when somebody wants it to stay as it is. */
  async #automatic(reason: 'threshold' | 'overflow' | 'idle', willRetry: boolean): Promise<boolean | 'stopped'> {
    const { conversation, emit } = this.#parts;
    emit({ type: 'auto_compaction_start', reason });
    try {
      const { tokensBefore, tokensAfter } = await this.compact({ reason });
      emit({ type: 'auto_compaction_end', aborted: false, willRetry, tokensBefore, tokensAfter });
      return true;
    } catch (fault) {
      if (!isAbort(fault)) this.#gaveUpAt = conversation.tokens();
      this.#tellFailure(fault);
      return isAbort(fault) || isCalledOff(fault) ? 'stopped' : false;
    }
  }

  #tellFailure(fault: unknown): void {
    const errorMessage = faultText(fault);
    this.#parts.emit({ type: 'auto_compaction_end', aborted: isAbort(fault), willRetry: false, errorMessage });
  }

  /** Does work that `abort()` stops, and during which the session counts as being compacted. */
  async whileCompacting<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    this.#controller = controller;
    try {
      return await work(controller.signal);
    } finally {
      this.#controller = undefined;
    }
  }

  /** Summarizes the older part now. Nothing changes unless the result is shorter. */
  async compact(options: {
    reason: Reason;
    instructions?: string;
  }): Promise<{ tokensBefore: number; tokensAfter: number }> {
    const { host, conversation } = this.#parts;
    const { session, place } = conversation;
    const tokensBefore = conversation.tokens();
    const { previous, cut } = this.#cut();
    if (!cut) throw errors.create('AGENT_NOTHING_TO_COMPACT');
    return this.whileCompacting(async (signal) => {
      const done = await writeSummary(this.#parts, cut, previous, { ...options, tokensBefore, signal });
      // Estimates are compared with estimates: what a provider reports includes tools and system prompt.
      const before = conversation.messages.reduce((sum, message) => sum + estimateMessage(message), 0);
      const tokensAfter = estimateText(done.summary) + cut.kept.reduce((sum, entry) => sum + sizeOf(entry), 0);
      if (tokensAfter >= before) throw errors.create('AGENT_COMPACTION_USELESS', { before, after: tokensAfter });
      const id = await session.append('compaction', {
        firstKeptEntryId: cut.firstKeptEntryId,
        tokensBefore,
        ...done,
      });
      conversation.reload();
      void host.run(compacted, { session: place.session, entryId: id, fromPlugin: done.fromExtension === true });
      this.#gaveUpAt = undefined;
      return { tokensBefore, tokensAfter };
    });
  }

  /** Where the conversation would be cut now; nothing when it is as short as it may get. */
  #cut(): { readonly previous: SessionEntry | undefined; readonly cut: Cut | undefined } {
    const { conversation, models } = this.#parts;
    const { gauge, session } = conversation;
    const { previous, entries } = activePart(session);
    // What stays must leave room for a summary, whatever system prompt and tools take of a small window.
    const room = gauge.room(this.threshold());
    const keep = Math.min(recentFor(models.window, this.#policy) / gauge.ratio, room / 2);
    return { previous, cut: findCut(entries, keep, room) };
  }
}

function isCalledOff(fault: unknown): boolean {
  return fault instanceof TenonError && fault.code === 'AGENT_COMPACTION_CANCELLED';
}

function isAbort(fault: unknown): boolean {
  return fault instanceof DOMException && fault.name === 'AbortError';
}
