/** Lets a model write down what is cut off from a conversation. */
import type { SessionEntry } from '@tenon/sessions/api';
import { messageOf } from '@tenon/kernel';
import { beforeCompact, compacting, type CompactionPlan } from '../api.ts';
import { messageText, toModelMessages } from '../convert.ts';
import { errors } from '../errors.ts';
import type { AgentParts } from '../host.ts';
import type { ModelUse } from '../model-use.ts';
import { render } from '../prompts/index.ts';
import { estimateText, shortenedTo } from '../tokens.ts';
import { type Cut, isPrompt, messageIn } from './cut-point.ts';
import { fileOperations, fileTags } from './file-operations.ts';
import { summaryRoom } from './policy.ts';
import { serialize } from './serialize.ts';
import { askForSummary } from './summarizer.ts';

/** What a summary is written with. */
export type WritingParts = Pick<AgentParts, 'host' | 'conversation' | 'tools'> & { readonly models: ModelUse };

/** Why and how a summary is written. */
export interface SummaryOrder {
  readonly reason: CompactionPlan['reason'];
  readonly instructions?: string;
  readonly tokensBefore: number;
  readonly signal: AbortSignal;
}

/** A summary, and a prompt, may take this part of the room for a question: what follows must fit beside it. */
const MAX_PART = 0.25;

/** The summary of what comes before the cut, and of what was summarized before. */
export async function writeSummary(
  parts: WritingParts,
  cut: Cut,
  previous: SessionEntry | undefined,
  order: SummaryOrder,
) {
  const { host, conversation, tools } = parts;
  const { place } = conversation;
  const { reason, tokensBefore, instructions, signal } = order;
  const messages = [...cut.history, ...cut.turnPrefix].flatMap((entry) => messageIn(entry) ?? []);
  const earlier = previous?.type === 'compaction' && !previous.fromExtension ? previous : undefined;
  const details = await fileOperations(messages, earlier?.details, { cwd: place.cwd, tools });
  const draft: CompactionPlan = {
    reason,
    tokensBefore,
    messages,
    firstKeptEntryId: cut.firstKeptEntryId,
    context: [],
    ...(previous?.type === 'compaction' && { previousSummary: previous.summary }),
    ...(instructions !== undefined && { instructions }),
  };
  const decided = await host.run(beforeCompact, { ...place, ...draft });
  if (decided?.cancel) throw errors.create('AGENT_COMPACTION_CANCELLED', { plugin: decided.by ?? 'unknown' });
  if (decided?.summary !== undefined)
    return { summary: decided.summary, details: decided.details ?? details, fromExtension: true };
  const plan = await host.run(compacting, { ...place, ...draft });
  const written: string[] = [];
  if (cut.history.length > 0 || plan.previousSummary !== undefined)
    written.push(await history(parts, cut, plan, signal));
  if (cut.turnPrefix.some(messageIn))
    written.push(`**Turn Context (split turn):**\n\n${await turnPrefix(parts, cut, signal)}`);
  const prompt = promptBefore(parts, cut.kept);
  if (prompt !== undefined && estimateText(prompt) <= part(parts))
    written.push(`**What the user asked for, word for word:**\n\n${prompt}`);
  const summary = written.filter(Boolean).join('\n\n---\n\n') + fileTags(details);
  const shortSummary = await short(parts, summary, signal);
  return {
    summary,
    details,
    ...(shortSummary !== undefined && { shortSummary }),
    ...(plan.preserveData && { preserveData: plan.preserveData }),
  };
}

/** What the user asked for last, where it is not among the entries that stay. */
export function promptBefore({ conversation }: WritingParts, kept: readonly SessionEntry[]): string | undefined {
  if (kept.some(isPrompt)) return undefined;
  for (const entry of conversation.session.walk()) {
    const message = isPrompt(entry) ? messageIn(entry) : undefined;
    if (message) return messageText(message);
  }
  return undefined;
}

function part({ models, host, conversation }: WritingParts): number {
  return (summaryRoom(models.window, host.config.compaction) / conversation.gauge.ratio) * MAX_PART;
}

async function history(parts: WritingParts, cut: Cut, plan: CompactionPlan, signal: AbortSignal): Promise<string> {
  const { context, instructions, prompt } = plan;
  const previousSummary =
    plan.previousSummary === undefined ? undefined : shortenedTo(plan.previousSummary, part(parts));
  const template = previousSummary === undefined ? 'compaction-summary' : 'compaction-update';
  const question = (conversation: string) =>
    render(template, { conversation, previousSummary, context, instructions, prompt });
  // Small models do not know when to stop: a summary that fills the window would be summarized again with every turn.
  return shortenedTo(await askForSummary(parts, { text: textOf(cut.history), question }, signal), part(parts));
}

async function turnPrefix(parts: WritingParts, cut: Cut, signal: AbortSignal): Promise<string> {
  const question = (conversation: string) => render('compaction-turn-prefix', { conversation });
  return shortenedTo(await askForSummary(parts, { text: textOf(cut.turnPrefix), question }, signal), part(parts) / 2);
}

/** One sentence for lists. The summary is there without it. */
async function short(parts: WritingParts, text: string, signal: AbortSignal): Promise<string | undefined> {
  const question = (summary: string) => render('compaction-short', { summary });
  try {
    return await askForSummary(parts, { text, question }, signal);
  } catch (fault) {
    if (signal.aborted) throw fault;
    parts.host.log.warn(`a summary has no short form: ${messageOf(fault)}`);
    return undefined;
  }
}

function textOf(entries: readonly SessionEntry[]): string {
  return serialize(toModelMessages(entries.flatMap((entry) => messageIn(entry) ?? [])));
}
