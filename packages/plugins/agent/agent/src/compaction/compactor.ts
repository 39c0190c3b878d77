import { PRUNED_OUTPUT, type SessionEntry } from '@tenon/sessions/api';
import type { LoopSession } from '../agent-session.ts';
import type { CompactionPlan } from '../api.ts';
import { toModelMessages } from '../convert.ts';
import { errors } from '../errors.ts';
import { faultText } from '../fault-text.ts';
import { render } from '../prompts/index.ts';
import { estimateMessage, estimateText } from '../tokens.ts';
import { activeBranch } from './active-branch.ts';
import { type Cut, findCut, messageIn } from './cut-point.ts';
import { fileOperations, fileTags } from './file-operations.ts';
import { thresholdFor } from './policy.ts';
import { roomierModel } from './promotion.ts';
import { prunable } from './prune.ts';
import { serialize } from './serialize.ts';
import { askForSummary } from './summarizer.ts';

type Reason = 'manual' | 'threshold' | 'overflow' | 'idle';

/**
 * Keeps a conversation within its model's window. What is tried first loses least: the output of old tool calls is taken
 * out, a model with a bigger window takes over, and only then the older part is summarized or handed over.
 */
export class Compactor {
  readonly #agent: LoopSession;
  #controller: AbortController | undefined;
  /** Set when a compaction did not help; cleared by the next prompt that makes the conversation longer. */
  #gaveUpAt: number | undefined;

  constructor(agent: LoopSession) {
    this.#agent = agent;
  }

  abort(): void {
    this.#controller?.abort(new DOMException('The user stopped the summary.', 'AbortError'));
  }

  get #policy() {
    return this.#agent.host.config.compaction;
  }

  /** How many tokens the conversation may have before something is done about it. */
  threshold(): number {
    return thresholdFor(this.#agent.model.contextWindow, this.#policy);
  }

  get #isOn(): boolean {
    return this.#agent.autoCompaction && this.#policy.strategy !== 'off';
  }

  /** Makes room when the conversation has grown past the threshold. A failure is told and does not end the work. */
  async afterTurn(signal: AbortSignal): Promise<void> {
    const agent = this.#agent;
    if (signal.aborted || agent.conversation.tokens() <= this.threshold()) return;
    if (this.#isOn && (await this.prune()) && agent.conversation.tokens() <= this.threshold()) return;
    if (await this.#promote()) return;
    const tokens = agent.conversation.tokens();
    if (!this.#isOn || (this.#gaveUpAt !== undefined && tokens < this.#gaveUpAt * 1.1)) return;
    if (this.#policy.strategy === 'handoff' && (await this.#handOver())) return;
    await this.#automatic('threshold', false);
  }

  /** Makes room after the provider said that the conversation is too long. True when it is worth asking again. */
  async afterOverflow(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    if (await this.#promote()) return true;
    if (!this.#isOn) return false;
    return (await this.prune()) || this.#automatic('overflow', true);
  }

  /** Makes room while nobody waits for an answer, from a lower threshold on. */
  async whenIdle(): Promise<void> {
    const { idleThresholdPercent } = this.#policy;
    const agent = this.#agent;
    const limit = (agent.model.contextWindow * idleThresholdPercent) / 100;
    const isEnough = () => agent.conversation.tokens() <= limit;
    if (!this.#isOn || isEnough() || this.#gaveUpAt !== undefined) return;
    if ((await this.prune()) && isEnough()) return;
    await this.#automatic('idle', false);
  }

  /** Takes the output of old tool calls out of the context, for good; true when there was enough of it. */
  async prune(): Promise<boolean> {
    const { prune, pruneProtectTokens, pruneMinimumTokens } = this.#policy;
    if (!prune) return false;
    const agent = this.#agent;
    const policy = { protectTokens: pruneProtectTokens, minimumTokens: pruneMinimumTokens };
    const results = prunable(activeBranch(agent.session), policy, (tool) => agent.tools.keepsResult(tool));
    if (results.length === 0) return false;
    await agent.session.append('custom', { customType: PRUNED_OUTPUT, data: { results } });
    agent.conversation.shortened();
    const saved = results.reduce((sum, { tokens }) => sum + tokens, 0);
    const text = `The output of ${results.length} earlier tool calls (about ${saved} tokens) is no longer sent to the model.`;
    agent.emit({ type: 'notice', level: 'info', text });
    return true;
  }

  /** Goes on with a model that has more room, if one is configured. */
  async #promote(): Promise<boolean> {
    const agent = this.#agent;
    const model = await roomierModel(agent.host, agent.model, agent.conversation.tokens());
    if (!model) return false;
    const text = `The conversation has outgrown ${agent.model.name}; ${model.name} goes on with it.`;
    await agent.models.use(model, 'promotion');
    agent.emit({ type: 'notice', level: 'info', text });
    return true;
  }

  /** Goes on in a new session with what the model wrote down; false when a summary has to do instead. */
  async #handOver(): Promise<boolean> {
    const agent = this.#agent;
    agent.emit({ type: 'auto_compaction_start', reason: 'threshold' });
    try {
      const tokensBefore = agent.conversation.tokens();
      const done = await agent.moves.handOver({ isAutomatic: true });
      const after = done && { tokensBefore, tokensAfter: agent.conversation.tokens() };
      agent.emit({ type: 'auto_compaction_end', aborted: false, willRetry: false, ...after });
      return done !== undefined;
    } catch (fault) {
      this.#tellFailure(fault);
      // Whoever stopped it wants no summary in its place either.
      return isAbort(fault);
    }
  }

  async #automatic(reason: 'threshold' | 'overflow' | 'idle', willRetry: boolean): Promise<boolean> {
    const agent = this.#agent;
    agent.emit({ type: 'auto_compaction_start', reason });
    try {
      const { tokensBefore, tokensAfter } = await this.compact({ reason });
      agent.emit({ type: 'auto_compaction_end', aborted: false, willRetry, tokensBefore, tokensAfter });
      return true;
    } catch (fault) {
      if (!isAbort(fault)) this.#gaveUpAt = agent.conversation.tokens();
      this.#tellFailure(fault);
      return false;
    }
  }

  #tellFailure(fault: unknown): void {
    const errorMessage = faultText(fault);
    this.#agent.emit({ type: 'auto_compaction_end', aborted: isAbort(fault), willRetry: false, errorMessage });
  }

  /** Does work that `abort()` stops, and during which the session counts as being compacted. */
  async whileCompacting<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    this.#controller = controller;
    this.#agent.isCompacting = true;
    try {
      return await work(controller.signal);
    } finally {
      this.#agent.isCompacting = false;
      this.#controller = undefined;
    }
  }

  /** Summarizes the older part now. Nothing changes unless the result is shorter. */
  async compact(options: {
    reason: Reason;
    instructions?: string;
  }): Promise<{ tokensBefore: number; tokensAfter: number }> {
    const agent = this.#agent;
    const tokensBefore = agent.conversation.tokens();
    const branch = activeBranch(agent.session);
    const previousAt = branch.findLastIndex(({ type }) => type === 'compaction');
    const previous = branch[previousAt];
    const since = branch.slice(previousAt + 1);
    const window = previous?.type === 'compaction' ? keptBefore(branch, previousAt, previous.firstKeptEntryId) : [];
    const cut = findCut([...window, ...since], agent.host.config.compaction.keepRecentTokens);
    if (!cut) throw errors.create('AGENT_NOTHING_TO_COMPACT');
    return this.whileCompacting(async (signal) => {
      const done = await this.#summarize(cut, previous, options, tokensBefore, signal);
      // Estimates are compared with estimates: what a provider reports includes tools and system prompt.
      const before = agent.conversation.messages.reduce((sum, message) => sum + estimateMessage(message), 0);
      const tokensAfter = estimateText(done.summary) + cut.kept.reduce((sum, entry) => sum + sizeOf(entry), 0);
      if (tokensAfter >= before) throw errors.create('AGENT_COMPACTION_USELESS', { before, after: tokensAfter });
      const id = await agent.session.append('compaction', {
        firstKeptEntryId: cut.firstKeptEntryId,
        tokensBefore,
        ...done,
      });
      agent.conversation.shortened();
      agent.host.compacted(id, done.fromExtension === true);
      this.#gaveUpAt = undefined;
      return { tokensBefore, tokensAfter };
    });
  }

  async #summarize(
    cut: Cut,
    previous: SessionEntry | undefined,
    options: { reason: Reason; instructions?: string },
    tokensBefore: number,
    signal: AbortSignal,
  ) {
    const { host } = this.#agent;
    const messages = [...cut.history, ...cut.turnPrefix].flatMap((entry) => messageIn(entry) ?? []);
    const earlier = previous?.type === 'compaction' && !previous.fromExtension ? previous : undefined;
    const details = await fileOperations(messages, earlier?.details, this.#agent);
    const draft: CompactionPlan = {
      reason: options.reason,
      tokensBefore,
      messages,
      firstKeptEntryId: cut.firstKeptEntryId,
      context: [],
      ...(previous?.type === 'compaction' && { previousSummary: previous.summary }),
      ...(options.instructions !== undefined && { instructions: options.instructions }),
    };
    const decided = await host.beforeCompact(draft);
    if (decided?.cancelledBy !== undefined)
      throw errors.create('AGENT_COMPACTION_CANCELLED', { plugin: decided.cancelledBy });
    if (decided?.summary !== undefined)
      return { summary: decided.summary, details: decided.details ?? details, fromExtension: true };
    const plan = await host.compacting(draft);
    const parts = [
      cut.history.length > 0 || plan.previousSummary !== undefined ? await this.#history(cut, plan, signal) : '',
    ];
    if (cut.turnPrefix.some(messageIn))
      parts.push(`**Turn Context (split turn):**\n\n${await this.#turnPrefix(cut, signal)}`);
    const summary = parts.filter(Boolean).join('\n\n---\n\n') + fileTags(details);
    const shortSummary = await askForSummary(this.#agent, render('compaction-short', { summary }), signal);
    return { summary, shortSummary, details, ...(plan.preserveData && { preserveData: plan.preserveData }) };
  }

  #history(cut: Cut, plan: CompactionPlan, signal: AbortSignal): Promise<string> {
    const { previousSummary, context, instructions, prompt } = plan;
    const conversation = textOf(cut.history);
    if (prompt !== undefined)
      return askForSummary(this.#agent, `<conversation>\n${conversation}\n</conversation>\n\n${prompt}`, signal);
    const template = previousSummary === undefined ? 'compaction-summary' : 'compaction-update';
    return askForSummary(
      this.#agent,
      render(template, { conversation, previousSummary, context, instructions }),
      signal,
    );
  }

  #turnPrefix(cut: Cut, signal: AbortSignal): Promise<string> {
    return askForSummary(
      this.#agent,
      render('compaction-turn-prefix', { conversation: textOf(cut.turnPrefix) }),
      signal,
    );
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
