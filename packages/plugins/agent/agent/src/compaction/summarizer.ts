/** Asks a model one question, outside the conversation. */
import { messageOf, TenonError } from '@tenon/kernel';
import {
  type AssistantMessage,
  failureText,
  type Model,
  type ModelRequest,
  type ProviderFailure,
} from '@tenon/models/api';
import { errors } from '../errors.ts';
import type { AgentParts } from '../host.ts';
import { changeRequest } from '../model-hooks.ts';
import type { ModelUse } from '../model-use.ts';
import { render } from '../prompts/index.ts';
import { estimateText, shortenedTo } from '../tokens.ts';
import { overflowNumbers } from './overflow-numbers.ts';
import { summaryRoom } from './policy.ts';

/** What summaries are made with. */
export type SummaryParts = Pick<AgentParts, 'host' | 'conversation'> & { readonly models: ModelUse };

/** What one call needs beside the model. */
export type Question = Pick<ModelRequest, 'systemPrompt' | 'messages' | 'tools'> & Partial<ModelRequest>;

/** What is to be summarized, and the question around it. */
export interface SummaryTask {
  readonly text: string;
  question(text: string): string;
}

/** How often a question that is too long is asked again with less. */
const MAX_CUTS = 5;
/** The question takes this part of the window then; the rest is for the answer. */
const SHARE = 0.7;
/** The answer takes at most this part of what a question may have. */
const MAX_ANSWER = 0.5;

/** One text for another, without tools: by the small model if it can take that much, else by the one in use. */
export async function askForSummary(parts: SummaryParts, task: SummaryTask, signal: AbortSignal): Promise<string> {
  const candidates = await summarizers(parts, estimateText(task.text));
  let failure: unknown;
  for (const model of candidates) {
    try {
      const answer = textOf(await askFitting(parts, model, task, signal));
      if (answer !== '') return answer;
      throw errors.create('AGENT_COMPACTION_FAILED', { reason: 'the model gave an empty summary' });
    } catch (fault) {
      if (signal.aborted) throw fault;
      parts.host.log.warn(`no summary from ${model.provider}/${model.id}: ${messageOf(fault)}`);
      failure = fault;
    }
  }
  throw failure;
}

/** Asks with as much of the text as the model takes. A model that takes less than it should is asked again with less. */
async function askFitting(
  parts: SummaryParts,
  model: Model,
  { text, question }: SummaryTask,
  signal: AbortSignal,
): Promise<AssistantMessage> {
  const { host, models, conversation } = parts;
  const { gauge } = conversation;
  const isOwn = model.provider === models.model.provider && model.id === models.model.id;
  const systemPrompt = render('compaction-system');
  const most = answerLimit(parts, model);
  const fixed = estimateText(systemPrompt) + estimateText(question(''));
  let room = summaryRoom(gauge.window(model), host.config.compaction) / (isOwn ? gauge.ratio : 1) - fixed;
  for (let cuts = 0; ; cuts++) {
    const content = question(shortenedTo(text, Math.max(0, room)));
    const messages = [{ role: 'user' as const, content, timestamp: Date.now() }];
    try {
      return await askModel(parts, model, { systemPrompt, messages, tools: [], ...most }, signal);
    } catch (fault) {
      const words = overflowWords(fault);
      if (words === undefined || room <= 0 || cuts >= MAX_CUTS) throw fault;
      const { counted, limit = gauge.window(model) } = overflowNumbers(words);
      const size = estimateText(systemPrompt) + estimateText(content);
      const fitting = counted === undefined ? size / 2 : (size * SHARE * limit) / counted;
      room = Math.min(Math.min(room, size) / 2, fitting - fixed);
    }
  }
}

/** A model with a small window may talk until that is full, for minutes. One that thinks needs the room for it. */
function answerLimit({ host, conversation }: SummaryParts, model: Model): Pick<Question, 'maxTokens'> {
  const limit = Math.floor(summaryRoom(conversation.gauge.window(model), host.config.compaction) * MAX_ANSWER);
  return model.reasoning || limit >= model.maxTokens ? {} : { maxTokens: limit };
}

/** Of the same provider, unless the settings name a model for the role: a conversation goes to nobody else by itself. */
async function summarizers({ host, models: { model } }: SummaryParts, tokens: number): Promise<Model[]> {
  const { model: small } = await host.needs.models.forRole('small', { beside: model });
  const isSame = small.provider === model.provider && small.id === model.id;
  return isSame || small.contextWindow - small.maxTokens < tokens ? [model] : [small, model];
}

/** One answer of a model. A failure of the model is an error, and so is being stopped. */
export async function askModel(
  parts: SummaryParts,
  model: Model,
  question: Question,
  signal: AbortSignal,
  failed: Failed = summaryFailed,
): Promise<AssistantMessage> {
  const { host, conversation, models } = parts;
  const { systemPrompt, messages, tools, ...rest } = question;
  const changed = await changeRequest(parts, { systemPrompt, messages, tools });
  const request = { model, sessionId: conversation.session.id, toolChoice: 'none' as const, ...rest, ...changed };
  for await (const event of host.needs.models.stream(request, { signal, mayWait: () => models.mayWait })) {
    if (event.type === 'error') {
      if (event.reason === 'aborted') throw new DOMException('The question to the model was stopped.', 'AbortError');
      throw failed(failureText(event.error), event.failure);
    }
    if (event.type !== 'done') continue;
    models.used(event.message, 'summary');
    return event.message;
  }
  throw failed('the model ended without an answer');
}

/** How a failure of the model is told. */
type Failed = (reason: string, failure?: ProviderFailure) => TenonError;

const summaryFailed: Failed = (reason, failure) => errors.create('AGENT_COMPACTION_FAILED', { reason }, failure);

/** What the provider said when the question was too long for it; nothing for other faults. */
function overflowWords(fault: unknown): string | undefined {
  const failure = fault instanceof TenonError ? (fault.cause as ProviderFailure | undefined) : undefined;
  return failure?.kind === 'context-overflow' ? failure.message : undefined;
}

/** The text of an answer; calls of tools that were not asked for are left out. */
export function textOf({ content }: AssistantMessage): string {
  return content
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('\n')
    .trim();
}
