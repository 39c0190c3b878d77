import { messageOf, TenonError } from '@tenon/kernel';
import type { SessionEntry } from '@tenon/sessions/api';
import type { LoopSession } from '../agent-session.ts';
import type { CompactionPlan } from '../api.ts';
import { toModelMessages } from '../convert.ts';
import { errors } from '../errors.ts';
import { render } from '../prompts/index.ts';
import { contextTokens, estimateMessage, estimateText } from '../tokens.ts';
import { activeBranch } from './active-branch.ts';
import { type Cut, findCut, messageIn } from './cut-point.ts';
import { type FileOperations, fileOperations, fileTags } from './file-operations.ts';
import { serialize } from './serialize.ts';

type Reason = 'manual' | 'threshold' | 'overflow' | 'idle';

/** At least this part of the window stays free for the answer. */
const MIN_FREE = 0.15;

/** Keeps a conversation within its model's window by summarizing its older part. */
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

  /** How many tokens the conversation may have before it is summarized. */
  threshold(): number {
    const { contextWindow } = this.#agent.model;
    const { reserveTokens, thresholdPercent } = this.#agent.host.config.compaction;
    if (thresholdPercent > 0) return (contextWindow * thresholdPercent) / 100;
    return contextWindow - Math.max(contextWindow * MIN_FREE, reserveTokens);
  }

  /** Summarizes when the conversation has grown past the threshold. A failure is told and does not end the work. */
  async afterTurn(signal: AbortSignal): Promise<void> {
    const tokens = contextTokens(this.#agent.conversation.messages);
    if (!this.#agent.autoCompaction || signal.aborted || tokens <= this.threshold()) return;
    if (this.#gaveUpAt !== undefined && tokens < this.#gaveUpAt * 1.1) return;
    await this.#automatic('threshold', false);
  }

  /** Summarizes after the provider said that the conversation is too long. True when it is worth asking again. */
  afterOverflow(signal: AbortSignal): Promise<boolean> {
    if (!this.#agent.autoCompaction || signal.aborted) return Promise.resolve(false);
    return this.#automatic('overflow', true);
  }

  async #automatic(reason: 'threshold' | 'overflow' | 'idle', willRetry: boolean): Promise<boolean> {
    const agent = this.#agent;
    agent.emit({ type: 'auto_compaction_start', reason });
    try {
      const { tokensBefore, tokensAfter } = await this.compact({ reason });
      agent.emit({ type: 'auto_compaction_end', aborted: false, willRetry, tokensBefore, tokensAfter });
      return true;
    } catch (fault) {
      this.#gaveUpAt = contextTokens(agent.conversation.messages);
      const aborted = fault instanceof DOMException && fault.name === 'AbortError';
      const next = fault instanceof TenonError ? ` ${fault.next}` : '';
      agent.emit({
        type: 'auto_compaction_end',
        aborted,
        willRetry: false,
        errorMessage: `${messageOf(fault)}${next}`,
      });
      return false;
    }
  }

  /** Summarizes the older part now. Nothing changes unless the result is shorter. */
  async compact(options: {
    reason: Reason;
    instructions?: string;
  }): Promise<{ tokensBefore: number; tokensAfter: number }> {
    const agent = this.#agent;
    const tokensBefore = contextTokens(agent.conversation.messages);
    const branch = activeBranch(agent.session);
    const previousAt = branch.findLastIndex(({ type }) => type === 'compaction');
    const previous = branch[previousAt];
    const since = branch.slice(previousAt + 1);
    const window = previous?.type === 'compaction' ? keptBefore(branch, previousAt, previous.firstKeptEntryId) : [];
    const cut = findCut([...window, ...since], agent.host.config.compaction.keepRecentTokens);
    if (!cut) throw errors.create('AGENT_NOTHING_TO_COMPACT');
    const controller = new AbortController();
    this.#controller = controller;
    agent.isCompacting = true;
    try {
      const done = await this.#summarize(cut, previous, options, tokensBefore, controller.signal);
      // Estimates are compared with estimates: what a provider reports includes tools and system prompt.
      const before = agent.conversation.messages.reduce((sum, message) => sum + estimateMessage(message), 0);
      const tokensAfter = estimateText(done.summary) + cut.kept.reduce((sum, entry) => sum + sizeOf(entry), 0);
      if (tokensAfter >= before) throw errors.create('AGENT_COMPACTION_USELESS', { before, after: tokensAfter });
      const id = await agent.session.append('compaction', {
        firstKeptEntryId: cut.firstKeptEntryId,
        tokensBefore,
        ...done,
      });
      agent.conversation.reload();
      agent.host.compacted(id, done.fromExtension === true);
      this.#gaveUpAt = undefined;
      return { tokensBefore, tokensAfter };
    } finally {
      agent.isCompacting = false;
      this.#controller = undefined;
    }
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
    const details = fileOperations(messages, earlier?.details);
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
    const shortSummary = await this.#ask(render('compaction-short', { summary }), signal);
    return { summary, shortSummary, details, ...(plan.preserveData && { preserveData: plan.preserveData }) };
  }

  #history(cut: Cut, plan: CompactionPlan, signal: AbortSignal): Promise<string> {
    const { previousSummary, context, instructions, prompt } = plan;
    const conversation = textOf(cut.history);
    if (prompt !== undefined) return this.#ask(`<conversation>\n${conversation}\n</conversation>\n\n${prompt}`, signal);
    const template = previousSummary === undefined ? 'compaction-summary' : 'compaction-update';
    return this.#ask(render(template, { conversation, previousSummary, context, instructions }), signal);
  }

  #turnPrefix(cut: Cut, signal: AbortSignal): Promise<string> {
    return this.#ask(render('compaction-turn-prefix', { conversation: textOf(cut.turnPrefix) }), signal);
  }

  /** What is left behind when the conversation goes back to an earlier entry. */
  async summarizeBranch(target: string | null): Promise<{ summary: string; details: FileOperations } | undefined> {
    const { session, model, host } = this.#agent;
    const path = new Set(target === null ? [] : session.branch(target).map(({ id }) => id));
    const left = session.branch().filter(({ id }) => !path.has(id));
    const messages = left.flatMap((entry) => messageIn(entry) ?? []);
    if (messages.length === 0) return undefined;
    const budget = model.contextWindow - host.config.compaction.reserveTokens;
    let size = 0;
    const recent = messages.slice(messages.findLastIndex((message) => (size += estimateMessage(message)) > budget) + 1);
    const controller = new AbortController();
    this.#controller = controller;
    try {
      const summary = await this.#ask(
        render('branch-summary', { conversation: serialize(toModelMessages(recent)) }),
        controller.signal,
      );
      const details = fileOperations(messages, undefined);
      return { summary: summary + fileTags(details), details };
    } finally {
      this.#controller = undefined;
    }
  }

  /** One question to the model, outside the conversation. */
  async #ask(text: string, signal: AbortSignal): Promise<string> {
    const { host, session } = this.#agent;
    const { model } = await host.models.forRole('small').catch(() => ({ model: this.#agent.model }));
    const messages = [{ role: 'user' as const, content: text, timestamp: Date.now() }];
    const parts = await host.changeRequest({ systemPrompt: render('compaction-system'), messages, tools: [] });
    for await (const event of host.models.stream(
      { model, sessionId: session.id, toolChoice: 'none', ...parts },
      { signal },
    )) {
      if (event.type === 'error') {
        if (event.reason === 'aborted') throw new DOMException('The user stopped the summary.', 'AbortError');
        throw errors.create('AGENT_COMPACTION_FAILED', { reason: event.error.errorMessage ?? 'the model failed' });
      }
      if (event.type !== 'done') continue;
      this.#agent.count(event.message, 'summary');
      const answer = event.message.content
        .flatMap((block) => (block.type === 'text' ? [block.text] : []))
        .join('\n')
        .trim();
      if (answer === '') throw errors.create('AGENT_COMPACTION_FAILED', { reason: 'the model gave an empty summary' });
      return answer;
    }
    throw errors.create('AGENT_COMPACTION_FAILED', { reason: 'the model ended without an answer' });
  }
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
