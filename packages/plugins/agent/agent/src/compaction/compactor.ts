import { PRUNED_OUTPUT, type SessionEntry } from '@tenon/sessions/api';
import { beforeCompact, compacted, compacting, type CompactionPlan, type HandoffResult } from '../api.ts';
import { toModelMessages } from '../convert.ts';
import { errors } from '../errors.ts';
import { faultText } from '../fault-text.ts';
import type { AgentParts } from '../host.ts';
import type { LoopRoom } from '../loop-config.ts';
import type { ModelUse } from '../model-use.ts';
import { render } from '../prompts/index.ts';
import { estimateMessage, estimateText, shortenedTo } from '../tokens.ts';
import { activeBranch } from './active-branch.ts';
import { type Cut, findCut, messageIn } from './cut-point.ts';
import { fileOperations, fileTags } from './file-operations.ts';
import { pruningFor, recentFor, summaryRoom, thresholdFor } from './policy.ts';
import { roomierModel } from './promotion.ts';
import { prunable } from './prune.ts';
import { serialize } from './serialize.ts';
import { askForSummary } from './summarizer.ts';

type Reason = 'manual' | 'threshold' | 'overflow' | 'idle';

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
    return thresholdFor(this.#parts.models.model.contextWindow, this.#policy);
  }

  get #isOn(): boolean {
    return this.isAutomatic && this.#policy.strategy !== 'off';
  }

  /** Makes room when the conversation has grown past the threshold. A failure is told and does not end the work. */
  async afterTurn(signal: AbortSignal): Promise<void> {
    const { conversation } = this.#parts;
    if (signal.aborted || conversation.tokens() <= this.threshold()) return;
    if (this.#isOn && (await this.prune()) && conversation.tokens() <= this.threshold()) return;
    if (await this.#promote()) return;
    const tokens = conversation.tokens();
    if (!this.#isOn || (this.#gaveUpAt !== undefined && tokens < this.#gaveUpAt * 1.1)) return;
    if (this.#policy.strategy === 'handoff' && (await this.#handOver())) return;
    // Where nothing can be cut off (a first question in a small window) there is nothing to tell either.
    if (this.#cut().cut) await this.#automatic('threshold', false);
  }

  /** Makes room after the provider said that the conversation is too long. True when it is worth asking again. */
  async afterOverflow(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    if (await this.#promote()) return true;
    if (!this.#isOn) return false;
    return (await this.prune()) || (this.#cut().cut !== undefined && (await this.#automatic('overflow', true)));
  }

  /** Makes room while nobody waits for an answer, from a lower threshold on. */
  async whenIdle(): Promise<void> {
    const { idleThresholdPercent } = this.#policy;
    const { conversation, models } = this.#parts;
    const limit = (models.model.contextWindow * idleThresholdPercent) / 100;
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
    const policy = pruningFor(models.model.contextWindow, this.#policy);
    const results = prunable(activeBranch(session), policy, (tool) => tools.keepsResult(tool));
    if (results.length === 0) return false;
    await session.append('custom', { customType: PRUNED_OUTPUT, data: { results } });
    conversation.shortened();
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

  async #automatic(reason: 'threshold' | 'overflow' | 'idle', willRetry: boolean): Promise<boolean> {
    const { conversation, emit } = this.#parts;
    emit({ type: 'auto_compaction_start', reason });
    try {
      const { tokensBefore, tokensAfter } = await this.compact({ reason });
      emit({ type: 'auto_compaction_end', aborted: false, willRetry, tokensBefore, tokensAfter });
      return true;
    } catch (fault) {
      if (!isAbort(fault)) this.#gaveUpAt = conversation.tokens();
      this.#tellFailure(fault);
      return false;
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
      const done = await this.#summarize(cut, previous, options, tokensBefore, signal);
      // Estimates are compared with estimates: what a provider reports includes tools and system prompt.
      const before = conversation.messages.reduce((sum, message) => sum + estimateMessage(message), 0);
      const tokensAfter = estimateText(done.summary) + cut.kept.reduce((sum, entry) => sum + sizeOf(entry), 0);
      if (tokensAfter >= before) throw errors.create('AGENT_COMPACTION_USELESS', { before, after: tokensAfter });
      const id = await session.append('compaction', {
        firstKeptEntryId: cut.firstKeptEntryId,
        tokensBefore,
        ...done,
      });
      conversation.shortened();
      void host.run(compacted, { session: place.session, entryId: id, fromPlugin: done.fromExtension === true });
      this.#gaveUpAt = undefined;
      return { tokensBefore, tokensAfter };
    });
  }

  /** Where the conversation would be cut now; nothing when it is as short as it may get. */
  #cut(): { readonly previous: SessionEntry | undefined; readonly cut: Cut | undefined } {
    const { conversation, models } = this.#parts;
    const branch = activeBranch(conversation.session);
    const previousAt = branch.findLastIndex(({ type }) => type === 'compaction');
    const previous = branch[previousAt];
    const since = branch.slice(previousAt + 1);
    const window = previous?.type === 'compaction' ? keptBefore(branch, previousAt, previous.firstKeptEntryId) : [];
    const keep = recentFor(models.model.contextWindow, this.#policy);
    return { previous, cut: findCut([...window, ...since], keep) };
  }

  async #summarize(
    cut: Cut,
    previous: SessionEntry | undefined,
    options: { reason: Reason; instructions?: string },
    tokensBefore: number,
    signal: AbortSignal,
  ) {
    const { host, conversation, tools } = this.#parts;
    const { place } = conversation;
    const messages = [...cut.history, ...cut.turnPrefix].flatMap((entry) => messageIn(entry) ?? []);
    const earlier = previous?.type === 'compaction' && !previous.fromExtension ? previous : undefined;
    const details = await fileOperations(messages, earlier?.details, { cwd: place.cwd, tools });
    const draft: CompactionPlan = {
      reason: options.reason,
      tokensBefore,
      messages,
      firstKeptEntryId: cut.firstKeptEntryId,
      context: [],
      ...(previous?.type === 'compaction' && { previousSummary: previous.summary }),
      ...(options.instructions !== undefined && { instructions: options.instructions }),
    };
    const decided = await host.run(beforeCompact, { ...place, ...draft });
    if (decided?.cancel) throw errors.create('AGENT_COMPACTION_CANCELLED', { plugin: decided.by ?? 'unknown' });
    if (decided?.summary !== undefined)
      return { summary: decided.summary, details: decided.details ?? details, fromExtension: true };
    const plan = await host.run(compacting, { ...place, ...draft });
    const parts = [
      cut.history.length > 0 || plan.previousSummary !== undefined ? await this.#history(cut, plan, signal) : '',
    ];
    if (cut.turnPrefix.some(messageIn))
      parts.push(`**Turn Context (split turn):**\n\n${await this.#turnPrefix(cut, signal)}`);
    const summary = parts.filter(Boolean).join('\n\n---\n\n') + fileTags(details);
    const shortSummary = await askForSummary(this.#parts, render('compaction-short', { summary }), signal);
    return { summary, shortSummary, details, ...(plan.preserveData && { preserveData: plan.preserveData }) };
  }

  #history(cut: Cut, plan: CompactionPlan, signal: AbortSignal): Promise<string> {
    const { previousSummary, context, instructions, prompt } = plan;
    const conversation = this.#text(cut.history);
    if (prompt !== undefined)
      return askForSummary(this.#parts, `<conversation>\n${conversation}\n</conversation>\n\n${prompt}`, signal);
    const template = previousSummary === undefined ? 'compaction-summary' : 'compaction-update';
    return askForSummary(
      this.#parts,
      render(template, { conversation, previousSummary, context, instructions }),
      signal,
    );
  }

  #turnPrefix(cut: Cut, signal: AbortSignal): Promise<string> {
    return askForSummary(
      this.#parts,
      render('compaction-turn-prefix', { conversation: this.#text(cut.turnPrefix) }),
      signal,
    );
  }

  /** Entries as a text that the model can take whole. */
  #text(entries: readonly SessionEntry[]): string {
    const room = summaryRoom(this.#parts.models.model.contextWindow, this.#policy);
    return shortenedTo(textOf(entries), room);
  }
}

function isAbort(fault: unknown): boolean {
  return fault instanceof DOMException && fault.name === 'AbortError';
}

function keptBefore(
  branch: readonly SessionEntry[],
  compactedAt: number,
  firstKeptEntryId: string,
): readonly SessionEntry[] {
  const from = branch.findIndex(({ id }) => id === firstKeptEntryId);
  return from === -1 ? [] : branch.slice(from, compactedAt).filter(({ type }) => type !== 'compaction');
}

function textOf(entries: readonly SessionEntry[]): string {
  return serialize(toModelMessages(entries.flatMap((entry) => messageIn(entry) ?? [])));
}

function sizeOf(entry: SessionEntry): number {
  const message = messageIn(entry);
  return message ? estimateMessage(message) : 0;
}
